"""Group suppression: the records of named groups are left out."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import ClassVar

from sfumato.contracts.engine import Table
from sfumato.contracts.recoding import Recoding, TableRecoding
from sfumato.contracts.thing import columns, param
from sfumato.data.text import to_text
from sfumato.errors import BadRequest, Unsupported
from sfumato.groups.published import PublishedStats
from sfumato.recodings._records import Records, Row, own_labels, refuse_columns
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
    groups: tuple[tuple[str, ...], ...] = param(doc="published values of the groups that are left out")

    def validate(self) -> None:
        """Refuse groups that are no groups of these columns."""
        super().validate()
        for group in self.groups:
            if len(group) != len(self.qid):
                raise BadRequest(
                    f"must have {len(self.qid)} values, one for each column", parameter=f"{self.id}.groups", value=group
                )

    def apply(self, table: Table, *, unknown: str = "declared") -> Table:
        """Return the table without the records of the groups; the rest in order."""
        refuse_columns(table, self.qid, f"{self.id}.qid")
        return table.drop_groups(self.qid, self._keys(table))

    def _keys(self, table: Table) -> list[Row]:
        """Return the groups as values of the table; labels are texts, values need not be."""
        of_text = [{to_text(value): value for value in table.dictionary(name).values} for name in self.qid]
        found = (tuple(known.get(label) for known, label in zip(of_text, key, strict=True)) for key in self.groups)
        return [key for key in found if None not in key]

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
        kept = ~records.only(self.qid).among(self._keys(table))
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
        return replace(self, groups=tuple(sorted((*self.groups, group))))

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
