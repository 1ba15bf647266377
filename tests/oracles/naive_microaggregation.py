"""MDAV and V-MDAV by looking at every record each time.

A distance is a sum over columns: squares of scaled numbers, or Gower's parts: ``|a - b| / range`` of numbers, of categories the
leaves below the lowest common node, less one, over all leaves, less one (without a tree 0 or 1).

    MDAV: while 3 k records are left: r, the farthest from the centre, with its k - 1 nearest; s, the farthest from r among
          the rest, with its k - 1 nearest. Of 2 k and more: the farthest from the centre with its k - 1 nearest. The rest.
    V-MDAV: the farthest from the centre of all with its k - 1 nearest; up to 2 k - 1, the record e nearest to the group joins
          while d(e, group) < gamma * d(e, others left). What is left joins the nearest centre; 2 k and more are parted.

Distances are compared with 41 binary digits; ties go to the record that comes first.

References
----------
J. Domingo-Ferrer, V. Torra, Ordinal, Continuous and Heterogeneous k-Anonymity Through Microaggregation, DMKD 2005.
A. Solanas, A. Martinez-Balleste, V-MDAV: A Multivariate Microaggregation With Variable Group Size, COMPSTAT 2006.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["NaiveEuclid", "NaiveGower", "naive_mdav", "naive_v_mdav"]

Part = list[int]


def digits(value: float) -> float:
    """Return a number rounded to 41 binary digits."""
    wide = value * 4097.0
    return wide - (wide - value)


class NaiveEuclid:
    """Rows of numbers; squared distances after dividing each column by a unit."""

    def __init__(self, rows: Sequence[Sequence[float]], units: Sequence[float]) -> None:
        means = [math.fsum(column) / len(rows) for column in zip(*rows, strict=True)]
        self.rows = [
            [(value - mean) / (unit or 1.0) for value, mean, unit in zip(row, means, units, strict=True)]
            for row in rows
        ]
        self.power = 2.0

    def away(self, one: Sequence[Any], other: Sequence[Any]) -> float:
        return digits(sum((a - b) ** 2 for a, b in zip(one, other, strict=True)))

    def centre(self, part: Part) -> list[Any]:
        return [math.fsum(self.rows[row][at] for row in part) / len(part) for at in range(len(self.rows[0]))]

    group_centre = centre


class NaiveGower:
    """Rows of mixed values; ``paths`` maps the values of a category to their paths from the root, in order of leaves."""

    def __init__(self, rows: Sequence[Sequence[Any]], paths: Sequence[dict[Any, tuple[str, ...]] | None]) -> None:
        self.rows, self.paths = [list(row) for row in rows], paths
        self.widths = [
            None if known is not None else float(max(row[at] for row in rows) - min(row[at] for row in rows))
            for at, known in enumerate(paths)
        ]
        self.power = 1.0

    def leaves(self, at: int, a: Any, b: Any) -> int:
        """Return the leaves below the lowest common node, less one."""
        if a == b:
            return 0
        paths = self.paths[at]
        assert paths is not None
        shared: tuple[str, ...] = ()
        for x, y in zip(paths[a], paths[b], strict=False):
            if x != y:
                break
            shared = (*shared, x)
        return sum(path[: len(shared)] == shared for path in paths.values()) - 1

    def away(self, one: Sequence[Any], other: Sequence[Any]) -> float:
        total = 0.0
        for at, (a, b) in enumerate(zip(one, other, strict=True)):
            paths, width = self.paths[at], self.widths[at]
            if paths is not None:
                total += self.leaves(at, a, b) * (1.0 / max(len(paths) - 1, 1))
            elif width:
                total += abs(a - b) / width
        return digits(total)

    def _middle(self, part: Part, at: int) -> Any:
        paths = self.paths[at]
        assert paths is not None
        held = [self.rows[row][at] for row in part]
        order = {value: place for place, value in enumerate(paths)}
        return min(set(held), key=lambda a: (sum(self.leaves(at, a, b) for b in held), order[a]))

    def centre(self, part: Part) -> list[Any]:
        return [
            sorted(self.rows[row][at] for row in part)[(len(part) - 1) // 2]
            if known is None
            else self._middle(part, at)
            for at, known in enumerate(self.paths)
        ]

    def group_centre(self, part: Part) -> list[Any]:
        """Return what stands for a finished group: its median lies between the two middle numbers."""
        out = []
        for at, known in enumerate(self.paths):
            held = sorted(self.rows[row][at] for row in part) if known is None else []
            out.append((held[(len(held) - 1) // 2] + held[len(held) // 2]) / 2 if held else self._middle(part, at))
        return out


def _farthest(space: Any, part: Part, point: Sequence[Any]) -> int:
    return max(part, key=lambda row: (space.away(space.rows[row], point), -row))


def _with_nearest(space: Any, part: Part, first: int, k: int) -> Part:
    others = [row for row in part if row != first]
    others.sort(key=lambda row: (space.away(space.rows[row], space.rows[first]), row))
    return [first, *others[: k - 1]]


def naive_mdav(space: Any, k: int, part: Part | None = None) -> list[Part]:
    """Return the groups in the order in which they are made."""
    left = list(range(len(space.rows))) if part is None else list(part)
    groups: list[Part] = []

    def take(first: int) -> None:
        nonlocal left
        groups.append(_with_nearest(space, left, first, k))
        left = [row for row in left if row not in groups[-1]]

    while len(left) >= 3 * k:
        one = _farthest(space, left, space.centre(left))
        take(one)
        take(_farthest(space, left, space.rows[one]))
    if len(left) >= 2 * k:
        take(_farthest(space, left, space.centre(left)))
    return [*groups, left] if left else groups


def naive_v_mdav(space: Any, k: int, gamma: float) -> list[Part]:
    """Return the groups in the order in which they are made."""
    left = list(range(len(space.rows)))
    middle = space.centre(left)
    away: Callable[[int, int], float] = lambda a, b: space.away(space.rows[a], space.rows[b])  # noqa: E731
    groups: list[Part] = []
    while len(left) >= k:
        group = _with_nearest(space, left, _farthest(space, left, middle), k)
        left = [row for row in left if row not in group]
        while left and len(group) < 2 * k - 1:
            inside, joins = min((min(away(row, member) for member in group), row) for row in left)
            others = [away(joins, row) for row in left if row != joins]
            if others and not inside < digits(gamma**space.power * min(others)):
                break
            group.append(joins)
            left.remove(joins)
        groups.append(group)
    if not groups:
        return [left]
    centres = [space.group_centre(group) for group in groups]
    for row in left:
        groups[min(range(len(centres)), key=lambda at: (space.away(centres[at], space.rows[row]), at))].append(row)
    out: list[Part] = []
    for group in groups:
        out += naive_mdav(space, k, sorted(group)) if len(group) >= 2 * k else [group]
    return out
