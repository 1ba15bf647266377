"""What recodings of whole records share: a scale for each column, labels cell by cell, and the numbers metrics read."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.contracts.engine import Table
from sfumato.contracts.recoding import Recoding, TableRecoding
from sfumato.contracts.thing import param
from sfumato.data.text import to_text
from sfumato.errors import BadRequest
from sfumato.groups.published import AttributeStats, PublishedStats
from sfumato.groups.stats import GroupStats
from sfumato.recodings.scales import NumberScale, OrderScale, Scale, TreeScale
from sfumato.recodings.tree_recoding import as_tree, tree_state

__all__ = ["RecordRecoding", "cell_stats", "put_labels", "refuse_columns"]

Row = tuple[Any, ...]


def refuse_columns(table: Table, names: Sequence[str], parameter: str) -> None:
    """Refuse columns that a table does not have."""
    for name in names:
        if name not in table.types:
            raise BadRequest("is not a column of the table", parameter=parameter, value=name, available=table.columns)


def put_labels(table: Table, columns: Sequence[str], rows: Sequence[Row], labels: Sequence[Row]) -> Table:
    """Return the table with the cells of some columns replaced by labels; ``None`` and a value's own text change nothing.

    Columns in which nothing changes keep their type.
    """
    cells: dict[str, list[tuple[int, str]]] = {}
    for number, (old, new) in enumerate(zip(rows, labels, strict=True)):
        for name, value, label in zip(columns, old, new, strict=True):
            if label is not None and (value is None or label != to_text(value)):
                cells.setdefault(label, []).append((number, name))
    for label, chosen in cells.items():
        table = table.mask_cells(chosen, label)
    return table


@dataclass(frozen=True, kw_only=True)
class RecordRecoding(TableRecoding):
    """Cells become labels of their column's scale; which label depends on the record."""

    trees: Mapping[str, Any] | None = param(
        default=None, doc="tree of each column that has one: a Tree, or a nested mapping of value and children"
    )
    ranges: Mapping[str, Any] | None = param(
        default=None, doc="lowest and highest number of each column whose labels are intervals"
    )
    orders: Mapping[str, Any] | None = param(
        default=None, doc="all values, first to last, of each column whose labels are runs first..last"
    )

    def validate(self) -> None:
        """Take trees, ranges and orders in any form they are written in; each column has one of them."""
        self._settle("trees", self._tree)
        self._settle("ranges", self._range)
        self._settle("orders", self._order)
        names = [name for given in (self.trees, self.ranges, self.orders) for name in given or ()]
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise BadRequest("has more than one of tree, range and order", parameter=self.id, column=twice[0])
        if not names:
            raise BadRequest("needs trees, ranges or orders", parameter=f"{self.id}.trees")

    def _settle(self, parameter: str, read: Any) -> None:
        given = getattr(self, parameter)
        if given is None:
            return
        if not isinstance(given, Mapping):
            raise BadRequest("must map columns", parameter=f"{self.id}.{parameter}", value=given)
        object.__setattr__(self, parameter, {str(name): read(str(name), entry) for name, entry in given.items()})

    def _tree(self, column: str, given: Any) -> Any:
        try:
            return as_tree(given)
        except (TypeError, AttributeError):
            raise BadRequest("must be a tree", column=column, parameter=f"{self.id}.trees") from None

    def _range(self, column: str, given: Any) -> tuple[float, float]:
        try:
            low, high = given
            if low <= high:
                return low, high
        except (TypeError, ValueError):
            pass
        raise BadRequest(
            "must be two numbers, the lower one first", column=column, parameter=f"{self.id}.ranges", value=str(given)
        )

    def _order(self, column: str, given: Any) -> tuple[str, ...]:
        order = tuple(map(to_text, given)) if isinstance(given, (list, tuple)) else ()
        if not order or len(set(order)) < len(order) or any(".." in text or text == "*" for text in order):
            raise BadRequest(
                "must list different values, none of them * or with .. in it",
                column=column,
                parameter=f"{self.id}.orders",
            )
        return order

    @cached_property
    def scales(self) -> dict[str, Scale]:
        """What labels mean, column by column."""
        return {
            **{name: TreeScale(tree) for name, tree in (self.trees or {}).items()},
            **{name: NumberScale(*ends) for name, ends in (self.ranges or {}).items()},
            **{name: OrderScale(order) for name, order in (self.orders or {}).items()},
        }

    @property
    def recoded(self) -> tuple[str, ...]:
        """The columns this recoding looks at, in order."""
        return tuple(self.scales)

    def spec(self) -> dict[str, Any]:
        """Return id and parameters, ready for JSON: trees with the types of their leaves."""
        out = super().spec()
        if self.trees is not None:
            out["trees"] = {name: tree_state(tree) for name, tree in self.trees.items()}
        return out

    # ---- applying ----------------------------------------------------------------------------------------------------

    @abstractmethod
    def labels(self, rows: Sequence[Row], *, unknown: str = "declared") -> list[Row]:
        """Return the labels of the recoded columns of each record; ``None`` where a missing value stays missing."""

    def apply(self, table: Table, *, unknown: str = "declared") -> Table:
        """Return the recoded table; see :class:`TableRecoding`."""
        rows = self._rows(table)
        return put_labels(table, self.recoded, rows, self.labels(rows, unknown=unknown))

    def stands_for(self, column: str, label: Hashable, value: Hashable) -> bool:
        """Tell whether a published value may stand for a raw one."""
        scale = self.scales.get(column)
        if scale is None or value is None or label is None:
            return label == value
        text = to_text(label)
        return text in (to_text(value), scale.root) or (scale.knows(text) and scale.holds(text, value))

    def stats(
        self, table: Table, *, qid: Sequence[str] = (), histograms: Sequence[str] = (), unknown: str = "declared"
    ) -> PublishedStats:
        """Return what metrics read; see :class:`TableRecoding`."""
        rows = self._rows(table)
        labels = self.labels(rows, unknown=unknown)
        published = put_labels(table, self.recoded, rows, labels)
        return cell_stats(published, self.scales, rows, labels, qid or self.recoded, histograms)

    def _rows(self, table: Table) -> list[Row]:
        refuse_columns(table, self.recoded, self.id)
        return table.select(self.recoded).to_rows()

    def _same_scales(self, other: Recoding) -> bool:
        return (
            isinstance(other, type(self))
            and (self.trees or {}) == (other.trees or {})
            and (self.ranges or {}) == (other.ranges or {})
            and (self.orders or {}) == (other.orders or {})
        )


def cell_stats(
    published: Table,
    scales: Mapping[str, Scale],
    rows: Sequence[Row],
    labels: Sequence[Row],
    qid: Sequence[str],
    histograms: Sequence[str],
    dropped: Sequence[Row] = (),
) -> PublishedStats:
    """Return what metrics read, from raw and published cells of the columns that have a scale, and the records dropped."""
    groups = published.groups(qid, histograms)
    attributes, climb = {}, {}
    cover, domain = np.full((len(groups), len(scales)), np.nan), np.zeros(len(scales))
    for at, (name, scale) in enumerate(scales.items()):
        kept = Counter((row[at], shown[at]) for row, shown in zip(rows, labels, strict=True) if shown[at] is not None)
        lost = Counter((row[at], scale.raw(row[at])) for row in dropped if row[at] is not None)
        attributes[name] = _attribute(name, scale, kept, lost)
        if dropped:
            climb[name] = sum(max(scale.climbs(row[at], scale.root)[1], 0) for row in dropped)
        values = {row[at] for part in (rows, dropped) for row in part if row[at] is not None}
        domain[at] = len(values) if scale.continuous else scale.domain
        if name in groups.columns:
            keys = groups.keys[groups.columns.index(name)]
            known = {key: np.nan if key is None else _values(scale, to_text(key), values) for key in set(keys)}
            cover[:, at] = [known[key] for key in keys]
    sizes, group_of = _raw_groups(published, rows, groups, dropped)
    return PublishedStats(
        len(rows) + len(dropped),
        len(dropped),
        groups,
        attributes,
        climb,
        cover,
        sizes,
        group_of,
        suppressed_sizes=np.array(list(Counter(dropped).values()), np.int64),
        cover_domain=domain,
    )


def _attribute(
    name: str, scale: Scale, kept: Mapping[tuple[Hashable, str], int], lost: Mapping[tuple[Hashable, str], int]
) -> AttributeStats:
    pairs = list({**kept, **lost})
    numbers: dict[str, int] = {}
    climbs = [scale.climbs(value, label) for value, label in pairs]
    return AttributeStats(
        name,
        np.array([kept.get(pair, 0) for pair in pairs], np.int64),
        np.array([numbers.setdefault(label, len(numbers)) for _, label in pairs], np.int64),
        np.array([scale.covered(label) for _, label in pairs], np.float64),
        scale.domain,
        np.array([climb for climb, _ in climbs], np.int64),
        np.array([climb for _, climb in climbs], np.int64),
        scale.continuous,
        np.array([lost.get(pair, 0) for pair in pairs], np.int64),
    )


def _values(scale: Scale, label: str, occurring: Collection[Hashable]) -> float:
    """Return how many raw values a label stands for; of numbers, those that occur."""
    return float(sum(scale.holds(label, value) for value in occurring)) if scale.continuous else scale.covered(label)


def _raw_groups(
    published: Table, rows: Sequence[Row], groups: GroupStats, dropped: Sequence[Row]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the distinct raw records, parted by the group they are published in, with their counts."""
    number = {key: group for group, key in enumerate(zip(*groups.keys, strict=True))}
    shown = published.select(groups.columns).to_rows()
    counts = Counter((row, number[key]) for row, key in zip(rows, shown, strict=True))
    counts.update((row, -1) for row in dropped)
    return np.array(list(counts.values()), np.int64), np.array([group for _, group in counts], np.int64)
