"""K-Optimize by trying everything: every set of split values, groups counted row by row."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

__all__ = ["all_splits", "best_splits", "cost"]

Split = tuple[int, int]


def all_splits(rows: Sequence[Sequence[int]]) -> list[Split]:
    """List (column, position): a run may begin at any position of a column but the first."""
    width = len(rows[0])
    return [(c, p) for c in range(width) for p in range(1, max(row[c] for row in rows) + 1)]


def cost(
    rows: Sequence[Sequence[int]],
    splits: Sequence[Split],
    k: int,
    *,
    classes: Sequence[Any] | None = None,
    budget: int | None = None,
    rules: Sequence[tuple[Sequence[int], int]] = (),
) -> int | None:
    """Return what a set of splits costs, or None if it leaves out too many records or breaks a rule."""
    shown = [tuple(sum(p <= row[c] for d, p in splits if d == c) for c in range(len(row))) for row in rows]
    for columns, least in rules:
        counts = Counter(tuple(key[c] for c in columns) for key in shown)
        if min(counts.values()) < least:
            return None
    groups: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for number, key in enumerate(shown):
        groups[key].append(number)
    gone = sum(len(group) for group in groups.values() if len(group) < k)
    if budget is not None and gone > budget:
        return None
    kept = [group for group in groups.values() if len(group) >= k]
    if classes is None:
        return sum(len(group) ** 2 for group in kept) + gone * len(rows)
    return gone + sum(len(group) - max(Counter(classes[i] for i in group).values()) for group in kept)


def _subsets(splits: Sequence[Split]) -> Iterator[tuple[Split, ...]]:
    for size in range(len(splits) + 1):
        yield from combinations(splits, size)


def best_splits(rows: Sequence[Sequence[int]], k: int, **asked: Any) -> tuple[int, list[tuple[Split, ...]]]:
    """Return the least cost and every set of splits that has it."""
    best, found = None, []
    for splits in _subsets(all_splits(rows)):
        value = cost(rows, splits, k, **asked)
        if value is None or (best is not None and value > best):
            continue
        if best is None or value < best:
            best, found = value, []
        found.append(splits)
    assert best is not None
    return best, found
