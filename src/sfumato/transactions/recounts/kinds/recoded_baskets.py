"""Recoded baskets, recounted: the sets that the two written tables stand for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

from sfumato.errors import BadRequest
from sfumato.recounts import Counted, Part, Text

__all__ = ["counted"]


def counted(parts: Mapping[str, Part], private: Collection[str]) -> Counted:
    """Take the baskets by their public items, and in them by their private ones."""
    held: dict[Text, list[str]] = {number: [] for (number, _) in parts["baskets"].counts(["basket", "items"])}
    for number, item in parts["items"].counts(["basket", "item"]):
        if number not in held or item is None:
            raise BadRequest("an item is in a basket that is not listed", parameter="items")
        held[number].append(item)
    groups: dict[tuple[Text, ...], Counter[tuple[Text, ...]]] = {}
    for items in held.values():
        public = tuple(sorted(item for item in items if item not in private))
        groups.setdefault(public, Counter())[tuple(sorted(item for item in items if item in private))] += 1
    return Counted(groups)
