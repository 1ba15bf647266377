"""An anatomized pair of tables as groups: exact quasi-identifiers in one table, counts of a sensitive column in the other.

The first table (QIT) has one row per record, with the number of its group; the second (ST) lists for each group how often
each sensitive value occurs in it. Reference: Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010,
section 3.2; Xiao, Tao, "Anatomy: simple and effective privacy preservation", 2006.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Protocol

import numpy as np

from sfumato.data.whole import as_values
from sfumato.errors import BadRequest
from sfumato.groups.stats import CodedKeys, GroupStats, Histogram
from sfumato.kernels.arrays import Codes, Ints
from sfumato.kernels.lookup import looked_up, occurring

__all__ = ["anatomy_groups", "listed_counts"]


class Rows(Protocol):
    """A table, as far as it is needed here."""

    @property
    def types(self) -> Mapping[str, object]:
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
    listed = st.groups([group, sensitive, count])
    ids = CodedKeys.of(records.keys[0])
    numbers, values, counts = map(CodedKeys.of, listed.keys)
    twice = bool((listed.sizes > 1).any())
    del listed  # there may be as many rows as records: what was read of them goes
    place = _places(group, ids, numbers)
    counted = listed_counts(count, counts)
    order = {value: code for code, value in enumerate(st.groups([sensitive]).keys[0])}
    # The last entry answers for missing, -1.
    code = looked_up(
        np.array([*(order.get(value, -1) for value in values.values), order.get(None, -1)], np.int64), values.codes
    )
    del numbers, values, counts
    histogram = Histogram.from_pairs(len(ids), tuple(order), place, code, counted)
    del place
    if twice or len(histogram.code) < len(code):
        raise BadRequest("lists a sensitive value twice in one group", parameter="st", column=sensitive)
    totals = histogram.totals()
    differ = np.flatnonzero(totals != records.sizes)
    if len(differ):
        at = int(differ[0])
        raise BadRequest(
            f"group {ids[at]!r} has {records.sizes[at]} records in the one table and {totals[at]} in the other",
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


def _places(column: str, ids: CodedKeys, numbers: CodedKeys) -> Codes:
    """Return the place among the groups of the one table of each number in the other; refuse groups that are not in both."""
    if (ids.codes < 0).any() or (numbers.codes < 0).any():
        raise BadRequest("a group is missing", column=column)
    at = np.full(len(ids.values) + 1, -1, np.int32)  # the last entry answers for a number that is not there
    at[ids.codes] = np.arange(len(ids))
    if as_values(numbers.values) != as_values(ids.values):
        known = {value: code for code, value in enumerate(ids.values)}
        at = at[np.array([known.get(value, -1) for value in numbers.values], np.int64)]
    same = len(at) == len(numbers.values) + 1 and bool((np.diff(at[:-1], prepend=np.int32(-1)) == 1).all())
    place = numbers.codes if same else looked_up(at, numbers.codes)
    only_qit = np.flatnonzero(~occurring(len(ids), place)[:-1])
    if len(only_qit):
        raise BadRequest(
            "has groups without sensitive values", parameter="qit", column=column, value=_named(ids.take(only_qit))
        )
    only_st = np.flatnonzero(place < 0)
    if len(only_st):
        raise BadRequest(
            "has groups without records", parameter="st", column=column, value=_named(numbers.take(only_st))
        )
    return place


def _named(keys: CodedKeys) -> list[Hashable]:
    return sorted(set(keys), key=str)


def listed_counts(column: str, given: Sequence[Hashable]) -> Ints:
    """Return counts of records as whole numbers; refuse what is none, or not positive."""
    counts = CodedKeys.of(given)
    fine = np.array([*map(_is_count, counts.values), False], bool)
    if (occurring(len(counts.values), counts.codes) & ~fine).any():
        first = int(np.argmin(looked_up(fine, counts.codes)))
        raise BadRequest("counts must be positive whole numbers", parameter="st", column=column, value=counts[first])
    whole = [int(value) if _is_count(value) else 0 for value in counts.values]  # type: ignore[call-overload]
    return looked_up(np.array(whole, np.int64), counts.codes)


def _is_count(value: Hashable) -> bool:
    return not isinstance(value, bool) and isinstance(value, (int, float)) and float(value).is_integer() and value > 0
