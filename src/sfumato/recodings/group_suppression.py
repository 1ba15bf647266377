"""Group suppression: the records of named groups are left out."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.recoding import Recoding, TableRecoding
from sfumato.contracts.thing import columns, param
from sfumato.data.text import to_text
from sfumato.errors import BadRequest, Unsupported
from sfumato.groups.distinct import found_among
from sfumato.groups.label_rows import LabelRows
from sfumato.groups.published import PublishedStats
from sfumato.groups.stats import CodedKeys
from sfumato.recodings._records import Records, own_labels, refuse_columns
from sfumato.recodings.record_recoding import cell_stats
from sfumato.recodings.scales import flat_scale

__all__ = ["GroupSuppression", "masking"]


class GroupSuppression(TableRecoding):
    """Records whose published values are on a list are left out.

    A search with a suppression limit ends with such a list: the groups that break a requirement although the columns are
    recoded. Unlike ``record-suppression`` the list does not depend on the table it is applied to, so what a release left
    out can be repeated. A step is named by a group: ``refine`` takes it off the list, ``generalize`` puts it on.

    Examples
    --------
    >>> from sfumato.engines import from_rows
    >>> table = from_rows(["Job"], [("Engineer",), ("Lawyer",), ("Engineer",)])
    >>> GroupSuppression(qid=("Job",), groups=(("Lawyer",),)).apply(table).to_rows()
    [('Engineer',), ('Engineer',)]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 3.1.
    """

    id: ClassVar[str] = "group-suppression"

    qid: tuple[str, ...] = columns("quasi-identifier", doc="columns whose equal values make a group")
    groups: Sequence[tuple[str, ...]] = param(doc="published values of the groups that are left out")

    def validate(self) -> None:
        """Refuse groups that are no groups of these columns; from here on they are codes."""
        super().validate()
        if isinstance(self.groups, LabelRows):
            return
        for group in self.groups if isinstance(self.groups, (tuple, list)) else [None]:
            if not isinstance(group, (tuple, list)) or not all(isinstance(label, str) for label in group):
                raise BadRequest("must be a list of lists of texts", parameter=f"{self.id}.groups", value=self.groups)
            if len(group) != len(self.qid):
                raise BadRequest(
                    f"must have {len(self.qid)} values, one for each column", parameter=f"{self.id}.groups", value=group
                )
        object.__setattr__(self, "groups", LabelRows.of(self.groups))

    def apply(self, table: Table, *, unknown: str = "declared") -> Table:
        """Return the table without the records of the groups; the rest in order."""
        refuse_columns(table, self.qid, f"{self.id}.qid")
        keys = self._keys(table)
        return table.without(self.qid, keys.columns) if keys else table

    def records(self, table: Table) -> int:
        """Return how many records of a table are in the groups."""
        refuse_columns(table, self.qid, f"{self.id}.qid")
        cells, keys = table.counts(self.qid), self._keys(table)
        if not keys:
            return 0
        # Keys are places among the values of a column, which are those that cells point to.
        asked, found = (np.column_stack([one.codes for one in held]) for held in (keys.columns, cells.keys))
        return int(cells.sizes[found_among(asked, found) >= 0].sum())

    def _keys(self, table: Table) -> LabelRows:
        """Return the groups as values of the table, without those that it cannot hold; labels are texts, values need not be."""
        held = []
        for name, labels in zip(self.qid, LabelRows.of(self.groups).columns, strict=False):
            values = table.dictionary(name).values
            place = {to_text(value): code for code, value in enumerate(values)}
            codes = np.array([place.get(str(label), -1) for label in labels.values], np.int32)
            held.append(CodedKeys(values, codes[labels.codes]))
        known = np.flatnonzero(np.all([one.codes >= 0 for one in held], axis=0)) if held else np.empty(0, np.int64)
        return LabelRows(tuple(one.take(known) for one in held))

    def _stats(
        self, table: Table, qid: tuple[str, ...], histograms: Sequence[str], unknown: str, published: Table | None
    ) -> PublishedStats:
        """Return what metrics read; the records left out are counted as suppressed."""
        names = qid or self.qid
        refuse_columns(table, names, "qid")
        records = Records.alike(table, [*names, *self.qid])
        scales = {
            name: flat_scale(values, "*")
            for name, values in zip(records.columns, records.values, strict=True)
            if name in names
        }
        kept = ~records.only(self.qid).among(list(self._keys(table)))
        return cell_stats(self.apply(table), scales, records, own_labels(records), names, histograms, kept)

    def stands_for(self, column: str, label: Hashable, value: Hashable) -> bool:
        """Tell whether a published value is the raw one."""
        return label == value or (value is not None and label == to_text(value))

    def refine(self, value: Sequence[str]) -> GroupSuppression:
        """Publish the records of one group."""
        group = tuple(value)
        if group not in self.groups:
            raise BadRequest("is not left out", parameter="value", value=group)
        return replace(self, groups=tuple(other for other in self.groups if other != group))

    def generalize(self, value: Sequence[str]) -> GroupSuppression:
        """Leave out the records of one more group."""
        group = tuple(value)
        if group in self.groups:
            raise BadRequest("is left out already", parameter="value", value=group)
        return replace(self, groups=sorted((*self.groups, group)))

    def is_finer_than(self, other: Recoding) -> bool:
        """Tell whether the other leaves out all groups that this one does."""
        return set(self.groups) <= set(self._alike(other).groups)

    def common_refinement(self, other: Recoding) -> GroupSuppression:
        """Leave out what both leave out."""
        shared = set(self._alike(other).groups)
        return replace(self, groups=tuple(group for group in self.groups if group in shared))

    def _alike(self, other: Recoding) -> GroupSuppression:
        if not isinstance(other, GroupSuppression) or other.qid != self.qid:
            raise Unsupported(f"{self.id} is compared with its like on the same columns only", thing=self.id)
        return other

    def draw(self) -> str:
        """Return how many groups are left out."""
        return f"{len(self.groups):,} groups on {', '.join(self.qid)} are left out"


def masking(operations: Sequence[TableRecoding]) -> TableRecoding | None:
    """Return the recoding of whole records that masks values, if there is one among these; others leave groups out."""
    return next((operation for operation in operations if not isinstance(operation, GroupSuppression)), None)
