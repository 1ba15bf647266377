"""Mondrian and its workload-aware kin by plain recursion over lists of row numbers.

A group is cut along one attribute. Numbers and values without a tree are cut after one of the values that occur, a tree at
the lowest node that covers the group. ``median``: the widest attribute whose cut at the lower median is allowed; ``any``: the
other places too, from the most even cut on. ``cheapest``: the allowed cut of least cost over all attributes and places.

    width(numbers) = (max - min of the group) / (max - min of the table)
    width(values)  = the same with their places in order
    width(tree)    = (leaves of the lowest cover - 1) / (all leaves - 1)

Costs are per record of the group: entropy in bits, variance in units of the table's, imprecision of queries.

References
----------
K. LeFevre, D. J. DeWitt, R. Ramakrishnan, Mondrian Multidimensional k-Anonymity, ICDE 2006.
K. LeFevre, D. J. DeWitt, R. Ramakrishnan, Workload-Aware Anonymization, KDD 2006.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from oracles.naive_tdr import NaiveAttribute

__all__ = [
    "NaiveSpace",
    "naive_any",
    "naive_cheapest",
    "naive_class_cost",
    "naive_median",
    "naive_mixed_cost",
    "naive_query_cost",
    "naive_square_cost",
]

Part = list[int]
Cut = tuple[int, int, list[Part]]  # attribute, place, parts
Allowed = Callable[[Part], bool]
Cost = Callable[[Part, Sequence[Part]], float]


def steps(score: float) -> int:
    """Return a score in whole steps."""
    return math.floor(score * 2**40 + 0.5)


class NaiveSpace:
    """Rows with the way each column is cut; ``columns`` are the positions of the attributes in a row."""

    def __init__(self, rows: Sequence[Sequence[Any]], attributes: Sequence[NaiveAttribute]) -> None:
        self.rows, self.attributes = rows, list(attributes)
        self.order = [sorted({row[at] for row in rows}) for at in range(len(self.attributes))]
        self.paths = [None if one.tree is None else dict(_paths(one.tree, ())) for one in self.attributes]

    def everything(self) -> Part:
        """Return all rows."""
        return list(range(len(self.rows)))

    def held(self, part: Part, at: int) -> list[Any]:
        """Return the values of a column in a part."""
        return [self.rows[row][at] for row in part]

    def cover(self, part: Part, at: int) -> tuple[str, ...]:
        """Return the path from the root to the lowest node above all values of a part."""
        paths = self.paths[at]
        assert paths is not None
        wanted = [paths[value] for value in self.held(part, at)]
        if len(set(wanted)) == 1:
            return wanted[0]
        shared: tuple[str, ...] = ()
        for level in zip(*wanted, strict=False):
            if len(set(level)) > 1:
                break
            shared = (*shared, level[0])
        return shared

    def width(self, part: Part, at: int) -> float:
        """Return the range of a part as a share of the whole."""
        values = self.held(part, at)
        if len(set(values)) == 1:
            return 0.0
        paths = self.paths[at]
        if paths is not None:
            cover = self.cover(part, at)
            below = sum(path[: len(cover)] == cover for path in paths.values())
            return (below - 1) / (len(paths) - 1)
        if self.attributes[at].kind == "interval":
            return (max(values) - min(values)) / (self.order[at][-1] - self.order[at][0])
        return (self.order[at].index(max(values)) - self.order[at].index(min(values))) / (len(self.order[at]) - 1)

    def children(self, part: Part, at: int) -> list[Part]:
        """Return the parts below the lowest cover, from left to right."""
        paths = self.paths[at]
        assert paths is not None
        depth = len(self.cover(part, at))
        names = list(dict.fromkeys(path[depth] for path in paths.values() if len(path) > depth))
        made = [[row for row in part if (*paths[self.rows[row][at]], "")[depth] == name] for name in names]
        return [some for some in made if some]

    def halves(self, part: Part, at: int, value: Any) -> list[Part]:
        """Return the rows up to a value and the others."""
        return [
            [row for row in part if self.rows[row][at] <= value],
            [row for row in part if self.rows[row][at] > value],
        ]

    def cuts(self, part: Part, at: int) -> list[Cut]:
        """Return every cut of an attribute, from low to high."""
        values = sorted(set(self.held(part, at)))
        if len(values) == 1:
            return []
        if self.paths[at] is not None:
            return [(at, 0, self.children(part, at))]
        return [(at, place, self.halves(part, at, value)) for place, value in enumerate(values[:-1])]

    def box(self, part: Part) -> list[Any]:
        """Return what a group spans: the ends of a line, or the lowest cover."""
        return [
            (min(self.held(part, at)), max(self.held(part, at))) if paths is None else self.cover(part, at)[-1]
            for at, paths in enumerate(self.paths)
        ]


def _paths(tree: Mapping[str, Any], above: tuple[str, ...]) -> list[tuple[str, tuple[str, ...]]]:
    own = (*above, tree["value"])
    children = tree.get("children", [])
    return [entry for child in children for entry in _paths(child, own)] if children else [(tree["value"], own)]


# ---- medians -------------------------------------------------------------------------------------------------------------


def naive_median(space: NaiveSpace, allowed: Allowed) -> list[Part]:
    """Return the groups of strict Mondrian, from left to right."""
    return _recurse(space, lambda part: _by_width(space, part, allowed, anywhere=False))


def naive_any(space: NaiveSpace, allowed: Allowed) -> list[Part]:
    """Return the groups if other places are tried after the median."""
    return _recurse(space, lambda part: _by_width(space, part, allowed, anywhere=True))


def _recurse(space: NaiveSpace, choose: Callable[[Part], list[Part] | None]) -> list[Part]:
    def down(part: Part) -> list[Part]:
        parts = choose(part)
        return [part] if parts is None else [group for some in parts for group in down(some)]

    return down(space.everything())


def _by_width(space: NaiveSpace, part: Part, allowed: Allowed, *, anywhere: bool) -> list[Part] | None:
    ranked = sorted(range(len(space.attributes)), key=lambda at: -steps(space.width(part, at)))
    for at in ranked:
        cuts = space.cuts(part, at)
        if space.paths[at] is None and cuts:
            middle = sorted(space.held(part, at))[(len(part) - 1) // 2]
            values = sorted(set(space.held(part, at)))
            first = [cut for cut in cuts if values[cut[1]] == middle]
            others = [cut for cut in cuts if values[cut[1]] != middle]
            others.sort(key=lambda cut: (abs(2 * len(cut[2][0]) - len(part)), cut[1]))
            cuts = [*first, *(others if anywhere else [])]
        for _, _, parts in cuts:
            if all(allowed(some) for some in parts):
                return parts
    return None


# ---- workloads -----------------------------------------------------------------------------------------------------------


def naive_cheapest(space: NaiveSpace, allowed: Allowed, cost: Cost, *, only: Sequence[int] = ()) -> list[Part]:
    """Return the groups if the cheapest allowed cut is taken, of some attributes only if so said."""

    def choose(part: Part) -> list[Part] | None:
        found = [
            (steps(cost(part, parts)), at, place, parts)
            for at in range(len(space.attributes))
            if not only or at in only
            for at, place, parts in space.cuts(part, at)
            if all(allowed(some) for some in parts)
        ]
        return min(found, key=lambda entry: entry[:3])[3] if found else None

    return _recurse(space, choose)


def entropy(values: Sequence[Any]) -> float:
    """Return the entropy in bits."""
    return -sum(count / len(values) * math.log2(count / len(values)) for count in Counter(values).values())


def naive_class_cost(*targets: Sequence[Any]) -> Cost:
    """Return the sum of the weighted entropies of some columns."""
    return lambda part, parts: sum(
        len(some) / len(part) * entropy([target[row] for row in some]) for target in targets for some in parts
    )


def _variance(values: Sequence[float]) -> float:
    mean = math.fsum(values) / len(values)
    return math.fsum((value - mean) ** 2 for value in values) / len(values)


def naive_square_cost(*targets: Sequence[float]) -> Cost:
    """Return the sum of the weighted variances of some columns, each in units of its variance in the table."""
    whole = [_variance(target) or 1.0 for target in targets]
    return lambda part, parts: sum(
        len(some) / len(part) * _variance([target[row] for row in some]) / unit
        for target, unit in zip(targets, whole, strict=True)
        for some in parts
    )


def naive_mixed_cost(classes: Sequence[Sequence[Any]], numbers: Sequence[Sequence[float]]) -> Cost:
    """Return the mean share of entropy or variance that is left."""

    def cost(part: Part, parts: Sequence[Part]) -> float:
        total = 0.0
        for target, measure in [*((one, entropy) for one in classes), *((one, _variance) for one in numbers)]:
            before = measure([target[row] for row in part])
            left = sum(len(some) / len(part) * measure([target[row] for row in some]) for some in parts)
            total += left / before if before > 1e-12 else 0.0
        return total / (len(classes) + len(numbers))

    return cost


def naive_query_cost(space: NaiveSpace, queries: Sequence[tuple[Mapping[int, Any], float]]) -> Cost:
    """Return the imprecision: records in parts whose box a query meets, outside its selection.

    A query has conditions by attribute, a pair of ends or a set of leaves, and a weight.
    """

    def meets(query: Mapping[int, Any], part: Part) -> bool:
        box = space.box(part)
        for at, condition in query.items():
            paths = space.paths[at]
            if paths is not None:
                if not any(box[at] in path and leaf in condition for leaf, path in paths.items()):
                    return False
            elif space.attributes[at].kind == "interval":
                if box[at][0] > condition[1] or box[at][1] < condition[0]:
                    return False
            elif not any(box[at][0] <= value <= box[at][1] for value in condition):
                return False
        return True

    def selects(query: Mapping[int, Any], row: int) -> bool:
        return all(
            condition[0] <= space.rows[row][at] <= condition[1]
            if space.attributes[at].kind == "interval"
            else space.rows[row][at] in condition
            for at, condition in query.items()
        )

    def cost(part: Part, parts: Sequence[Part]) -> float:
        return sum(
            weight * sum(not selects(query, row) for row in some)
            for query, weight in queries
            for some in parts
            if meets(query, some)
        ) / len(part)

    return cost
