"""Records with exact quasi-identifiers in groups of which only the counts of sensitive values are known.

An anatomy pair says so itself. A generalized table does, once its persons are looked up in a table of everybody: a group
with as many persons as rows is a set of known persons and a list of sensitive values.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sfumato.attacks._matching import look_up
from sfumato.contracts.engine import Table
from sfumato.contracts.knowledge import Seen, TableKnowledge
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.schema import ColumnType
from sfumato.errors import BadRequest
from sfumato.groups.stats import GroupStats, Histogram
from sfumato.kernels.arrays import Codes, Floats, Ints

__all__ = ["PAIR", "Partition", "has_pair", "has_persons", "numbered", "pair_of", "partition_of"]


PAIR = say("known.pair")


@frozen(eq=False)
class Partition:
    """Records in groups: codes of their quasi-identifiers (-1 is missing), and how often a group has each sensitive value.

    ``values`` are the distinct values of each quasi-identifier that codes index. ``place`` is the row of each record in the
    table that it comes from. ``others`` are published groups whose records are not known one by one.
    """

    columns: tuple[str, ...]
    values: tuple[Sequence[Hashable], ...]
    codes: Codes
    group: Ints
    histogram: Histogram
    place: Ints
    others: GroupStats | None = None

    def __len__(self) -> int:
        return len(self.group)

    @cached_property
    def sizes(self) -> Ints:
        """Number of records in each group."""
        return np.bincount(self.group, minlength=len(self.histogram.start) - 1)

    @cached_property
    def kinds(self) -> tuple[Ints, Ints]:
        """One record of each combination of quasi-identifiers, and the combination of each record."""
        return numbered(self.codes)

    @cached_property
    def largest_share(self) -> Floats:
        """The share of the most frequent sensitive value in each group."""
        return self.histogram.largest() / np.maximum(self.sizes, 1)


def numbered(codes: npt.NDArray[np.integer]) -> tuple[Ints, Ints]:
    """Return the first row of each distinct row of codes, in their order, and the number of the distinct row of each row.

    >>> import numpy as np
    >>> first, number = numbered(np.array([[2, 0], [1, -1], [2, 0]]))
    >>> first.tolist(), number.tolist()
    ([1, 0], [1, 0, 1])
    """
    key, width = np.zeros(len(codes), np.int64), 1
    for column in codes.T:
        span = int(column.max(initial=-1)) + 2
        if width * span > 1 << 62:  # too wide for one number: count on from the distinct ones so far
            distinct, key = np.unique(key, return_inverse=True)
            width = len(distinct)
        key, width = key * span + column + 1, width * span
    _, first, number = np.unique(key, return_index=True, return_inverse=True)
    return first, number


def has_pair(seen: Seen) -> bool:
    """Tell whether an anatomy pair is published."""
    return {"qit", "st"} <= set(seen.parts)


def has_persons(seen: Seen, knowledge: TableKnowledge) -> bool:
    """Tell whether persons can be looked up in groups that show sensitive values."""
    by_labels = seen.counted is None or seen.counted.columns == knowledge.known
    return knowledge.external is not None and knowledge.sensitive in seen.table.types and by_labels


def partition_of(seen: Seen, knowledge: TableKnowledge) -> Partition:
    """Return the records in groups that an anatomy pair tells, or else a generalized table and everybody's persons."""
    return pair_of(seen, knowledge) if has_pair(seen) else _persons(seen, knowledge)


def pair_of(seen: Seen, knowledge: TableKnowledge) -> Partition:
    """Return the records of an anatomy pair; tables that do not fit together are refused."""
    qit, st, sensitive = seen.parts["qit"], seen.parts["st"], knowledge.sensitive
    assert sensitive is not None
    group = _group_column(qit, st, sensitive)
    for name in knowledge.known:
        if name not in qit.types or name == group:
            available = [known for known in qit.columns if known != group]
            raise BadRequest("is not a column of the records", parameter="qid", value=name, available=available)
    known = qit.dictionary(group)
    numbers = qit.as_rows().codes([group])[:, 0].astype(np.int64)
    listed, values, count = _listed(st, group, sensitive, {value: at for at, value in enumerate(known.values)})
    if known.missing:
        raise BadRequest("a group is missing", column=group, parameter="qit")
    histogram = Histogram.from_pairs(len(known), values, listed[0], listed[1], count)
    sizes = np.bincount(numbers, minlength=len(known))
    # A group without any value has no run to add up, and its sum is 0.
    held = np.bincount(listed[0], weights=count, minlength=len(known)).astype(np.int64)
    differ = int(np.count_nonzero(held != sizes))
    if differ:
        raise BadRequest(
            f"{differ:,} of {len(known):,} groups have another number of records than of sensitive values",
            parameter="st",
        )
    dictionaries = [qit.dictionary(name) for name in knowledge.known]
    return Partition(
        knowledge.known,
        tuple(one.values for one in dictionaries),
        qit.as_rows().codes(knowledge.known),
        numbers,
        histogram,
        np.arange(qit.rows),
    )


def _group_column(qit: Table, st: Table, sensitive: str) -> str:
    if sensitive in qit.types:
        raise BadRequest("must not stand beside the quasi-identifiers", column=sensitive, parameter="qit")
    if sensitive not in st.types:
        raise BadRequest("is not a column of the counts", parameter="sensitive", value=sensitive, available=st.columns)
    shared = [name for name in qit.columns if name in st.types]
    named = [name for name in shared if name == "GroupID"] or shared
    if len(named) != 1:
        raise BadRequest(
            "the two tables of the pair must share one column, the number of the group", parameter="parts", value=shared
        )
    return named[0]


def _listed(
    st: Table, group: str, sensitive: str, place: Mapping[Hashable, int]
) -> tuple[tuple[Ints, Ints], tuple[Hashable, ...], Ints]:
    """Return the group, the value and the count of each row of the counts; without a column of counts a row is one."""
    known, values = st.dictionary(group), st.dictionary(sensitive)
    codes = st.as_rows().codes([group, sensitive])
    number = np.array([place.get(value, -1) for value in known.values], np.int64)
    if known.missing or (number < 0).any():
        raise BadRequest("has groups without records", column=group, parameter="st")
    code, names = codes[:, 1].astype(np.int64), values.values
    if values.missing:
        code, names = code + 1, (None, *names)
    return (number[codes[:, 0]], code), names, _counts(st, group, sensitive)


def _counts(st: Table, group: str, sensitive: str) -> Ints:
    rest = [name for name in st.columns if name not in (group, sensitive)]
    named = [name for name in rest if name.casefold() == "count"] or [
        name for name in rest if len(rest) == 1 and st.types[name] is ColumnType.INTEGER
    ]
    if not named:
        return np.ones(st.rows, np.int64)
    known = st.dictionary(named[0])
    numbers = [value for value in known.values if isinstance(value, (int, float)) and float(value).is_integer()]
    if known.missing or len(numbers) < len(known) or min(numbers, default=1) <= 0:
        raise BadRequest("counts must be positive whole numbers", column=named[0], parameter="st")
    return np.array([int(number) for number in numbers], np.int64)[st.as_rows().codes([named[0]])[:, 0]]


def _persons(seen: Seen, knowledge: TableKnowledge) -> Partition:
    """Return the persons of groups that have as many of them as rows, and that cover nobody whom another group covers."""
    assert knowledge.external is not None
    found, groups = look_up(seen, knowledge), seen.groups(knowledge)
    several = np.bincount(found.pair_kind, minlength=found.kinds) > 1
    doubtful = np.bincount(found.pair_group, weights=several[found.pair_kind], minlength=len(groups)) > 0
    fits = (found.covered == groups.sizes) & ~doubtful
    group_of_kind = np.full(found.kinds, -1, np.int64)
    kept = fits[found.pair_group]
    group_of_kind[found.pair_kind[kept]] = (np.cumsum(fits) - 1)[found.pair_group[kept]]
    group = group_of_kind[found.kind_of_person]
    place = np.flatnonzero(group >= 0)
    return Partition(
        knowledge.known,
        tuple(knowledge.external.dictionary(name).values for name in knowledge.known),
        knowledge.external.as_rows().codes(knowledge.known)[place],
        group[place],
        groups.histograms[knowledge.secret].taken(np.flatnonzero(fits)),
        place,
        groups.taken(np.flatnonzero(~fits)),
    )
