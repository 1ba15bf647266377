"""Recoded baskets, recounted: the sets that the two written tables stand for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

from sfumato.errors import BadRequest
from sfumato.recounts import Counted, Part, Text

__all__ = ["counted"]


def counted(parts: Mapping[str, Part], private: Collection[str], columns: Mapping[str, str] | None) -> Counted:
    """Take the baskets by their public items, and in them by their private ones.

    Where columns stand beside baskets, public items are those of people who share them all, who share one item more: the class.
    """
    held: dict[Text, list[str]] = {}
    known: dict[Text, str] = {}
    for number, _, *beside in parts["baskets"].counts(["basket", "items", *(columns or ())]):
        held[number], known[number] = [], repr(beside)
    for number, item in parts["items"].counts(["basket", "item"]):
        if number not in held or item is None:
            raise BadRequest("an item is in a basket that is not listed", parameter="items")
        held[number].append(item)
    groups: dict[tuple[Text, ...], Counter[tuple[Text, ...]]] = {}
    for number, items in held.items():
        public = tuple(sorted(item for item in items if item not in private))
        if columns:
            public = (known[number], *(f"{known[number]} {item}" for item in public))
        groups.setdefault(public, Counter())[tuple(sorted(item for item in items if item in private))] += 1
    return Counted(groups)
