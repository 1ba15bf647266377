"""What a node of the lattice costs, and what it must cost at least before anybody looked at its groups.

A metric's own ``measure`` is the truth. Searching with it alone would mean to look at every node, so a metric may also say how
it adds up over attributes or follows from group sizes: that gives a floor under the cost of nodes not yet seen. Any other
metric is measured node by node.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, reduce
from math import inf
from operator import add
from typing import Any

import numpy as np

from sfumato.algorithms.lattice._box_kernels import raise_box_by_lines
from sfumato.contracts.metric import Counted, DataMetric, Level, LevelCost, LevelTerms, SizeTerms
from sfumato.data.compressed import CompressedTable
from sfumato.data.frozen import frozen
from sfumato.errors import Unsupported
from sfumato.kernels.arrays import Floats, Ints
from sfumato.searches.lattice import Lattice, Node

__all__ = ["AttributeCost", "Cost", "MeasuredCost", "SizeCost", "Tally", "cost_of"]


@frozen(eq=False)
class Tally:
    """What was counted at a node: records left out here and, at least, at every node below; groups; what a metric prices.

    ``price`` counts records, or the persons that they stand for. ``lines[i, l]`` is what the records that every node below
    leaves out too cost there at least, by attribute and level.
    """

    node: Node
    left_out: int
    lasting: int
    groups: int
    kept: int
    price: Counted
    costs: Floats
    bits: Floats
    lines: Floats


class Cost(ABC):
    """The cost of nodes under a metric; lower is better."""

    metric: DataMetric

    @abstractmethod
    def score(self, tally: Tally) -> float:
        """Return the cost of a node."""

    def rank(self, tally: Tally) -> tuple[float, ...]:
        """Return what decides between nodes of equal cost, from first to last; nothing for most metrics."""
        return ()

    def floors(self, lattice: Lattice) -> Floats:
        """Return what each node of the lattice costs at least, as an array of the lattice's shape."""
        return np.full(lattice.shape, -inf)

    def below(self, tally: Tally) -> float:
        """Return what the nodes at or below a counted one cost at least."""
        return -inf

    def at_least(self, node: Node) -> float:
        """Return what a node costs at least that nobody has looked at."""
        return -inf

    def rising(self, tally: Tally) -> float:
        """Return what every node above this one costs at least."""
        return -inf


class AttributeCost(Cost):
    """A sum over attributes: what each level costs, and what a left-out record of each value costs more.

    ``base[i][l]`` is the cost of attribute i at level l with every record kept, ``extra`` holds for each attribute, level and
    value what leaving out one record adds; ``entropy`` weighs the bits of what was left out.
    """

    def __init__(
        self,
        metric: DataMetric,
        terms: LevelTerms,
        lattice: Lattice,
        levels: Sequence[Sequence[Level]],
        costs: Sequence[Sequence[LevelCost]],
        budget: float,
        kind: np.dtype[Any],
    ) -> None:
        self.metric = metric
        self.aggregate = terms.aggregate
        self.weights = np.array([float(terms.weights.get(name, 1.0)) for name in lattice.names])
        self.budget = budget
        self.entropy = terms.entropy
        self.base = [np.array([cost.total for cost in own]) for own in costs]
        self.extents = lattice.shape
        self.widths = lattice.widths
        self.least = [np.array([cost.extra.min() for cost in own]) for own in costs]
        self.base_table = _padded(self.base, max(lattice.shape))
        self._rows = np.arange(len(costs))
        # Where leaving out is cheaper than masking, all that may go is taken to go.
        self.relief = budget * np.minimum(_padded(self.least, max(lattice.shape)), 0.0)
        self._bottom, self._factors = self.base_table + self.relief, self.weights[:, None]
        self.shift = np.zeros((len(costs), max(lattice.shape)), np.int64)
        at = 0
        for i, own in enumerate(costs):
            for level, cost in enumerate(own):
                self.shift[i, level] = at
                at += len(cost.extra)
        self.extra = np.concatenate([cost.extra for own in costs for cost in own])
        self.cheapest, self.cheapest_at = _cheapest(lattice, costs)
        self.totals = np.concatenate([level.counts for own in levels for level in own]).astype(kind)

    def score(self, tally: Tally) -> float:
        parts = self._weighted(tally)
        if self.adds_up:
            whole: float = reduce(add, parts.tolist())  # in the order of the attributes, as floors are
            return whole / len(parts) if self.aggregate == "mean" else whole
        return float(self._combined(list(parts[:, None]))[0])

    def rank(self, tally: Tally) -> tuple[float, ...]:
        """Return what the attributes cost, from the most on, where they are compared one after the other."""
        return tuple(np.sort(self._weighted(tally))[::-1].tolist()) if self.aggregate == "rank" else ()

    def _weighted(self, tally: Tally) -> Floats:
        values = self.base_table[self._rows, tally.node]
        values += tally.costs
        if self.entropy:
            values += self.entropy * tally.bits
        return np.asarray(values * self.weights)

    def at_least(self, node: Node) -> float:
        """Return the cost of the levels."""
        parts = [self._line(i, slice(level, level + 1)) * self.weights[i] for i, level in enumerate(node)]
        return float(self._combined(parts)[0])

    def floors(self, lattice: Lattice) -> Floats:
        """Return the cost of every node with every record kept."""
        parts: list[Floats] = []
        for i in range(len(self.base)):
            line = self._line(i, slice(None)) * self.weights[i]
            parts.append(line.reshape([-1 if j == i else 1 for j in range(len(self.base))]))
        return np.asarray(self._combined(parts), np.float64)

    def raise_below(self, tally: Tally, floors: Floats, strides: Ints, limit: float) -> None:
        """Raise the floors of the nodes at or below a counted one by what they must leave out."""
        if self.aggregate == "geometric-mean":
            lines = (self.base_table + self.relief + tally.lines) * self.weights[:, None]
            parts = np.ix_(*(lines[i, : level + 1] for i, level in enumerate(tally.node)))
            held = floors.reshape([int(extent) for extent in self.extents])
            part = held[tuple(slice(0, level + 1) for level in tally.node)]
            np.maximum(part, self._combined(parts), out=part)
            part[part > limit] = inf
            return
        node = np.array(tally.node, np.int64)
        raise_box_by_lines(floors, strides, node, self.shares(tally.lines), self.largest, limit)

    @property
    def largest(self) -> bool:
        """Whether the largest attribute counts instead of their sum."""
        return self.aggregate in ("maximum", "rank")

    def shares(self, more: Floats | float = 0.0) -> Floats:
        """Return what each attribute contributes at least at each level, and ``more``; :meth:`whole` puts them together."""
        parts = (self._bottom + more) * self._factors
        if self.aggregate == "geometric-mean":
            parts = np.log1p(parts)
        return np.asarray(parts / len(self.base) if self.aggregate in ("mean", "geometric-mean") else parts)

    @property
    def adds_up(self) -> bool:
        """Whether attributes add up to the cost as they are."""
        return self.aggregate in ("mean", "sum")

    @cached_property
    def shown_bits(self) -> Floats:
        """The bits that a value of each attribute shows at each level: ``-sum of p log2 p``."""
        out = np.zeros(self.shift.shape)
        for i, at, counts in self._counts():
            share = counts[counts > 0] / counts.sum()
            out[i, at] = -(share * np.log2(share)).sum()
        return out

    @cached_property
    def leaving_shares(self) -> Floats:
        """What leaving out a record adds at each level on average, as :meth:`shares` counts it."""
        out = self.entropy * self.shown_bits
        for i, at, counts in self._counts():
            begin = self.shift[i, at]
            out[i, at] += counts @ self.extra[begin : begin + len(counts)] / counts.sum()
        out *= self.weights[:, None]
        return np.asarray(out / len(self.base) if self.aggregate == "mean" else out)

    def _counts(self) -> Iterator[tuple[int, int, Ints]]:
        """Yield each attribute and level with the records of every value."""
        for i, extent in enumerate(self.extents):
            for level in range(extent):
                begin = self.shift[i, level]
                yield i, level, self.totals[begin : begin + self.widths[i, level]]

    def whole(self, contributed: float) -> float:
        """Return the cost of a node from what its attributes contribute."""
        return float(np.expm1(contributed)) if self.aggregate == "geometric-mean" else contributed

    def _line(self, index: int, levels: slice) -> Floats:
        """Return the floor of one attribute."""
        return np.asarray((self.base_table + self.relief)[index, : self.extents[index]][levels])

    def _combined(self, parts: Sequence[Floats]) -> Floats:
        """Put attributes together as :func:`sfumato.metrics.aggregation.combine` does, for many nodes at once."""
        match self.aggregate:
            case "mean":
                return _folded(np.add, parts) / len(parts)
            case "sum":
                return _folded(np.add, parts)
            case "geometric-mean":
                return np.asarray(np.expm1(_folded(np.add, [np.log1p(part) for part in parts]) / len(parts)))
            case _:
                return _folded(np.maximum, parts)


def _padded(lines: Sequence[Floats], width: int) -> Floats:
    out = np.zeros((len(lines), width))
    for row, line in zip(out, lines, strict=True):
        row[: len(line)] = line
    return out


def _cheapest(lattice: Lattice, costs: Sequence[Sequence[LevelCost]]) -> tuple[Floats, Ints]:
    """Return what leaving out a record costs at least at a level, by its value at a higher one.

    What attribute i costs at level l by the values of level h begins at ``[i, l, h]`` of the second.
    """
    parts: list[Floats] = []
    places = np.zeros_like(lattice.offset)
    at = 0
    for i, own in enumerate(costs):
        for high in range(len(own)):
            for low in range(high + 1):
                extra, start = own[low].extra, lattice.offset[i, low, high]
                least = np.full(len(own[high].extra), inf)
                np.minimum.at(least, lattice.maps[start : start + len(extra)], extra)
                places[i, low, high] = at
                parts.append(least)
                at += len(least)
    return np.concatenate(parts), places


def _folded(operation: np.ufunc, parts: Sequence[Floats]) -> Floats:
    out = parts[0]
    for part in parts[1:]:
        out = operation(out, part)
    return out


class SizeCost(Cost):
    """A cost of group sizes alone, such as discernibility."""

    def __init__(self, metric: DataMetric, terms: SizeTerms) -> None:
        self.metric = metric
        self.terms = terms

    def score(self, tally: Tally) -> float:
        return self.terms.score(tally.price)

    def rising(self, tally: Tally) -> float:
        return self.terms.above(tally.price)

    def below(self, tally: Tally) -> float:
        return self.terms.below(tally.price)


class MeasuredCost(Cost):
    """Any metric, measured node by node; if merging can only raise it and nothing may be left out, a node bounds those above.

    ``measure`` is asked for the node as it would be published, or with every record kept: a node that fails charges records
    that a node above it may keep.
    """

    def __init__(self, metric: DataMetric, measure: Callable[[Node, bool], float], *, rises: bool) -> None:
        self.metric = metric
        self.measure = measure
        self.rises = rises and metric.rises_under_merge()

    def score(self, tally: Tally) -> float:
        """Return the metric's value at a node; what is better when higher counts negative."""
        value = float(self.measure(tally.node, False))
        return value if self.metric.traits.better == "lower" else -value

    def rising(self, tally: Tally) -> float:
        """Return the node's own cost with every record kept, where merging can only raise it."""
        return float(self.measure(tally.node, True)) if self.rises else -inf


def cost_of(
    metric: DataMetric,
    lattice: Lattice,
    table: CompressedTable,
    budget: float,
    measure: Callable[[Node, bool], float],
    lightest: float = 1.0,
) -> Cost:
    """Return the cost that a metric puts on nodes.

    ``measure`` gives the metric's own value at a node, as published or with every record kept. Rows may be weighed by the
    persons that records stand for, of which a record has ``lightest`` at least.
    """
    terms = metric.lattice_terms(lattice.names)
    if isinstance(terms, SizeTerms):
        # What lies below is bounded by groups of one, which may be smaller if records stand for less than a person.
        return SizeCost(metric, terms if lightest >= 1 else SizeTerms(terms.score, terms.above))
    found = None if terms is None else _attribute_cost(metric, terms, lattice, table, budget)
    return found or MeasuredCost(metric, measure, rises=budget == 0)


def _attribute_cost(
    metric: DataMetric, terms: LevelTerms, lattice: Lattice, table: CompressedTable, budget: float
) -> AttributeCost | None:
    levels = [
        [_level(lattice, table, index, level) for level in range(extent)] for index, extent in enumerate(lattice.shape)
    ]
    costs = [[terms.of(level) for level in own] for own in levels]
    known = [[cost for cost in own if cost is not None] for own in costs]
    if known != costs and terms.aggregate == "rank":
        raise Unsupported(
            "attributes that are compared one after the other need a cost for every level, which a hierarchy of leaves at "
            "different depths does not give",
            thing=metric.id,
            alternatives=["maximum", "mean", "sum", "geometric-mean"],
        )
    return AttributeCost(metric, terms, lattice, levels, known, budget, table.weights.dtype) if known == costs else None


def _level(lattice: Lattice, table: CompressedTable, index: int, level: int) -> Level:
    tree, nodes, code = lattice.trees[index], lattice.values[index][level], lattice.code[index][level]
    raw = table.dictionaries[lattice.names[index]].counts.astype(np.float64)
    depth = tree.depth.astype(np.float64)
    return Level(
        level,
        tree.height,
        bool((depth[tree.level_nodes[0]] == tree.height).all() and (tree.span == 1).all()),
        tree.leaf_count[nodes].astype(np.float64),
        len(tree.leaves),
        depth[nodes],
        np.bincount(code, weights=raw, minlength=len(nodes)).astype(np.float64),
        table.weights.sum().item(),
        raw,
        code.astype(np.int64),
        depth[lattice.values[index][0]][lattice.code[index][0]],
    )
