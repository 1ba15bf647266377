"""Sanitizers, noisy answers and cells of sums by hand: plain Python, every outcome listed, fractions where a ratio is meant.

cells      : a box with more points than the limit becomes 2^d boxes, lower halves first; a point on a midpoint goes up
dirichlet  : P(m) = multinomial coefficient * prod (n_i + a)^(m_i) / (n + K a)^(m) with rising factorials
alpha-beta : the probability of every set of published records
dominance  : the n largest contributions against k percent of all, in whole numbers
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain, combinations, product
from math import factorial, prod
from typing import Any

__all__ = ["alpha_beta_sets", "box_cells", "dirichlet_outputs", "dominated", "lonely", "sides_of", "tables"]

Box = tuple[tuple[Fraction, Fraction], ...]


def box_cells(points: Sequence[Sequence[Any]], box: Box, limit: int, depth: int) -> list[tuple[Box, int]]:
    """Return all boxes with their counts, empty ones too, depth first."""
    inside = list(points)
    if len(inside) <= limit or depth == 0:
        return [(box, len(inside))]
    out = []
    middles = [(low + high) / 2 for low, high in box]
    for sides in product((0, 1), repeat=len(box)):
        part = tuple(
            (middle, high) if up else (low, middle) for up, middle, (low, high) in zip(sides, middles, box, strict=True)
        )
        held = [p for p in inside if all((x >= m) == bool(up) for x, m, up in zip(p, middles, sides, strict=True))]
        out += box_cells(held, part, limit, depth - 1)
    return out


def sides_of(point: Sequence[Any], others: Sequence[Sequence[Any]], limit: int, depth: int) -> list[Fraction]:
    """Return the sides of the box of the others that holds a point, or the nearest place to it."""
    box = [(Fraction(min(c)), Fraction(max(c))) for c in zip(*others, strict=True)]
    at = [min(max(Fraction(x), low), high) for x, (low, high) in zip(point, box, strict=True)]
    held = [list(map(Fraction, other)) for other in others]
    while len(held) > limit and depth:
        middles = [(low + high) / 2 for low, high in box]
        up = [x >= m for x, m in zip(at, middles, strict=True)]
        box = [(m, high) if u else (low, m) for u, m, (low, high) in zip(up, middles, box, strict=True)]
        held = [p for p in held if [x >= m for x, m in zip(p, middles, strict=True)] == up]
        depth -= 1
    return [high - low for low, high in box]


def _rising(start: Fraction, times: int) -> Fraction:
    return prod((start + step for step in range(times)), start=Fraction(1))


def _splits(total: int, cells: int) -> Iterator[tuple[int, ...]]:
    if cells == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in _splits(total - first, cells - 1):
            yield (first, *rest)


def tables(records: int, cells: int) -> list[tuple[int, ...]]:
    """Return every table of so many records, as counts of cells."""
    return list(_splits(records, cells))


def dirichlet_outputs(counts: Sequence[int], prior: Fraction, records: int) -> dict[tuple[int, ...], Fraction]:
    """Return the probability of every output."""
    whole = _rising(sum(counts) + len(counts) * prior, records)
    out = {}
    for drawn in _splits(records, len(counts)):
        ways = Fraction(factorial(records), prod(factorial(m) for m in drawn))
        out[drawn] = ways * prod(_rising(n + prior, m) for n, m in zip(counts, drawn, strict=True)) / whole
    return out


def alpha_beta_sets(
    domain: Sequence[Any], table: Sequence[Any], alpha: Fraction, beta: Fraction
) -> dict[frozenset[Any], Fraction]:
    """Return the probability of every set of published records."""
    out = {}
    for chosen in chain.from_iterable(combinations(domain, size) for size in range(len(domain) + 1)):
        chance = Fraction(1)
        for record in domain:
            shown = alpha + beta if record in table else beta
            chance *= shown if record in chosen else 1 - shown
        out[frozenset(chosen)] = chance
    return out


def dominated(cell: Sequence[int], n: int, k: int) -> bool:
    """Tell whether the n largest contributions exceed k percent of the sum."""
    return 100 * sum(sorted(cell, reverse=True)[:n]) > k * sum(cell)


def lonely(cells: Mapping[tuple[Any, ...], bool]) -> int:
    """Count the lines of several cells with exactly one hidden cell."""
    width = len(next(iter(cells)))
    out = 0
    for free in range(width):
        lines = Counter(tuple(v for at, v in enumerate(cell) if at != free) for cell in cells)
        hidden = Counter(tuple(v for at, v in enumerate(cell) if at != free) for cell, gone in cells.items() if gone)
        out += sum(size > 1 and hidden[line] == 1 for line, size in lines.items())
    return out
