"""The deFinetti attack by brute force: every permutation of sensitive values in every group, weighed from scratch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from fractions import Fraction
from itertools import permutations, product
from math import prod
from typing import Any

__all__ = ["beliefs", "give_out", "swap", "weight"]

Record = tuple[Hashable, ...]
Group = tuple[Sequence[Record], Sequence[Hashable]]


def weight(records: Sequence[Record], values: Sequence[Hashable], alpha: Fraction) -> Fraction:
    """Return the weight of a world: rising factorials of how often each quasi-identifier value meets each value."""
    counts = Counter(
        (at, own, value) for record, value in zip(records, values, strict=True) for at, own in enumerate(record)
    )
    return Fraction(prod(prod((alpha + step for step in range(count)), start=Fraction(1)) for count in counts.values()))


def beliefs(groups: Sequence[Group], alpha: Fraction) -> list[list[dict[Hashable, Fraction]]]:
    """Return the belief in each value for each record of each group, from all worlds."""
    records = [record for members, _ in groups for record in members]
    total, held = Fraction(0), [[Counter[Hashable]() for _ in members] for members, _ in groups]
    for world in product(*(sorted(set(permutations(values))) for _, values in groups)):
        one = weight(records, [value for given in world for value in given], alpha)
        total += one
        for group, given in enumerate(world):
            for record, value in enumerate(given):
                held[group][record][value] += one  # type: ignore[assignment]
    return [[{value: Fraction(one) / total for value, one in record.items()} for record in group] for group in held]


def give_out(odds: Sequence[Sequence[float]], size: Sequence[int], count: Sequence[int]) -> list[list[float]]:
    """Return the chance of each value for the first record of each cell, over all ways to give values out."""
    owners = [cell for cell, many in enumerate(size) for _ in range(many)]
    listed = [value for value, many in enumerate(count) for _ in range(many)]
    first = [owners.index(cell) for cell in range(len(size))]
    chance, total = [[0.0] * len(count) for _ in size], 0.0
    for given in set(permutations(listed)):
        one = prod(odds[cell][value] for cell, value in zip(owners, given, strict=True))
        total += one
        for cell, record in enumerate(first):
            chance[cell][given[record]] += one
    return [[one / total for one in row] for row in chance]


def swap(records: Sequence[Record], group: Sequence[int], values: list[Any], draws: Any, alpha: Fraction) -> int:
    """Exchange values in place as draws say, accepting by the ratio of whole weights; return how many were accepted."""
    accepted = 0
    for which, whom, whether in draws:
        one = int(which * len(records))
        inside = [at for at in range(len(records)) if group[at] == group[one]]
        two = inside[int(whom * len(inside))]
        if values[one] == values[two] or records[one] == records[two]:
            continue
        before = weight(records, values, alpha)
        values[one], values[two] = values[two], values[one]
        if whether < weight(records, values, alpha) / before:
            accepted += 1
        else:
            values[one], values[two] = values[two], values[one]
    return accepted
