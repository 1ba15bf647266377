"""Diversity, confidence and owners counted one by one, from histograms ``{value: count}`` and plain rows.

Each answer follows the words of its definition: every value, every exclusion, every pair of rows is tried. Fractions
wherever the definition is a ratio. ``None`` stands for "no number is large enough".
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import Any

from hypothesis import strategies as st

__all__ = [
    "Histogram",
    "bags",
    "can_be_cut",
    "distinct_with",
    "entropy",
    "frequency_l",
    "histograms",
    "joined",
    "largest_share",
    "least_c",
    "least_c_tolerating",
    "merges",
    "partitions",
    "share",
    "share_of",
    "without",
]

Histogram = Mapping[Any, int]
Rows = Sequence[Sequence[Any]]


# ---- one group -----------------------------------------------------------------------------------------------------------


def share(group: Histogram, value: Any) -> Fraction:
    """Return the share of a value."""
    return Fraction(group.get(value, 0), sum(group.values()))


def largest_share(group: Histogram, values: Collection[Any] | None = None) -> Fraction:
    """Return the largest share of any value, or of any of the given ones."""
    return max((share(group, value) for value in (group if values is None else values)), default=Fraction(0))


def frequency_l(group: Histogram) -> Fraction:
    """Return the largest l with every share <= 1/l."""
    return 1 / largest_share(group)


def entropy(group: Histogram) -> float:
    """Return the entropy in nats."""
    return math.fsum(-float(share(group, value)) * math.log(share(group, value)) for value in group)


def least_c(group: Histogram, l: int) -> Fraction | None:
    """Return r_1 / (r_l + ... + r_m); 0 for l = 1, None for an empty sum."""
    counts = sorted(group.values(), reverse=True)
    if l == 1:
        return Fraction(0)
    rare = sum(counts[l - 1 :])
    return Fraction(counts[0], rare) if rare else None


def least_c_tolerating(group: Histogram, l: int, tolerated: Collection[Any]) -> Fraction | None:
    """Return the bound on c by the words: whichever l - 2 other values are excluded, no other value dominates the rest."""
    if l == 1:
        return Fraction(0)
    worst = Fraction(0)
    for value in group:
        if value in tolerated:
            continue
        others = [other for other in group if other != value]
        for excluded in combinations(others, min(l - 2, len(others))):
            left = sum(group[other] for other in others if other not in excluded)
            if left == 0:
                return None
            worst = max(worst, Fraction(group[value], left))
    return worst


def without(group: Histogram, value: Any) -> dict[Any, int]:
    """Return the group after all records with a value are gone."""
    return {other: count for other, count in group.items() if other != value}


def can_be_cut(counts: Sequence[int], l: int, groups: int) -> bool:
    """Tell whether records with these sensitive values can fill so many groups with l different values each.

    The remaining records can join any group, so it is enough to find l different values for each group in turn.
    """
    return _can_be_cut(tuple(sorted(counts)), l, groups)


@cache
def _can_be_cut(counts: tuple[int, ...], l: int, groups: int) -> bool:
    if groups == 0:
        return True
    return any(
        _can_be_cut(tuple(sorted(count - (at in picked) for at, count in enumerate(counts))), l, groups - 1)
        for picked in combinations([at for at, count in enumerate(counts) if count], l)
    )


# ---- rows ----------------------------------------------------------------------------------------------------------------


def _matching(rows: Rows, x: Sequence[int]) -> dict[tuple[Any, ...], list[Sequence[Any]]]:
    found: dict[tuple[Any, ...], list[Sequence[Any]]] = {}
    for row in rows:
        found.setdefault(tuple(row[i] for i in x), []).append(row)
    return found


def distinct_with(rows: Rows, x: Sequence[int], y: Sequence[int]) -> dict[tuple[Any, ...], int]:
    """Return a_Y(x) for every x."""
    return {key: len({tuple(row[i] for i in y) for row in part}) for key, part in _matching(rows, x).items()}


def share_of(rows: Rows, x: Sequence[int], y: Sequence[int]) -> dict[tuple[Any, ...], dict[tuple[Any, ...], Fraction]]:
    """Return l_y(x) for every x and every y that goes with it."""
    return {
        key: {
            value: Fraction(count, len(part))
            for value, count in Counter(tuple(row[i] for i in y) for row in part).items()
        }
        for key, part in _matching(rows, x).items()
    }


# ---- tables --------------------------------------------------------------------------------------------------------------


def joined(
    tables: Mapping[str, list[dict[str, Any]]], root: str, keys: Mapping[str, Mapping[str, str]]
) -> list[dict[str, Any]]:
    """Write out the outer join, row by row, with columns called ``table.column``; children come in the order of ``keys``."""
    rows: list[dict[str, Any]] = [{f"{root}.{name}": value for name, value in row.items()} for row in tables[root]]
    for child, key in keys.items():
        longer = []
        for row in rows:
            hits = [
                other
                for other in tables[child]
                if all(row.get(target) is not None and other[own] == row[target] for own, target in key.items())
            ]
            longer += [{**row, **{f"{child}.{name}": value for name, value in hit.items()}} for hit in hits] or [row]
        rows = longer
    return rows


def bags(rows: Sequence[Mapping[str, Any]], owner: str, qid: Sequence[str]) -> dict[Hashable, Counter[tuple[Any, ...]]]:
    """Return the bag of values on the quasi-identifier of each owner."""
    found: dict[Hashable, Counter[tuple[Any, ...]]] = {}
    for row in rows:
        found.setdefault(row[owner], Counter())[tuple(row.get(name) for name in qid)] += 1
    return found


# ---- draws ---------------------------------------------------------------------------------------------------------------


def histograms(largest: int = 9, values: str = "abcde") -> st.SearchStrategy[dict[str, int]]:
    """Draw the histogram of one group."""
    return st.dictionaries(st.sampled_from(values), st.integers(1, largest), min_size=1)


def partitions(largest: int = 9, values: str = "abcde") -> st.SearchStrategy[list[dict[str, int]]]:
    """Draw the histograms of a few groups."""
    return st.lists(histograms(largest, values), min_size=1, max_size=6)


@st.composite
def merges(draw: st.DrawFn, largest: int = 9) -> tuple[list[dict[str, int]], list[int]]:
    """Draw a partition and the target of each of its groups."""
    groups = draw(partitions(largest))
    numbers: dict[int, int] = {}
    targets = draw(st.lists(st.integers(0, 2), min_size=len(groups), max_size=len(groups)))
    return groups, [numbers.setdefault(target, len(numbers)) for target in targets]
