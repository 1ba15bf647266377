"""An anatomized pair of tables as groups: exact quasi-identifiers in one table, counts of a sensitive column in the other.

The first table (QIT) has one row per record, with the number of its group; the second (ST) lists for each group how often
each sensitive value occurs in it. Reference: Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010,
section 3.2; Xiao, Tao, "Anatomy: simple and effective privacy preservation", 2006.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from sfumato.errors import BadRequest
from sfumato.groups.stats import GroupStats, Histogram

__all__ = ["anatomy_groups"]


class Rows(Protocol):
    """A table, as far as it is needed here."""

    @property
    def types(self) -> Mapping[str, Any]:
        """Columns in order, with their types."""

    def groups(self, columns: Sequence[str], histograms: Sequence[str] = ()) -> GroupStats:
        """Return sizes (and histograms) of the groups of equal values in ``columns``."""


def anatomy_groups(qit: Rows, st: Rows, *, group: str, sensitive: str, count: str) -> GroupStats:
    """Return the groups of an anatomized pair: the number of records and the histogram of the sensitive column of each.

    ``qit`` holds records with a column ``group``; ``st`` holds rows of group, sensitive value and count. A pair that does not
    fit together is refused. Models of attribute linkage mean the same on these groups as on generalized ones: a record has
    value s with probability count(s) / size. Record linkage they say nothing of, because quasi-identifiers stay exact.

    >>> from sfumato.engines import from_rows
    >>> qit = from_rows(["Age", "Group"], [(30, 1), (32, 1), (38, 2)])
    >>> st = from_rows(["Group", "Disease", "Count"], [(1, "Flu", 1), (1, "HIV", 1), (2, "Flu", 1)])
    >>> groups = anatomy_groups(qit, st, group="Group", sensitive="Disease", count="Count")
    >>> groups.as_dict(), groups.histograms["Disease"].row(0)
    ({(1,): 2, (2,): 1}, {'Flu': 1, 'HIV': 1})
    """
    _refuse_unknown(qit, "qit", [group])
    _refuse_unknown(st, "st", [group, sensitive, count])
    if sensitive in qit.types:
        raise BadRequest("must not stand beside the quasi-identifiers", column=sensitive, parameter="qit")
    records = qit.groups([group])
    ids = list(records.keys[0])
    place = {key: at for at, key in enumerate(ids)}
    listed = st.groups([group, sensitive, count])
    numbers, values, counts = (list(part) for part in listed.keys)
    _refuse_bad_groups(group, ids, numbers)
    _refuse_bad_counts(count, counts)
    if (listed.sizes > 1).any() or len(set(zip(numbers, values, strict=True))) < len(numbers):
        raise BadRequest("lists a sensitive value twice in one group", parameter="st", column=sensitive)
    order = {value: code for code, value in enumerate(st.groups([sensitive]).keys[0])}
    histogram = Histogram.from_pairs(
        len(ids),
        tuple(order),
        np.array([place[number] for number in numbers], np.int64),
        np.array([order[value] for value in values], np.int64),
        np.array(counts, np.int64),
    )
    differ = np.flatnonzero(histogram.totals() != records.sizes)
    if len(differ):
        at = int(differ[0])
        raise BadRequest(
            f"group {ids[at]!r} has {records.sizes[at]} records in the one table and {histogram.totals()[at]} in the other",
            parameter="st",
            column=count,
        )
    return GroupStats((group,), (ids,), records.sizes, {sensitive: histogram})


def _refuse_unknown(table: Rows, parameter: str, columns: Sequence[str]) -> None:
    if len(set(columns)) < len(columns):
        raise BadRequest("names a column twice", parameter=parameter, value=list(columns))
    for name in columns:
        if name not in table.types:
            raise BadRequest("is not a column of the table", parameter=parameter, value=name, available=table.types)


def _refuse_bad_groups(column: str, ids: Sequence[Hashable], numbers: Sequence[Hashable]) -> None:
    if None in ids or None in numbers:
        raise BadRequest("a group is missing", column=column)
    only_qit, only_st = sorted(set(ids) - set(numbers), key=str), sorted(set(numbers) - set(ids), key=str)
    if only_qit:
        raise BadRequest("has groups without sensitive values", parameter="qit", column=column, value=only_qit)
    if only_st:
        raise BadRequest("has groups without records", parameter="st", column=column, value=only_st)


def _refuse_bad_counts(column: str, counts: Sequence[Any]) -> None:
    for count in counts:
        if (
            isinstance(count, bool)
            or not isinstance(count, (int, float))
            or not float(count).is_integer()
            or count <= 0
        ):
            raise BadRequest("counts must be positive whole numbers", parameter="st", column=column, value=count)
