"""Local suppression by looking at every pair of records: matches, the greedy rule of other tools, and trying all choices."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

Row = tuple[str | None, ...]


def matches(one: Row, other: Row) -> bool:
    """Tell whether two records are equal wherever neither is empty."""
    return all(a is None or b is None or a == b for a, b in zip(one, other, strict=True))


def frequencies(rows: Sequence[Row]) -> list[int]:
    """Return how many records match each one, itself included."""
    return [sum(matches(row, other) for other in rows) for row in rows]


def greedy(rows: Sequence[Row], k: int) -> list[Row]:
    """Empty, for each record that matches fewer than k, the key with most values in which that helps; count again; repeat.

    The count is taken anew after every single cell, which is the reading that empties fewest.
    """
    out = list(rows)
    width = len(rows[0])
    order = sorted(range(width), key=lambda at: (-len({row[at] for row in rows}), at))
    index: dict[tuple[tuple[int, ...], Row], int] = {}

    def put(row: Row, by: int) -> None:
        shown = [at for at in range(width) if row[at] is not None]
        for some in product([False, True], repeat=len(shown)):
            kept = tuple(at for at, keep in zip(shown, some, strict=True) if keep)
            key = (kept, (*(row[at] for at in kept), *map(str, shown)))
            index[key] = index.get(key, 0) + by

    for row in out:
        put(row, 1)
    patterns = {tuple(at for at in range(width) if row[at] is not None) for row in out}

    def count(row: Row) -> int:
        mine = [at for at in range(width) if row[at] is not None]
        total = 0
        for theirs in patterns:
            both = tuple(at for at in mine if at in theirs)
            total += index.get((both, (*(row[at] for at in both), *map(str, theirs))), 0)
        return total

    for number in range(len(out)):
        while (now := count(out[number])) < k:
            for at in order:
                if out[number][at] is None:
                    continue
                row = tuple(None if place == at else value for place, value in enumerate(out[number]))
                put(out[number], -1)
                put(row, 1)
                patterns.add(tuple(place for place in range(width) if row[place] is not None))
                if count(row) > now:
                    out[number] = row
                    break
                put(row, -1)
                put(out[number], 1)
            else:
                break
    return out


def emptied(rows: Sequence[Row]) -> int:
    """Return how many cells are empty."""
    return sum(value is None for row in rows for value in row)


def least(rows: Sequence[Row], k: int, costs: Sequence[float], most: int) -> tuple[float | None, int]:
    """Return the least cost of all choices of cells, and how many choices have it; nothing if none meets k."""
    width, best, ways = len(rows[0]), None, 0
    masks = [mask for mask in product([False, True], repeat=width) if sum(mask) <= most]
    for chosen in product(masks, repeat=len(rows)):
        cost = sum(cost for mask in chosen for cost, gone in zip(costs, mask, strict=True) if gone)
        if best is not None and cost > best:
            continue
        table = [
            tuple(None if gone else value for value, gone in zip(row, mask, strict=True))
            for row, mask in zip(rows, chosen, strict=True)
        ]
        if min(frequencies(table)) >= k:
            best, ways = (cost, ways + 1) if cost == best else (cost, 1)
    return best, ways


def least_by_pairs(rows: Sequence[Row], k: int, costs: Sequence[float]) -> float:
    """Return the least cost by the integer program over cells and pairs: ``m_rs <= x_rA + x_sA`` wherever r and s differ."""
    size, width = len(rows), len(rows[0])
    pairs = [(r, s) for r in range(size) for s in range(r + 1, size)]
    total = size * width + len(pairs)
    lines, least_values = [], []
    shared = np.zeros((size, total))
    for at, (r, s) in enumerate(pairs, size * width):
        shared[[r, s], at] = 1
        for column in range(width):
            if rows[r][column] != rows[s][column]:
                line = np.zeros(total)
                line[[r * width + column, s * width + column]] = 1
                line[at] = -1
                lines.append(line)
                least_values.append(0)
    found = milp(
        np.concatenate([np.tile(costs, size), np.zeros(len(pairs))]),
        integrality=np.ones(total),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(np.vstack([*lines, shared]), [*least_values, *[k - 1] * size], np.inf),
    )
    return float(found.fun)
