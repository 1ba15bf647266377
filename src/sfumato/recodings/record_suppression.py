"""Record suppression: records in groups that break a requirement are left out, or masked as a whole."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.recoding import Recoding, TableRecoding
from sfumato.contracts.thing import columns, param
from sfumato.data.text import to_text
from sfumato.errors import Unsupported
from sfumato.groups.published import PublishedStats
from sfumato.kernels.arrays import Bools
from sfumato.recodings._records import Labels, Records, Row, own_labels, put_labels, refuse_columns
from sfumato.recodings.record_recoding import cell_stats
from sfumato.recodings.scales import flat_scale

__all__ = ["RecordSuppression"]


class RecordSuppression(TableRecoding):
    """Records in groups smaller than k are left out, or masked on all quasi-identifiers.

    Dropped records leave the privacy check and stay in the penalties of the metrics. Masked records stay in the table as one
    more group, whose size is not looked at.

    Examples
    --------
    >>> from sfumato.engines import from_rows
    >>> table = from_rows(["Job"], [("Engineer",), ("Lawyer",), ("Engineer",)])
    >>> RecordSuppression(qid=("Job",), k=2).apply(table).to_rows()
    [('Engineer',), ('Engineer',)]
    >>> RecordSuppression(qid=("Job",), k=2, mode="mask", marker="?").apply(table).to_rows()
    [('Engineer',), ('?',), ('Engineer',)]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 3.1.
    """

    id: ClassVar[str] = "record-suppression"

    qid: tuple[str, ...] = columns("quasi-identifier", doc="columns whose equal values make a group")
    k: int = param(ge=1, doc="smallest group that stays")
    mode: str = param(default="drop", choices=("drop", "mask"), doc="whether records go, or only their values")
    marker: str = param(default="*", doc="what is published instead of a masked value")

    @property
    def mixed_granularity(self) -> bool:
        """Whether masked records stand beside others."""
        return self.mode == "mask"

    def apply(self, table: Table, *, unknown: str = "declared") -> Table:
        """Return the table without the records of small groups, or with these masked; the rest in order."""
        refuse_columns(table, self.qid, f"{self.id}.qid")
        small = self._small(table)
        if not small:
            return table
        if self.mode == "drop":
            return table.drop_groups(self.qid, small)
        records = Records.alike(table, self.qid)
        return put_labels(table, records, self._masked(records, records.among(small)))

    def _masked(self, records: Records, gone: Bools) -> Labels:
        """Return the labels of records some of which are masked on all quasi-identifiers."""
        return {
            name: (np.where(gone, np.int32(len(texts)), codes), [*texts, self.marker])
            if name in self.qid
            else (codes, texts)
            for name, (codes, texts) in own_labels(records).items()
        }

    def _small(self, table: Table) -> list[Row]:
        """Return the keys of the groups that go."""
        groups = table.groups(self.qid)
        return [groups.key(i) for i in range(len(groups)) if groups.sizes[i] < self.k]

    def _stats(
        self, table: Table, qid: tuple[str, ...], histograms: Sequence[str], unknown: str, published: Table | None
    ) -> PublishedStats:
        """Return what metrics read; dropped records are counted as suppressed, one level below the root each."""
        published = self.apply(table) if published is None else published
        names = qid or self.qid
        refuse_columns(table, names, "qid")
        records = Records.alike(table, [*names, *self.qid])
        scales = {
            name: flat_scale(values, self.marker)
            for name, values in zip(records.columns, records.values, strict=True)
            if name in names
        }
        gone = records.only(self.qid).among(self._small(table))
        if self.mode == "mask":
            return cell_stats(published, scales, records, self._masked(records, gone), names, histograms)
        return cell_stats(published, scales, records, own_labels(records), names, histograms, ~gone)

    def stands_for(self, column: str, label: Hashable, value: Hashable) -> bool:
        """Tell whether a published value is the raw one, or the symbol of a masked one."""
        masked = self.mode == "mask" and column in self.qid and label == self.marker
        return label == value or masked or (value is not None and label == to_text(value))

    def is_finer_than(self, other: Recoding) -> bool:
        """Tell whether the other suppresses all records that this one does."""
        return self.k <= self._alike(other).k

    def common_refinement(self, other: Recoding) -> RecordSuppression:
        """Return the one of the two that suppresses less."""
        return replace(self, k=min(self.k, self._alike(other).k))

    def _alike(self, other: Recoding) -> RecordSuppression:
        if not isinstance(other, RecordSuppression) or (other.qid, other.mode) != (self.qid, self.mode):
            raise Unsupported(f"{self.id} is compared with its like on the same columns only", thing=self.id)
        return other

    def draw(self) -> str:
        """Return the rule."""
        done = "left out" if self.mode == "drop" else f"masked as {self.marker}"
        return f"records in groups of fewer than {self.k} on {', '.join(self.qid)} are {done}"
