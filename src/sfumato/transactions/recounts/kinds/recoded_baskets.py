"""Recoded baskets, recounted: the sets that the two written tables stand for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from sfumato.errors import BadRequest
from sfumato.recounts import Counted, Part, Text

__all__ = ["counted"]


def counted(
    parts: Mapping[str, Part],
    private: Collection[str],
    columns: Mapping[str, str] | None,
    known: Collection[Collection[str]] | None,
) -> Counted:
    """Take the baskets by their public items, and in them by their private ones.

    Where columns stand beside baskets, public items are those of people who share them all, who share one item more: the class.
    Where only some sets of items may be known, each basket is taken once for each of them, with what it holds of the set.
    """
    held: dict[Text, list[str]] = {}
    beside_of: dict[Text, str] = {}
    for number, _, *beside in parts["baskets"].counts(["basket", "items", *(columns or ())]):
        held[number], beside_of[number] = [], repr(beside)
    for number, item in parts["items"].counts(["basket", "item"]):
        if number not in held or item is None:
            raise BadRequest("an item is in a basket that is not listed", parameter="items")
        held[number].append(item)
    groups: dict[tuple[Text, ...], Counter[tuple[Text, ...]]] = {}
    for number, items in held.items():
        public = tuple(sorted(item for item in items if item not in private))
        if columns:
            public = (beside_of[number], *(f"{beside_of[number]} {item}" for item in public))
        secret = tuple(sorted(item for item in items if item in private))
        seen = [public] if known is None else [_of_set(public, at, one) for at, one in enumerate(known)]
        for one in seen:
            groups.setdefault(one, Counter())[secret] += 1
    return Counted(groups)


def _of_set(items: Sequence[Text], at: int, known: Collection[str]) -> tuple[Text, ...]:
    """Return the items of one set that may be known, called by it: sets of items with different names never meet."""
    return tuple(f"{at} {item}" for item in items if item in known)
