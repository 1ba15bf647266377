"""k-combinations, recounted: how many rows share any few of the texts that are shown."""

from __future__ import annotations

from itertools import combinations

from sfumato.recounts._level import Groups, Key, Level, Number, lowest

__all__ = ["level"]


_SUPPRESSED = "*"


def level(groups: Groups, *, k: int, size: int) -> Level:
    """Judge every combination of texts of at most ``size`` columns; a suppressed cell matches nothing."""
    sizes = {key: sum(rows.values()) for key, rows in groups.items()}
    width = len(next(iter(groups), ()))
    shared: list[Number] = []
    for chosen in (columns for few in range(1, min(size, width) + 1) for columns in combinations(range(width), few)):
        found: dict[Key, Number] = {}
        for key, count in sizes.items():
            texts = tuple([key[at] for at in chosen])
            if _SUPPRESSED not in texts:
                found[texts] = found.get(texts, 0) + count
        shared += found.values()
    return lowest(shared, k)
