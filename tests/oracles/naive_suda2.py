"""Minimal sample uniques by brute force: every record against every other on every set of columns, and the scores by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import factorial
from typing import Any

__all__ = ["Scored", "hitting_msus", "msus", "scored"]

Row = Sequence[Any]
Places = tuple[int, ...]


def msus(rows: Sequence[Row], columns: int, largest: int) -> list[list[Places]]:
    """Return for each record the sets of columns on which no other equals it, without those that hold a smaller one."""
    out = []
    for at, row in enumerate(rows):
        found: list[Places] = []
        for size in range(1, largest + 1):
            for places in combinations(range(columns), size):
                if any(row[place] is None for place in places):
                    continue
                if any(set(known) <= set(places) for known in found):
                    continue
                others = (other for number, other in enumerate(rows) if number != at)
                if all(any(row[place] != other[place] for place in places) for other in others):
                    found.append(places)
        out.append(found)
    return out


def hitting_msus(rows: Sequence[Row], columns: int) -> list[list[Places]]:
    """Return the same sets of any size another way: minimal sets that hit what differs from each other record."""
    out = []
    for at, row in enumerate(rows):
        usable = [place for place in range(columns) if row[place] is not None]
        differing = [
            {place for place in usable if row[place] != other[place]}
            for number, other in enumerate(rows)
            if number != at
        ]
        hitting = [
            places
            for size in range(1, len(usable) + 1)
            for places in combinations(usable, size)
            if all(differs & set(places) for differs in differing)
        ]
        out.append([one for one in hitting if not any(set(other) < set(one) for other in hitting)])
    return out


@dataclass
class Scored:
    """Everything about a table, record by record."""

    msus: list[list[Places]]
    score: list[float]
    risk: list[float]
    contribution: list[list[float]]
    percent: list[float]
    uniques: int
    in_pairs: int
    special: int
    dis: float


def scored(rows: Sequence[Row], columns: int, largest: int, fraction: float, kind: str) -> Scored:
    """Score a table from the definitions, with DIS written out and not cancelled."""
    found = msus(rows, columns, largest)

    def worth(size: int) -> float:
        if kind == "elliot":
            product = 1
            for i in range(size, columns):
                product *= columns - i
            return float(product)
        return float((2 ** (columns - size) - 1) * factorial(size) * factorial(columns - size) / factorial(columns))

    score = [sum(worth(len(places)) for places in held) for held in found]
    held_by = [
        [sum(worth(len(places)) for places in held if column in places) for column in range(columns)] for held in found
    ]
    contribution = [
        [part / total if total > 0 else 0.0 for part in parts] for parts, total in zip(held_by, score, strict=True)
    ]
    counts = Counter(tuple(row[:columns]) for row in rows)
    uniques = sum(1 for count in counts.values() if count == 1)
    in_pairs = sum(2 for count in counts.values() if count == 2)
    dis = fraction * uniques / (fraction * uniques + (1 - fraction) * in_pairs) if uniques else 0.0
    power = 1 + (8 - columns) / 20
    inverse = sum(one**-power for one in score if one > 0)
    risk = [1 / (1 + (uniques / dis - uniques) / (one**power * inverse)) if one > 0 else 0.0 for one in score]
    return Scored(
        found,
        score,
        risk,
        contribution,
        [
            100 * sum(share[column] * one for share, one in zip(contribution, score, strict=True)) / sum(score)
            if sum(score)
            else 0.0
            for column in range(columns)
        ],
        uniques,
        in_pairs,
        sum(1 for held in found if any(len(places) < columns for places in held)),
        dis,
    )
