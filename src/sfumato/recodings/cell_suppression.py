"""Cell suppression: single values of single records become one symbol."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sfumato.contracts.engine import Table
from sfumato.contracts.thing import Thing, param
from sfumato.errors import BadRequest

__all__ = ["CellSuppression"]


@dataclass(frozen=True, kw_only=True)
class CellSuppression(Thing):
    """Single values of single records become ``*``, others of the same value stay.

    Groups are formed by equality of what is published, ``*`` being an ordinary symbol. A value and its suppressed twin
    then coexist, which a learner takes for two different values.

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
    kind: ClassVar[str] = "operation"

    cells: tuple[tuple[int, str], ...] = param(doc="pairs of row number and column")
    marker: str = param(default="*", doc="what is published instead")

    def apply(self, table: Table) -> Table:
        """Return the table with the cells masked."""
        for row, name in self.cells:
            if name not in table.types:
                raise BadRequest("is not a column", parameter=f"{self.id}.cells", value=name, available=table.columns)
            if not 0 <= row < table.rows:
                raise BadRequest(f"row must lie in 0..{table.rows - 1}", parameter=f"{self.id}.cells", value=row)
        return table.mask_cells(self.cells, self.marker)
