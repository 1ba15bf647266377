"""What a node of the lattice costs, and what it must cost at least before anybody looked at its groups.

A metric's own ``measure`` is the truth. Searching with it alone would mean to look at every node, so the common metrics are
also written here as sums over attributes or over groups: these give a floor under the cost of nodes not yet seen. Each is
tested against the metric it stands for. Any other metric is measured node by node.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.algorithms.lattice._box_kernels import raise_box_by_lines
from sfumato.contracts.metric import DataMetric
from sfumato.data.compressed import CompressedTable
from sfumato.errors import Unsupported
from sfumato.metrics.aggregation import factors
from sfumato.searches.lattice import Lattice, Node

__all__ = ["AttributeCost", "Cost", "GroupCost", "MeasuredCost", "Tally", "cost_of"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Tally:
    """What was counted at a node: groups and records, kept and left out, and what leaving out costs by attribute.

    Every node below leaves out the ``firm`` records too, for which ``firm_costs`` is a floor there, and ``loose`` others.
    """

    node: Node
    groups: int
    left_out: int
    kept: int
    kept_squares: float
    all_squares: float
    costs: Floats
    bits: Floats
    firm: int
    firm_costs: Floats
    loose: int

    @property
    def lasting(self) -> int:
        """How many records every node below must leave out."""
        return self.firm + self.loose


class Cost(ABC):
    """The cost of nodes under a metric; lower is better."""

    metric: DataMetric

    @abstractmethod
    def score(self, tally: Tally) -> float:
        """Return the cost of a node."""

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
        lattice: Lattice,
        base: Sequence[Floats],
        extra: Sequence[Sequence[Floats]],
        totals: Sequence[Sequence[Floats]],
        aggregate: str,
        weights: Floats,
        budget: int,
        entropy: float = 0.0,
    ) -> None:
        self.metric = metric
        self.aggregate = aggregate
        self.weights = weights
        self.budget = budget
        self.entropy = entropy
        self.base = list(base)
        self.extents = lattice.shape
        self.least = [np.array([level.min() for level in levels]) for levels in extra]
        self.base_table = _padded(self.base, max(lattice.shape))
        self.least_table = _padded(self.least, max(lattice.shape))
        self.shift = np.zeros((len(base), max(lattice.shape)), np.int64)
        at = 0
        for i, levels in enumerate(extra):
            for level, values in enumerate(levels):
                self.shift[i, level] = at
                at += len(values)
        self.extra = np.concatenate([values for levels in extra for values in levels])
        self.totals = np.concatenate([values for levels in totals for values in levels]).astype(np.int64)

    def score(self, tally: Tally) -> float:
        """Return the cost of a node."""
        values = np.array([self.base[i][level] for i, level in enumerate(tally.node)])
        values += tally.costs
        if self.entropy:
            values += self.entropy * tally.bits
        return float(self._combined(list(values * self.weights)))

    def at_least(self, node: Node) -> float:
        """Return the cost of the levels."""
        parts = [self._line(i, level) * self.weights[i] for i, level in enumerate(node)]
        return float(self._combined(parts))

    def floors(self, lattice: Lattice) -> Floats:
        """Return the cost of every node with every record kept."""
        parts: list[Any] = []
        for i in range(len(self.base)):
            line = self._line(i, slice(None)) * self.weights[i]
            parts.append(line.reshape([-1 if j == i else 1 for j in range(len(self.base))]))
        return np.asarray(self._combined(parts), np.float64)

    def raise_below(self, tally: Tally, floors: Floats, strides: Ints, limit: float) -> None:
        """Raise the floors of the nodes at or below a counted one by what they must leave out.

        A record that is left out costs the more the finer the levels are, so what it costs at a node is a floor below.
        """
        if self.aggregate == "geometric-mean":
            lines = [
                (self._line(i, slice(0, level + 1), tally.loose) + tally.firm_costs[i]) * self.weights[i]
                for i, level in enumerate(tally.node)
            ]
            box = np.asarray(self._combined([np.ix_(*lines)[i] for i in range(len(lines))]))
            held = floors.reshape([int(extent) for extent in self.extents])
            part = held[tuple(slice(0, level + 1) for level in tally.node)]
            np.maximum(part, box, out=part)
            part[part > limit] = inf
            return
        raise_box_by_lines(
            floors,
            strides,
            np.array(tally.node, np.int64),
            self.base_table,
            self.least_table,
            tally.firm_costs,
            tally.loose,
            self.budget,
            self.weights / len(self.base) if self.aggregate == "mean" else self.weights,
            self.aggregate == "maximum",
            limit,
        )

    def _line(self, index: int, levels: Any, loose: int = 0) -> Any:
        """Return the floor of one attribute; where leaving out is cheaper than masking, all that may go is taken to go."""
        least = self.least[index][levels]
        return self.base[index][levels] + np.where(least >= 0, loose, self.budget) * least

    def _combined(self, parts: list[Any]) -> Any:
        """Put attributes together as :func:`sfumato.metrics.aggregation.combine` does, for numbers or arrays alike."""
        match self.aggregate:
            case "mean":
                return _folded(np.add, parts) / len(parts)
            case "sum":
                return _folded(np.add, parts)
            case "geometric-mean":
                return np.expm1(_folded(np.add, [np.log1p(part) for part in parts]) / len(parts))
            case _:
                return _folded(np.maximum, parts)


def _padded(lines: Sequence[Floats], width: int) -> Floats:
    out = np.zeros((len(lines), width))
    for row, line in zip(out, lines, strict=True):
        row[: len(line)] = line
    return out


def _folded(operation: Any, parts: list[Any]) -> Any:
    out = parts[0]
    for part in parts[1:]:
        out = operation(out, part)
    return out


class GroupCost(Cost):
    """A cost of group sizes alone: discernibility, or the average group size."""

    def __init__(self, metric: Any, records: int, budget: int) -> None:
        self.metric = metric
        self.records = records
        self.budget = budget
        self.sizes = metric.id == "average-group-size"

    def score(self, tally: Tally) -> float:
        """Return the cost of a node."""
        metric: Any = self.metric
        if not self.sizes:
            if metric.variant == "monotone":
                return tally.all_squares
            return tally.kept_squares + float(self.records) * tally.left_out
        if metric.variant == "arx":
            one_more, each = factors(metric.gs_factor)
            count = tally.kept * each + (one_more if tally.left_out else 0.0)
            return self.records / count if count > 0 else inf
        return (self.records - tally.left_out) / (tally.kept * float(metric.k)) if tally.kept else inf

    def rising(self, tally: Tally) -> float:
        """Return the squares of all groups, which only grow; or the average if all groups could be kept."""
        metric: Any = self.metric
        if not self.sizes:
            return tally.all_squares
        if metric.variant == "arx":
            one_more, each = factors(metric.gs_factor)
            return self.records / (tally.groups * each + one_more) if each + one_more > 0 else -inf
        return (self.records - self.budget) / (tally.groups * float(metric.k))

    def below(self, tally: Tally) -> float:
        """Return what the records cost that must be left out."""
        metric: Any = self.metric
        if self.sizes or metric.variant == "monotone":
            return -inf
        return float(self.records) * tally.lasting + (self.records - tally.lasting)


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


# ---- the metrics that are sums over attributes --------------------------------------------------------------------------


def cost_of(
    metric: DataMetric, lattice: Lattice, table: CompressedTable, budget: int, measure: Callable[[Node, bool], float]
) -> Cost:
    """Return the cost that a metric puts on nodes.

    ``measure`` gives the metric's own value at a node, as published or with every record kept.
    """
    if metric.id in ("discernibility", "average-group-size"):
        return GroupCost(metric, table.records, budget)
    given: Any = metric
    if getattr(given, "aggregate", "sum") == "rank":
        raise Unsupported(
            "a ranking of attributes is not one number to search by",
            thing=metric.id,
            alternatives=["mean", "sum", "maximum", "geometric-mean"],
        )
    cells = _CELLS.get(metric.id)
    found = None if cells is None else _attribute_cost(given, lattice, table, cells, budget)
    return found or MeasuredCost(metric, measure, rises=budget == 0)


@dataclass(frozen=True, eq=False)
class _Level:
    """One level of one attribute: the values it shows, with what they cover and how many records have them."""

    level: int
    height: int
    even: bool
    covers: Floats
    domain: int
    depth: Floats
    counts: Floats
    records: int
    raw: Floats
    raw_value: Ints
    raw_depth: Floats


@dataclass(frozen=True)
class _Cells:
    """What the records of a level cost in all, and what leaving one out of each value adds."""

    total: float
    extra: Floats


def _attribute_cost(
    metric: Any, lattice: Lattice, table: CompressedTable, cells: Any, budget: int
) -> AttributeCost | None:
    base: list[Floats] = []
    extra: list[list[Floats]] = []
    totals: list[list[Floats]] = []
    for i, tree in enumerate(lattice.trees):
        counts = table.dictionaries[lattice.names[i]].counts.astype(np.float64)
        depth = tree.depth.astype(np.float64)
        leaf_depth = depth[tree.level_nodes[0]]
        found: list[_Cells] = []
        for level in range(lattice.shape[i]):
            nodes, code = lattice.values[i][level], lattice.code[i][level]
            made = cells(
                metric,
                _Level(
                    level,
                    tree.height,
                    bool((leaf_depth == tree.height).all()),
                    tree.leaf_count[nodes].astype(np.float64),
                    len(tree.leaves),
                    depth[nodes],
                    _counts(lattice, table, i, level),
                    table.records,
                    counts,
                    code.astype(np.int64),
                    depth[lattice.values[i][0]][lattice.code[i][0]],
                ),
            )
            if made is None:
                return None
            found.append(made)
        totals.append([_counts(lattice, table, i, level) for level in range(lattice.shape[i])])
        base.append(np.array([one.total for one in found]))
        extra.append([one.extra for one in found])
    given = getattr(metric, "weights", None) or {}
    weights = np.array([float(given.get(name, 1.0)) for name in lattice.names])
    if metric.id in ("loss", "precision", "non-uniform-entropy"):
        weights = weights / weights.max() if weights.max() > 0 else weights
    weights = weights * getattr(metric, "penalty", 1.0)
    entropy = 0.0
    if metric.id == "non-uniform-entropy" and metric.variant == "arx":
        if metric.normalized:
            return None
        entropy = factors(metric.gs_factor)[1]
    return AttributeCost(
        metric, lattice, base, extra, totals, getattr(metric, "aggregate", "sum"), weights, budget, entropy
    )


def _counts(lattice: Lattice, table: CompressedTable, index: int, level: int) -> Floats:
    """Return how many records have each value of an attribute at a level."""
    counts = table.dictionaries[lattice.names[index]].counts.astype(np.float64)
    code = lattice.code[index][level]
    return np.bincount(code, weights=counts, minlength=len(lattice.values[index][level])).astype(np.float64)


def _loss(metric: Any, at: _Level) -> _Cells:
    general, left_out = factors(metric.gs_factor)
    full = (at.domain - general) / at.domain
    if full <= 0:
        return _Cells(0.0, np.full(len(at.counts), 1.0 / at.records))
    kept = general * (at.covers - 1.0) / at.domain
    share = at.covers / at.domain
    gone = np.full(len(kept), full) if left_out == 1.0 else share + left_out * (1 - share) - general / at.domain
    return _Cells(float(kept @ at.counts) / (at.records * full), (gone - kept) / (at.records * full))


def _iloss(metric: Any, at: _Level) -> _Cells:
    kept = (at.covers - 1.0) / at.domain
    return _Cells(float(kept @ at.counts), (at.domain - 1.0) / at.domain - kept)


def _certainty_penalty(metric: Any, at: _Level) -> _Cells:
    kept = np.where(at.covers > 1, at.covers / at.domain, 0.0)
    return _Cells(float(kept @ at.counts), 1.0 - kept)


def _precision(metric: Any, at: _Level) -> _Cells | None:
    if not at.even:
        return None
    general, left_out = factors(metric.gs_factor)
    way = general * at.level / at.height if at.height else 0.0
    nothing = np.zeros(len(at.counts))
    return _Cells(way, nothing if metric.variant == "monotone" else nothing + (left_out - way) / at.records)


def _distortion(metric: Any, at: _Level) -> _Cells:
    climbed = at.raw_depth - at.depth[at.raw_value]
    return _Cells(float(climbed @ at.raw), at.depth)


def _entropy(metric: Any, at: _Level) -> _Cells | None:
    general, left_out = factors(metric.gs_factor)
    if metric.variant == "literature" and general != left_out:
        return None
    present = at.raw > 0
    bits = np.log2(at.counts[at.raw_value[present]] / at.raw[present]) @ at.raw[present]
    most = float(np.log2(at.records / at.raw[present]) @ at.raw[present])
    scale = 1.0
    if metric.normalized:
        scale = 1.0 / most if most > 0 else 0.0
    extra = (
        np.log2(at.records / np.maximum(at.counts, 1.0)) if metric.variant == "literature" else np.zeros(len(at.counts))
    )
    return _Cells(scale * general * float(bits), scale * general * extra)


_CELLS = {
    "loss": _loss,
    "iloss": _iloss,
    "normalized-certainty-penalty": _certainty_penalty,
    "precision": _precision,
    "minimal-distortion": _distortion,
    "non-uniform-entropy": _entropy,
}
