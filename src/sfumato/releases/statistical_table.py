"""Statistical table: counts and sums by cell, with the cells left empty that would tell too much."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from math import fsum
from typing import ClassVar

import numpy as np

from sfumato.contracts.built import Built
from sfumato.contracts.certificate import Statement
from sfumato.contracts.columns import arrow_of, check_columns, made, numbers_of
from sfumato.contracts.engine import Table
from sfumato.contracts.knowledge import Seen
from sfumato.contracts.model import TableModel, Verdict
from sfumato.contracts.publication import Publication
from sfumato.contracts.release import NOTHING_BESIDE, Beside, Parts, ReleaseKind, ReleaseTraits
from sfumato.contracts.thing import column, columns, param
from sfumato.data.json import Json
from sfumato.data.messages import say
from sfumato.data.schema import ColumnType, Role
from sfumato.errors import BadRequest, Unsupported
from sfumato.groups.stats import GroupStats
from sfumato.kernels.arrays import Bools

__all__ = ["StatisticalTable", "complementary", "lonely_lines"]

Mask = Bools


class StatisticalTable(ReleaseKind):
    """Counts, and sums of one column, by cell; cells that would tell too much are left empty.

    One row for each combination of the columns ``by`` that occurs: how many records it has, and the sum of ``total`` if
    one is named. An empty cell was suppressed: too few records (``least``), a sum that ``n`` records make up by more
    than ``k`` percent (dominance), an overlap with earlier tables, or to hide another cell (complementary suppression).
    A reader can check that published counts are not too small; contributions are not published, so dominance cannot be
    seen.

    A suppressed cell that is alone in its line (all columns but one fixed) follows from the total of that line, if
    anybody publishes it. With ``complement="suppress"`` no line of several cells has exactly one suppressed cell.

    Examples
    --------
    >>> from sfumato.engines import from_rows
    >>> table = from_rows(["area", "pay"], [("north", 10), ("north", 12), ("south", 90)])
    >>> built = StatisticalTable.build(table, ["area"], total="pay", suppressed=[False, True], least=2)
    >>> built.tables["data"].to_rows()
    [('north', 2, 22), ('south', None, None)]
    >>> StatisticalTable(by=("area",), total="pay", least=2).guarantee(built.tables)
    {'smallest_cell': 2, 'suppressed_cells': 1}

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 5.4.
    Cox, "Suppression methodology and statistical disclosure control", 1980, doi:10.1080/01621459.1980.10477481.
    """

    id: ClassVar[str] = "statistical-table"
    stated: ClassVar[tuple[str, ...]] = ("total", "n", "k", "complement")
    traits: ClassVar[ReleaseTraits] = ReleaseTraits(
        truthful=True,
        mixed_granularity=False,
        verifiable=say("verifiable.cells"),
        published="groups",
        stops=frozenset({"record", "attribute"}),
    )
    nouns: ClassVar[tuple[str, str]] = (say("noun.cell"), say("noun.cells"))
    by_members: ClassVar[bool] = True

    made_from = "cells"

    by: tuple[str, ...] = columns("quasi-identifier", some=True, doc="columns whose combinations are the cells")
    total: str | None = column("sensitive", default=None, doc="column that is summed, if any")
    least: int | None = param(default=None, ge=1, doc="fewest records of a published cell")
    n: int | None = param(default=None, ge=1, doc="how many of the largest contributions the dominance rule adds up")
    k: float | None = param(default=None, gt=0, le=100, doc="largest share of a sum, in percent, that they may make up")
    complement: str = param(
        default="warn", choices=("warn", "suppress"), doc="whether further cells are suppressed to hide single ones"
    )

    def validate(self) -> None:
        """Refuse names that clash."""
        names = self._columns()
        if len(set(names)) < len(names):
            raise BadRequest("two published columns would have the same name", parameter=f"{self.id}.by", value=self.by)
        if (self.n is None) != (self.k is None):
            raise BadRequest("give n and k, or neither", parameter=f"{self.id}.n")

    def _columns(self) -> list[str]:
        return [*self.by, "Count", *([] if self.total is None else ["Sum"])]

    @classmethod
    def build(
        cls,
        table: Table,
        by: Sequence[str],
        *,
        total: str | None = None,
        suppressed: Sequence[bool] | Mask | None = None,
        least: int | None = None,
        n: int | None = None,
        k: float | None = None,
        complement: str = "warn",
    ) -> Built:
        """Return the table of cells, in the order of ``table.groups(by)``; ``suppressed`` tells which are left empty."""
        kind = cls(by=tuple(by), total=total, least=least, n=n, k=k, complement=complement)
        check_columns(table, "by", kind.by)
        check_columns(table, "total", () if total is None else (total,))
        groups = table.groups(kind.by)
        hidden = np.zeros(len(groups), bool) if suppressed is None else np.asarray(suppressed, bool)
        if hidden.shape != (len(groups),):
            raise BadRequest(f"needs one entry for each of the {len(groups):,} cells", parameter="suppressed")
        keys = [groups.key(at) for at in range(len(groups))]
        cell = {key: at for at, key in enumerate(keys)}
        numbers = np.array([cell[row] for row in table.select(kind.by).to_rows()], np.int64)
        held = arrow_of(table, kind.by)
        first = np.unique(numbers, return_index=True)[1]
        published: dict[str, object] = {name: held.column(name).take(first) for name in kind.by}
        published["Count"] = _cells(groups.sizes.tolist(), hidden)
        if total is not None:
            order = np.argsort(numbers, kind="stable")
            values = numbers_of(table, [total])[order, 0]
            # Exact sums, so that the order of the records leaves no trace in the last digits.
            added = [fsum(part) for part in np.split(values, np.cumsum(groups.sizes)[:-1])]
            whole = table.types[total] is ColumnType.INTEGER
            published["Sum"] = _cells([round(one) if whole else one for one in added], hidden)
        data = made(published, table.home)
        kind.groups(data)
        return Built(kind, {"data": data})  # a record is in the cell of its own values

    def roles(self) -> Mapping[str, Role]:
        return {**dict.fromkeys(self.by, Role.QUASI_IDENTIFIER), "Count": Role.PLAIN, "Sum": Role.PLAIN}

    def _read(self, parts: Parts) -> tuple[list[tuple[Hashable, ...]], list[float | None]]:
        """Return the cells and their counts; refuse a table that is none of this kind."""
        data = self.tables(parts)["data"]
        wanted = tuple(self._columns())
        if data.columns != wanted:
            raise BadRequest("does not hold the columns of cells", parameter="data", available=wanted)
        rows = data.to_rows()
        width = len(self.by)
        cells, counts = [row[:width] for row in rows], [row[width] for row in rows]
        if len(set(cells)) < len(cells):
            raise BadRequest("lists a cell twice", parameter="data")
        for row in rows:
            if self.total is not None and (row[width] is None) != (row[width + 1] is None):
                raise BadRequest("a cell is empty in part", parameter="data")
        if any(count is not None and (not float(count).is_integer() or count < (self.least or 1)) for count in counts):
            raise BadRequest(f"must be whole numbers of at least {self.least or 1}", parameter="data", column="Count")
        return cells, counts

    def groups(self, parts: Parts) -> GroupStats:
        """Return the published cells with their counts."""
        cells, counts = self._read(parts)
        hidden = np.array([count is None for count in counts], bool)
        lonely = lonely_lines(cells, hidden)
        if self.complement == "suppress" and lonely:
            raise BadRequest(
                f"{lonely:,} lines have exactly one empty cell, which their total gives away", parameter="data"
            )
        shown = [(cell, int(count)) for cell, count in zip(cells, counts, strict=True) if count is not None]
        keys = tuple([cell[at] for cell, _ in shown] for at in range(len(self.by)))
        return GroupStats(self.by, keys, np.array([count for _, count in shown], np.int64))

    def seen(self, parts: Parts) -> Seen:
        """Return the cells that are not left empty, each with its count."""
        found = super().seen(parts)
        shown = found.table.select([*self.by, "Count"]).known(["Count"])
        return replace(found, table=shown, weights="Count", roles=dict.fromkeys(self.by, Role.QUASI_IDENTIFIER))

    def verify(
        self, parts: Parts, models: Sequence[TableModel], qids: Sequence[str], beside: Beside = NOTHING_BESIDE
    ) -> list[Verdict]:
        """Judge the published counts; refuse requirements on anything but the number of records."""
        groups = self.groups(parts)
        for model in models:
            if not model.traits.by_size_alone:
                raise Unsupported(f"{model.id} cannot be counted in a {self.id}", thing=model.id)
        return [model.judge(Publication(explicit=groups)) for model in models]

    def guarantee(self, parts: Parts) -> dict[str, Json]:
        """Return the smallest published count and the number of empty cells."""
        _, counts = self._read(parts)
        shown = [int(count) for count in counts if count is not None]
        return {"smallest_cell": min(shown, default=0), "suppressed_cells": len(counts) - len(shown)}

    def statement(self) -> Statement:
        checked = [say("statement.cells_once")]
        if self.least is not None:
            checked.append(say("statement.cells_least", least=self.least))
        if self.complement == "suppress":
            checked.append(say("statement.lines_not_alone"))
        hidden = [say("statement.sums_true")]
        if self.n is not None:
            hidden.append(say("statement.cells_dominated", n=self.n, share=self.k))
        return Statement(checked, hidden)


def _cells(values: Sequence[float], hidden: Mask) -> object:
    import pyarrow as pa

    kind = pa.int64() if all(isinstance(value, int) for value in values) else pa.float64()
    return pa.array([None if gone else value for value, gone in zip(values, hidden.tolist(), strict=True)], kind)


def lonely_lines(cells: Sequence[tuple[Hashable, ...]], hidden: Mask) -> int:
    """Return the number of lines of several cells with exactly one hidden cell.

    >>> lonely_lines([("a", 1), ("a", 2), ("b", 1), ("b", 2)], np.array([True, False, False, True]))
    4
    """
    return len(_lonely(cells, hidden))


def _lonely(cells: Sequence[tuple[Hashable, ...]], hidden: Mask) -> list[list[int]]:
    """Return the lines of several cells with exactly one hidden cell, as positions of their cells."""
    out = []
    for fixed in range(len(cells[0]) if cells else 0):
        lines: dict[tuple[Hashable, ...], list[int]] = {}
        for at, cell in enumerate(cells):
            lines.setdefault(cell[:fixed] + cell[fixed + 1 :], []).append(at)
        out += [line for line in lines.values() if len(line) > 1 and hidden[line].sum() == 1]
    return out


def complementary(cells: Sequence[tuple[Hashable, ...]], hidden: Mask, weights: Sequence[float]) -> Mask:
    """Hide further cells, the lightest of each line, until no line of several cells has exactly one hidden cell.

    >>> cells = [("a", 1), ("a", 2), ("a", 3), ("b", 1), ("b", 2), ("b", 3)]
    >>> complementary(cells, np.array([True, *[False] * 5]), [1, 5, 4, 7, 8, 9]).tolist()
    [True, False, True, True, False, True]
    """
    out = hidden.copy()
    while lines := _lonely(cells, out):
        for line in lines:
            if out[line].sum() == 1:
                out[min((at for at in line if not out[at]), key=lambda at: (weights[at], at))] = True
    return out
