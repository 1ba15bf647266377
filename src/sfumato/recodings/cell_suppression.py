"""Cell suppression: single values of single records become one symbol."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import ClassVar

from sfumato.contracts.engine import Table
from sfumato.contracts.recoding import Recoding, TableRecoding
from sfumato.contracts.thing import param
from sfumato.data.text import to_text
from sfumato.errors import BadRequest, Unsupported
from sfumato.groups.published import PublishedStats
from sfumato.recodings._records import Labels, Records, own_labels, put_labels, refuse_columns
from sfumato.recodings.record_recoding import cell_stats
from sfumato.recodings.scales import flat_scale

__all__ = ["CellSuppression"]


class CellSuppression(TableRecoding):
    """Single values of single records become ``*``, others of the same value stay.

    Groups are formed by equality of what is published, ``*`` being an ordinary symbol. A value and its suppressed twin
    then coexist, which a learner takes for two different values. A step is named by the cell, ``(row number, column)``.

    Examples
    --------
    >>> from sfumato.engines import from_rows
    >>> table = from_rows(["Job"], [("Engineer",), ("Engineer",)])
    >>> CellSuppression(cells=((0, "Job"),)).apply(table).to_rows()
    [('*',), ('Engineer',)]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 3.1.
    """

    id: ClassVar[str] = "cell-suppression"

    cells: tuple[tuple[int, str], ...] = param(doc="pairs of row number and column")
    marker: str = param(default="*", doc="what is published instead")

    @property
    def mixed_granularity(self) -> bool:
        """Whether any cell is suppressed: the same value may stand beside it."""
        return bool(self.cells)

    def apply(self, table: Table, *, unknown: str = "declared") -> Table:
        """Return the table with the cells masked; no value is unknown to it."""
        refuse_columns(table, [name for _, name in self.cells], f"{self.id}.cells")
        for row, _ in self.cells:
            if not 0 <= row < table.rows:
                raise BadRequest(f"row must lie in 0..{table.rows - 1}", parameter=f"{self.id}.cells", value=row)
        names = [name for name in table.columns if name in self._rows]
        records = Records.of(table, names)
        return put_labels(table, records, self._masked(records))

    def marks(self, column: str) -> tuple[str, ...]:
        """Return the marker where cells of the column are suppressed."""
        return (self.marker,) if column in self._rows else ()

    @cached_property
    def _rows(self) -> dict[str, list[int]]:
        """The rows of the suppressed cells of each column that has any."""
        out: dict[str, list[int]] = {}
        for row, name in self.cells:
            out.setdefault(name, []).append(row)
        return out

    def _masked(self, records: Records) -> Labels:
        out = {}
        for name, (codes, texts) in own_labels(records).items():
            shown = codes.copy()
            shown[self._rows.get(name, [])] = len(texts)
            out[name] = (shown, [*texts, self.marker])
        return out

    def _stats(
        self, table: Table, qid: tuple[str, ...], histograms: Sequence[str], unknown: str, published: Table | None
    ) -> PublishedStats:
        """Return what metrics read; a suppressed cell may be any value of its column."""
        published = self.apply(table) if published is None else published
        names = qid or tuple(name for name in table.columns if name in self._rows)
        refuse_columns(table, names, "qid")
        records = Records.of(table, names)
        scales = {name: flat_scale(values, self.marker) for name, values in zip(names, records.values, strict=True)}
        return cell_stats(published, scales, records, self._masked(records), names, histograms)

    def stands_for(self, column: str, label: Hashable, value: Hashable) -> bool:
        """Tell whether a published value is the raw one, or the symbol."""
        return label in (value, self.marker) or (value is not None and label == to_text(value))

    def refine(self, value: tuple[int, str]) -> CellSuppression:
        """Disclose a cell."""
        if value not in self.cells:
            raise BadRequest("is not suppressed", parameter="value", value=str(value))
        return self._with(cell for cell in self.cells if cell != value)

    def generalize(self, value: tuple[int, str]) -> CellSuppression:
        """Suppress one more cell."""
        if value in self.cells:
            raise BadRequest("is suppressed already", parameter="value", value=str(value))
        return self._with((*self.cells, value))

    def is_finer_than(self, other: Recoding) -> bool:
        """Tell whether the other suppresses all of these cells."""
        return set(self.cells) <= set(self._alike(other).cells)

    def common_refinement(self, other: Recoding) -> CellSuppression:
        """Return the recoding that suppresses the cells that both suppress."""
        return self._with(set(self.cells) & set(self._alike(other).cells))

    def _alike(self, other: Recoding) -> CellSuppression:
        if not isinstance(other, CellSuppression):
            raise Unsupported(f"{self.id} is compared with its like only", thing=self.id)
        return other

    def _with(self, cells: Iterable[tuple[int, str]]) -> CellSuppression:
        return replace(self, cells=tuple(sorted(cells)))

    def draw(self) -> str:
        """Return the suppressed cells, one to a line."""
        return "\n".join(f"row {row}, {name}: {self.marker}" for row, name in self.cells) or "no cell is suppressed"
