"""Record suppression: records in groups that break a requirement are left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sfumato.contracts.engine import Table
from sfumato.contracts.thing import Thing, columns, param

__all__ = ["RecordSuppression"]


@dataclass(frozen=True, kw_only=True)
class RecordSuppression(Thing):
    """Records in groups smaller than k are left out.

    Dropped records leave the privacy check and stay in the penalties of the metrics.

    Examples
    --------
    >>> from sfumato.engines import from_rows
    >>> table = from_rows(["Job"], [("Engineer",), ("Lawyer",), ("Engineer",)])
    >>> RecordSuppression(qid=("Job",), k=2).apply(table).to_rows()
    [('Engineer',), ('Engineer',)]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 3.1.
    """

    id: ClassVar[str] = "record-suppression"
    kind: ClassVar[str] = "operation"

    qid: tuple[str, ...] = columns("quasi-identifier", doc="columns whose equal values make a group")
    k: int = param(ge=1, doc="smallest group that stays")

    def apply(self, table: Table) -> Table:
        """Return the table without the records of small groups, the rest in order."""
        groups = table.groups(self.qid)
        small = [groups.key(i) for i in range(len(groups)) if groups.sizes[i] < self.k]
        return table.drop_groups(self.qid, small) if small else table
