"""What a release will be used for, as choosers of cuts: to predict classes or numbers, or to answer queries."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from sfumato.algorithms.boxes._cheapest_cut_kernels import Queries, Targets, propose_for_queries, propose_for_targets
from sfumato.algorithms.boxes._median_partition import Cuts, Groups, Rows
from sfumato.contracts.algorithm import Attribute
from sfumato.data.compressed import CompressedTable
from sfumato.data.frozen import frozen
from sfumato.data.text import to_text
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Array, Bools, Codes, Floats, Ints
from sfumato.searches.box_space import BoxSpace

__all__ = ["QueryCuts", "Selection", "TargetCuts", "read_selections", "targets_of"]

_KEYS = {"where", "weight", "columns"}
_RANGE = {"low", "high"}


class _Cheapest(ABC):
    """Proposes the cheapest cut of each group, then the next cheapest."""

    def __init__(self, space: BoxSpace, least: int, min_gain: float) -> None:
        self.space, self.least, self.min_gain = space, least, min_gain

    def begin(self, groups: Groups) -> None:
        """Start before the first cut of each group."""
        self.last = np.tile(np.array([-np.inf, -1.0, -1.0]), (len(groups), 1))

    def propose(self, rows: Rows, groups: Groups, which: Ints) -> Cuts:
        """Return the next cut of some of the groups; the score is its cost per record."""
        asked, last = groups.taken(which), self.last[which]
        cuts = Cuts.none(len(which))
        self.fill(rows, asked, last, cuts)
        self.last[which] = last
        return cuts

    @abstractmethod
    def fill(self, rows: Rows, asked: Groups, last: Floats, cuts: Cuts) -> None:
        """Fill in the cuts."""


class TargetCuts(_Cheapest):
    """Cuts that leave the least disorder of classes and numbers in the parts."""

    def __init__(self, space: BoxSpace, least: int, min_gain: float, targets: Targets) -> None:
        # Inside numbers count in units of their variance, so that ties are found at any size; outside they count as they are.
        self.unit = 1.0 if targets.mixed else targets.scale
        super().__init__(space, least, min_gain / self.unit)
        self.targets = targets

    def fill(self, rows: Rows, asked: Groups, last: Floats, cuts: Cuts) -> None:
        propose_for_targets(
            rows.points, rows.weights, rows.order, asked.start, asked.end, self.space.axes, asked.low, asked.high,
            asked.size, self.targets, self.least, self.min_gain, last, cuts.axis, cuts.cut, cuts.score,
        )  # fmt: skip
        cuts.score[:] *= self.unit


class QueryCuts(_Cheapest):
    """Cuts after which the fewest records lie in boxes that a query meets, without being selected by it."""

    def __init__(
        self, space: BoxSpace, least: int, min_gain: float, selections: Sequence[Selection], codes: Codes
    ) -> None:
        super().__init__(space, least, min_gain)
        self.queries = _queries(space, selections, codes)
        names = {
            name for one in selections for name in (*one.where, *(space.names if one.columns is None else one.columns))
        }
        self.shown = np.array([name in names for name in space.names], np.bool_)

    def fill(self, rows: Rows, asked: Groups, last: Floats, cuts: Cuts) -> None:
        propose_for_queries(
            rows.points, rows.weights, rows.order, asked.start, asked.end, self.space.axes, asked.low, asked.high,
            asked.size, self.queries, self.shown, self.least, self.min_gain, last, cuts.axis, cuts.cut, cuts.score,
        )  # fmt: skip


# ---- targets -------------------------------------------------------------------------------------------------------------


def targets_of(
    table: CompressedTable, classes: Sequence[str], numbers: Sequence[str], *, joint: bool, standardize: bool
) -> Targets:
    """Return the targets of a table by row: columns of classes, and columns of numbers."""
    codes = [table.extra_codes[:, table.extra.index(name)].astype(np.int64) for name in classes]
    sizes = [len(table.dictionaries[name]) for name in classes]
    if joint and len(codes) > 1:
        key = codes[0]
        for more, size in zip(codes[1:], sizes[1:], strict=True):
            # Only tuples that occur get a number, so the product of all domains never has to fit.
            key = np.unique(key * size + more, return_inverse=True)[1].reshape(-1)
        codes, sizes = [key], [int(key.max()) + 1]
    shift = np.cumsum([0, *sizes])
    listed = [one + at for one, at in zip(codes, shift[:-1], strict=True)]
    values = [_centred(table, name, standardize) for name in numbers]
    variance = sum(float(one**2 @ table.weights) for one in values) / table.records
    return Targets(
        classes=_side_by_side(listed, len(table), np.int64),
        kinds=int(shift[-1]),
        numbers=_side_by_side(values, len(table), np.float64),
        scale=1.0 if standardize or variance == 0 else variance,
        mixed=bool(listed) and bool(values),
    )


_Kind = TypeVar("_Kind", np.int64, np.float64)


def _side_by_side(columns: Sequence[Array], rows: int, kind: type[_Kind]) -> npt.NDArray[_Kind]:
    return np.ascontiguousarray(np.stack(columns, axis=1).astype(kind)) if columns else np.empty((rows, 0), kind)


def _centred(table: CompressedTable, name: str, standardize: bool) -> Floats:
    """Return the numbers of a column around their mean, and by their standard deviation if asked for."""
    numbers = np.array(table.dictionaries[name].values, np.float64)[table.extra_codes[:, table.extra.index(name)]]
    numbers = numbers - numbers @ table.weights / table.records
    spread = float(np.sqrt(numbers**2 @ table.weights / table.records))
    return numbers / spread if standardize and spread > 0 else numbers


# ---- queries -------------------------------------------------------------------------------------------------------------


@frozen(eq=False)
class Selection:
    """One query of a workload: conditions by column, its weight, and the columns it shows, all if ``None``."""

    where: Mapping[str, object]
    weight: float
    columns: tuple[str, ...] | None


def read_selections(given: Sequence[object], attributes: Sequence[Attribute], parameter: str) -> list[Selection]:
    """Return the queries of a workload from plain data; columns must be quasi-identifiers."""
    names = [attribute.name for attribute in attributes]
    out = []
    for entry in given:
        if not isinstance(entry, Mapping) or not set(entry) <= _KEYS or not isinstance(entry.get("where", {}), Mapping):
            raise BadRequest("must be {where: conditions by column, weight, columns}", parameter=parameter)
        where, weight, shown = entry.get("where", {}), entry.get("weight", 1), entry.get("columns")
        if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not 0 < weight < np.inf:
            raise BadRequest("weight must be a positive number", parameter=parameter, value=weight)
        if shown is not None and not isinstance(shown, (list, tuple)):
            raise BadRequest("columns must be a list", parameter=parameter, value=shown)
        for name in (*where, *(shown or ())):
            if name not in names:
                raise BadRequest("is not a quasi-identifier", parameter=parameter, value=name, available=names)
        out.append(Selection(dict(where), float(weight), None if shown is None else tuple(shown)))
    return out


def _queries(space: BoxSpace, selections: Sequence[Selection], codes: Codes) -> Queries:
    """Return what a kernel reads of a workload."""
    asked, depth = len(selections), len(space.names)
    points = space.points(codes)
    meets = np.ones((len(codes), asked), np.bool_)
    asks = np.zeros((asked, depth), np.bool_)
    low, high = np.zeros((asked, depth)), np.zeros((asked, depth))
    numeric = np.array([one.tree is None and one.type.numeric for one in space.attributes], np.bool_)
    lengths = [len(values) if one.tree is None else len(one.tree.leaves) for one, values in _axes(space)]
    starts = np.cumsum([0, *(length + 1 for length in lengths)])
    reach = np.zeros((asked, int(starts[-1])), np.int64)
    for q, selection in enumerate(selections):
        for name, condition in selection.where.items():
            at = space.names.index(name)
            attribute = space.attributes[at]
            asks[q, at] = True
            if numeric[at]:
                line = space.lines[at]
                assert line is not None
                low[q, at], high[q, at] = line.places(_numbers(name, condition))
                values = line.places(space.values[at])
                chosen = (values >= low[q, at]) & (values <= high[q, at])
            else:
                chosen = _chosen(attribute, space.values[at], condition)
            meets[:, q] &= chosen[points[:, at]]
            reach[q, starts[at] + 1 : starts[at + 1]] = np.cumsum(chosen)
    weight = np.array([selection.weight for selection in selections])
    return Queries(meets, weight, asks, numeric, low, high, reach)


def _axes(space: BoxSpace) -> Iterable[tuple[Attribute, Sequence[Hashable]]]:
    return zip(space.attributes, space.values, strict=True)


def _numbers(name: str, condition: Any) -> tuple[float, float]:
    """Return the range that a condition on numbers gives, both ends included."""
    ends = (condition["low"], condition["high"]) if _is_range(condition) else (condition, condition)
    if any(isinstance(end, bool) or not isinstance(end, (int, float)) for end in ends) or not ends[0] <= ends[1]:
        raise BadRequest(
            "must be a number, or {low, high} that rises", column=name, parameter="queries", value=str(condition)
        )
    return ends[0], ends[1]


def _is_range(condition: object) -> bool:
    return isinstance(condition, Mapping) and set(condition) == _RANGE


def _chosen(attribute: Attribute, values: Sequence[Hashable], condition: object) -> Bools:
    """Tell for each coordinate of a column that is no line of numbers whether a condition selects it."""
    tree = attribute.tree
    known: Sequence[Hashable] = values if tree is None else tree.leaves
    if isinstance(condition, Mapping):
        if not _is_range(condition) or not attribute.type.numeric:
            raise BadRequest(
                "must be a value or a list of values; {low, high} is for numbers",
                column=attribute.name,
                parameter="queries",
            )
        low, high = _numbers(attribute.name, condition)
        return np.array([low <= value <= high for value in cast("Sequence[float]", known)], np.bool_)
    out = np.zeros(len(known), np.bool_)
    place = {to_text(value): at for at, value in enumerate(known)}
    for value in condition if isinstance(condition, (list, tuple)) else [condition]:
        text = to_text(value)
        if tree is not None and text in tree.node_of:
            node = tree.node_of[text]
            out[tree.leaf_first[node] : tree.leaf_last[node]] = True
        elif text in place:
            out[place[text]] = True
        else:
            raise BadRequest(
                "is not a value of the column",
                column=attribute.name,
                parameter="queries",
                value=value,
                available=tree.labels if tree is not None else None,
            )
    return out
