"""Adversarial mining suppression: further cells are hidden until no rule of the rest restores a hidden one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import ClassVar

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.thing import Thing, param
from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest, Unsupported
from sfumato.kernels.arrays import Bools, Codes
from sfumato.recodings._records import Records, refuse_columns
from sfumato.recodings.cell_suppression import CellSuppression

__all__ = ["AdversarialMiningSuppression", "Hiding", "RecoveringRule"]

Cell = tuple[int, str]
_EXACT_CELLS = 64


@frozen
class RecoveringRule:
    """Records like a hidden cell's in ``columns``: ``records`` of them show its column, ``support`` its value."""

    cell: Cell
    columns: tuple[str, ...]
    support: int
    records: int


@frozen
class Hiding:
    """Cells hidden beside those that were asked for, in order; the rules that restored something before."""

    extra: tuple[Cell, ...]
    rules_before: tuple[RecoveringRule, ...]


class AdversarialMiningSuppression(Thing):
    """Hide cells at their owners' wish, and as few others as it takes that rules learnt from the rest do not restore them.

    A hidden cell (r, c) is recoverable iff some rule with up to ``size`` visible cells of record r as its left side has at
    least ``support`` records that show the true value of c, and these are at least ``confidence`` of the records that show
    those cells and any value of c. What the column tells by itself no hiding in the record can change. Cells that are hidden
    for protection count as hidden ones. Greedy: the visible cell that breaks most rules is hidden (then the earliest record,
    then the first column), until no rule is left; then each is shown again if nothing becomes recoverable by it.
    :meth:`fewest` tries every set of cells, for small tables.

    Examples
    --------
    >>> from sfumato.engines import from_rows
    >>> rows = [("Dancer", "F", "HIV"), ("Dancer", "F", "HIV"), ("Dancer", "M", "HIV"), ("Clerk", "F", "Flu")]
    >>> table = from_rows(["Job", "Sex", "Disease"], rows)
    >>> hiding = AdversarialMiningSuppression(cells=((0, "Disease"),), support=2, confidence=0.8)
    >>> [(rule.columns, rule.support, rule.records) for rule in hiding.recovering(table)]
    [(('Job',), 2, 2)]
    >>> hiding.hide(table).extra
    ((0, 'Job'),)
    >>> hiding.apply(table).to_rows()[0]
    ('*', 'F', '*')

    References
    ----------
    Aggarwal, Pei, Zhang, "On privacy preservation against adversarial data mining", 2006, doi:10.1145/1150402.1150460.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 17.2.
    """

    kind: ClassVar[str] = "operation"
    id: ClassVar[str] = "adversarial-mining-suppression"

    cells: tuple[tuple[int, str], ...] = param(
        doc="pairs of row number and column that are hidden at their owner's wish"
    )
    support: int = param(default=2, ge=1, doc="fewest records of a rule that somebody would trust")
    confidence: float = param(default=0.8, gt=0, le=1, doc="smallest confidence of a rule that somebody would trust")
    size: int = param(default=2, ge=1, le=5, doc="largest number of cells on the left side of a rule")
    marker: str = param(default="*", doc="what is published instead")

    def validate(self) -> None:
        """Refuse to hide nothing."""
        if not self.cells:
            raise BadRequest("must name at least one cell", parameter=f"{self.id}.cells")

    def recovering(self, table: Table) -> tuple[RecoveringRule, ...]:
        """Return the rules that restore a hidden cell, by cell, then with fewer columns first."""
        seen = _Seen.of(table, self.cells)
        return tuple(self._restoring(seen, self._asked()))

    def hide(self, table: Table) -> Hiding:
        """Return what else must be hidden."""
        seen, asked = _Seen.of(table, self.cells), self._asked()
        before = tuple(self._restoring(seen, asked))
        extra: list[Cell] = []
        rules = list(before)
        while rules:
            broken: dict[Cell, int] = {}
            for rule in rules:
                for column in rule.columns:
                    broken[rule.cell[0], column] = broken.get((rule.cell[0], column), 0) + 1
            place = {name: at for at, name in enumerate(seen.names)}
            worst = min(broken, key=lambda cell: (-broken[cell], cell[0], place[cell[1]]))
            extra.append(worst)
            seen.hide(worst)
            rules = list(self._restoring(seen, [*asked, *extra]))
        for cell in list(extra):
            seen.show(cell)
            left = [one for one in extra if one != cell]
            if next(self._restoring(seen, [*asked, *left]), None) is None:
                extra = left
            else:
                seen.hide(cell)
        order = {name: at for at, name in enumerate(seen.names)}
        return Hiding(tuple(sorted(extra, key=lambda cell: (cell[0], order[cell[1]]))), before)

    def fewest(self, table: Table) -> list[tuple[Cell, ...]]:
        """Return every smallest set of further cells that leaves nothing recoverable, by trying all; for small tables."""
        seen, asked = _Seen.of(table, self.cells), self._asked()
        open_cells = [(row, name) for row in range(len(seen.shown)) for name in seen.names if (row, name) not in asked]
        if len(open_cells) > _EXACT_CELLS:
            raise Unsupported(f"all sets of cells are tried for {_EXACT_CELLS} cells at most", thing=self.id)
        for count in range(len(open_cells) + 1):
            found = []
            for extra in combinations(open_cells, count):
                tried = _Seen(seen.names, seen.codes, seen.shown.copy())
                for cell in extra:
                    tried.hide(cell)
                if next(self._restoring(tried, [*asked, *extra]), None) is None:
                    found.append(extra)
            if found:
                return found
        return []

    def apply(self, table: Table) -> Table:
        """Return the table with the cells hidden, those that were asked for and the others."""
        hidden = (*self._asked(), *self.hide(table).extra)
        return CellSuppression(cells=hidden, marker=self.marker).apply(table)

    def _asked(self) -> list[Cell]:
        return list(dict.fromkeys((int(row), name) for row, name in self.cells))

    def _restoring(self, seen: _Seen, hidden: Iterable[Cell]) -> Iterator[RecoveringRule]:
        """Yield the rules that restore one of the hidden cells."""
        least = Fraction(str(self.confidence))
        for row, name in hidden:
            target = seen.names.index(name)
            known = seen.shown[:, target]
            like = known & (seen.codes[:, target] == seen.codes[row, target])
            alike = {
                at: seen.shown[:, at] & (seen.codes[:, at] == seen.codes[row, at])
                for at in range(len(seen.names))
                if at != target and seen.shown[row, at]
            }
            for count in range(1, self.size + 1):
                for columns in combinations(alike, count):
                    matching = known.copy()
                    for at in columns:
                        matching &= alike[at]
                    support, records = int((matching & like).sum()), int(matching.sum())
                    if support >= self.support and Fraction(support, records) >= least:
                        yield RecoveringRule((row, name), tuple(seen.names[at] for at in columns), support, records)


@dataclass(eq=False)
class _Seen:
    """A table as codes, and which of its cells are shown; an empty cell is a value like others."""

    names: tuple[str, ...]
    codes: Codes
    shown: Bools

    @classmethod
    def of(cls, table: Table, hidden: Iterable[Cell]) -> _Seen:
        """Return a table with some cells hidden."""
        cells = list(hidden)
        refuse_columns(table, [name for _, name in cells], f"{AdversarialMiningSuppression.id}.cells")
        for row, _ in cells:
            if not 0 <= row < table.rows:
                raise BadRequest(f"row must lie in 0..{table.rows - 1}", parameter="cells", value=str(row))
        names = tuple(table.columns)
        records = Records.of(table, names)
        seen = cls(names, records.codes, np.ones(records.codes.shape, np.bool_))
        for cell in cells:
            seen.hide(cell)
        return seen

    def hide(self, cell: Cell) -> None:
        """Hide one cell."""
        self.shown[cell[0], self.names.index(cell[1])] = False

    def show(self, cell: Cell) -> None:
        """Show one cell again."""
        self.shown[cell[0], self.names.index(cell[1])] = True
