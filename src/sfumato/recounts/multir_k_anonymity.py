"""Multirelational k-anonymity, recounted: how many owners share what an adversary may know."""

from __future__ import annotations

from collections import Counter

from sfumato.recounts._level import Groups, Key, Level, Number, Text, lowest, refuse_missing

__all__ = ["level"]


def level(groups: Groups, *, k: int, owner_signature: bool) -> Level:
    """Judge the number of owners of each group, or of those whose rows all look alike."""
    refuse_missing(groups, "refuse")
    if not owner_signature:
        return lowest(map(len, groups.values()), k)
    bags: dict[Text, dict[Key, Number]] = {}
    for key, rows in groups.items():
        for (owner,), count in rows.items():
            bags.setdefault(owner, {})[key] = count
    return lowest(Counter(frozenset(bag.items()) for bag in bags.values()).values(), k)
