"""Grouped baskets, recounted: how many baskets each written group has, and its private items with their counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from sfumato.errors import BadRequest
from sfumato.recounts import Counted, Part, Text

__all__ = ["counted"]


def counted(parts: Mapping[str, Part]) -> Counted:
    """Take the groups by their number, and in them one line for all baskets: item, count, item, count, ..."""
    sizes: Counter[Text] = Counter()
    for _, group in parts["baskets"].counts(["basket", "group"]):
        sizes[group] += 1
    held: dict[Text, list[tuple[str, str]]] = {group: [] for group in sizes}
    for group, item, count in parts["private"].counts(["group", "item", "baskets"]):
        if group not in held or item is None or count is None:
            raise BadRequest("names a group that there is not", parameter="private")
        held[group].append((item, count))
    return Counted(
        {
            (group,): {tuple(text for pair in sorted(held[group]) for text in pair): size}
            for group, size in sizes.items()
        }
    )
