"""Anatomy released again: newcomers are seen by exact quasi-identifiers, their values by what lists have more."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import pairwise
from typing import ClassVar

import numpy as np

from sfumato.contracts.attack import AttackTraits, Details, Risk, spread
from sfumato.contracts.engine import Table
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.groups.anatomy import anatomy_groups
from sfumato.groups.distinct import distinct_rows
from sfumato.groups.stats import CodedKeys, GroupStats
from sfumato.kernels.arrays import Codes, Ints
from sfumato.sequels.attack import SeriesAttack, SeriesKnowledge
from sfumato.sequels.series import Series

__all__ = ["AnatomyIncrementAttack", "AnatomyPair", "Increment", "IncrementDetails", "anatomy_increments"]


@frozen(eq=False)
class AnatomyPair:
    """An anatomized release: records with exact quasi-identifiers and a group, and each group's list of values with counts.

    The column of groups is the one that both tables have, counts are the last other column of the second one.
    """

    qit: Table
    st: Table

    @property
    def group(self) -> str:
        """The column of groups."""
        shared = [name for name in self.qit.columns if name in self.st.types]
        if len(shared) != 1 or len(self.st.columns) != 3:
            raise BadRequest(
                "the two tables of an anatomy share one column, of groups, and the second has values and counts beside it",
                parameter="parts",
                available=self.st.columns,
            )
        return shared[0]

    @property
    def listed(self) -> tuple[str, str]:
        """The columns of sensitive values and of their counts."""
        value, count = (name for name in self.st.columns if name != self.group)
        return value, count

    @property
    def qid(self) -> tuple[str, ...]:
        """The columns of quasi-identifiers."""
        return tuple(name for name in self.qit.columns if name != self.group)

    def groups(self) -> GroupStats:
        """Return the groups with their lists; tables that do not fit together are refused."""
        value, count = self.listed
        return anatomy_groups(self.qit, self.st, group=self.group, sensitive=value, count=count)


@frozen
class Increment:
    """People who are new: their exact quasi-identifiers, how many they are, their group, and the values they can have."""

    qid: tuple[Hashable, ...]
    count: int
    group: Hashable
    candidates: tuple[Hashable, ...]

    @property
    def cracked(self) -> bool:
        """Whether a single value is left."""
        return len(self.candidates) == 1


def anatomy_increments(first: AnatomyPair, second: AnatomyPair) -> list[Increment]:
    """Return everybody who is new in the second of two anatomized releases, in the order of quasi-identifiers.

    Rows of the second table of records that the first lacks, as multisets, are newcomers; what the list of their group has
    more, all groups of the first release inside it taken together, are their values. Groups need not keep their numbers: a
    group of the first release is looked for in the group of the second one that has its number, or else in one that holds
    its records.

    >>> from sfumato.engines import from_rows
    >>> before = AnatomyPair(from_rows(["Age", "Group"], [(30, 1), (32, 1)]),
    ...                      from_rows(["Group", "Disease", "Count"], [(1, "Flu", 1), (1, "HIV", 1)]))
    >>> after = AnatomyPair(from_rows(["Age", "Group"], [(30, 1), (32, 1), (35, 1)]),
    ...                     from_rows(["Group", "Disease", "Count"], [(1, "Flu", 1), (1, "HIV", 1), (1, "Ulcer", 1)]))
    >>> anatomy_increments(before, after)
    [Increment(qid=(35,), count=1, group=1, candidates=('Ulcer',))]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 10.5.
    """
    if first.qid != second.qid or first.listed[0] != second.listed[0]:
        raise BadRequest("two anatomized releases have different columns", parameter="parts", available=first.qid)
    one, two = first.groups(), second.groups()
    people = [_people(pair, groups) for pair, groups in ((first, one), (second, two))]
    number = _numbered(people)
    home = _homes(one, two, people, number)
    # Who is in which group of the second release, before and after.
    width = len(two)
    keys = number[0] * width + home[people[0].group], number[1] * width + people[1].group
    distinct, at = np.unique(np.concatenate(keys), return_inverse=True)
    counted = np.concatenate([-people[0].count, people[1].count])
    more = np.bincount(at, counted, len(distinct)).astype(np.int64)
    lists = _more_values(one, two, home, first.listed[0])
    if (more < 0).any() or lists is None:
        raise BadRequest("the second release is not about everybody of the first one", parameter="parts")
    shown = dict(zip(number[1].tolist(), people[1].rows, strict=True))
    new = [
        (shown[key // width], int(more[place]), key % width)
        for place, key in enumerate(distinct.tolist())
        if more[place]
    ]
    ids = two.keys[0]
    return [Increment(row, count, ids[group], lists[group]) for row, count, group in new]


@frozen(eq=False)
class _People:
    """Distinct quasi-identifiers in groups, with how many have them."""

    columns: tuple[CodedKeys, ...]
    group: Ints
    count: Ints

    @property
    def rows(self) -> list[tuple[Hashable, ...]]:
        return list(zip(*self.columns, strict=True))


def _people(pair: AnatomyPair, groups: GroupStats) -> _People:
    cells = pair.qit.groups([*pair.qid, pair.group])
    place = {value: at for at, value in enumerate(groups.keys[0])}
    coded = CodedKeys.of(cells.keys[-1])
    group = np.array([place[value] for value in coded.values], np.int64)[coded.codes]
    return _People(tuple(CodedKeys.of(keys) for keys in cells.keys[:-1]), group, cells.sizes)


def _numbered(people: Sequence[_People]) -> tuple[Ints, Ints]:
    """Number quasi-identifiers of both releases alike, in the order of their values."""
    columns: list[Codes] = []
    for held in zip(*(one.columns for one in people), strict=True):
        values = sorted({value for one in held for value in one.values})
        place = {value: at for at, value in enumerate(values)}
        columns.append(
            np.concatenate([np.array([*(place[v] for v in one.values), -1], np.int32)[one.codes] for one in held])
        )
    _, number = distinct_rows(np.column_stack(columns))
    cut = len(people[0].group)
    return number[:cut], number[cut:]


def _homes(one: GroupStats, two: GroupStats, people: Sequence[_People], number: tuple[Ints, Ints]) -> Ints:
    """Return the group of the second release that holds the records of each group of the first one."""
    place = {value: at for at, value in enumerate(two.keys[0])}
    wanted = np.array([place.get(value, -1) for value in one.keys[0]], np.int64)
    order = np.argsort(number[1], kind="stable")
    low, high = (np.searchsorted(number[1][order], number[0], side=side) for side in ("left", "right"))
    mine = np.repeat(np.arange(len(low)), high - low)
    begin = np.repeat(np.cumsum(high - low) - (high - low), high - low)
    theirs = order[np.repeat(low, high - low) + np.arange(len(mine)) - begin]
    pair = people[0].group[mine] * len(two) + people[1].group[theirs]
    distinct, at = np.unique(pair, return_inverse=True)
    held = np.bincount(at, np.minimum(people[0].count[mine], people[1].count[theirs]), len(distinct))
    group, other = distinct // len(two), distinct % len(two)
    fits = held == one.sizes[group]
    home = np.full(len(one), -1, np.int64)
    home[group[fits][::-1]] = other[fits][::-1]
    same = fits & (wanted[group] == other)
    home[group[same]] = other[same]
    lost = int(np.count_nonzero(home < 0))
    if lost:
        raise BadRequest(
            f"{lost:,} groups of the first release are inside no group of the second one: they cannot be compared",
            parameter="parts",
        )
    return home


def _more_values(
    one: GroupStats, two: GroupStats, home: Ints, sensitive: str
) -> dict[int, tuple[Hashable, ...]] | None:
    """Return the values that each group of the second release lists more often; ``None`` if one lists some less often."""
    before, after = one.histograms[sensitive], two.histograms[sensitive]
    place = {value: at for at, value in enumerate(after.values)}
    code = np.array([place.get(value, -1) for value in before.values], np.int64)[before.code]
    if (code < 0).any():
        return None
    width = max(len(after.values), 1)
    keys = home[before.group()] * width + code, after.group() * width + after.code
    distinct, at = np.unique(np.concatenate(keys), return_inverse=True)
    more = np.bincount(at, np.concatenate([-before.count, after.count]), len(distinct))
    if (more < 0).any():
        return None
    out: dict[int, tuple[Hashable, ...]] = {}
    for key in distinct[more > 0].tolist():
        out[key // width] = (*out.get(key // width, ()), after.values[key % width])
    return out


@frozen(eq=False)
class IncrementDetails(Details):
    """Counts: releases compared, records of the newest one, those that were new in a release, and those left with one value."""

    releases: int
    records: int
    new: int
    cracked: int


class AnatomyIncrementAttack(SeriesAttack):
    """Find newcomers in anatomized releases of a growing table: exact quasi-identifiers show who is new.

    Records of a release that the one before lacks are newcomers, and what their group's list has more are their values. A
    newcomer who is alone in her group has a single candidate. So anatomy is no way to publish a growing table again; series
    refuse it.

    Adversary: has anatomized releases of a growing table, one after the other.

    Examples
    --------
    >>> AnatomyIncrementAttack().spec()
    {'id': 'anatomy-increment-attack'}

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 10.5.
    Xiao, Tao, "Anatomy: simple and effective privacy preservation", 2006.
    """

    id: ClassVar[str] = "anatomy-increment-attack"
    about: ClassVar[tuple[str, ...]] = ("continuous",)
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"attribute"}),
        knowledge="two anatomized releases of a growing table",
        needs=frozenset({"parts"}),
        victims="records",
        quick=True,
        across=True,
    )
    adversary: ClassVar[str] = say("adversary.anatomy-increment-attack")
    title: ClassVar[str] = "newcomers in anatomy"

    def on(self, series: Series, knowledge: SeriesKnowledge, run: Run) -> Risk:
        """Compare each anatomized release with the one before; whoever is new is a victim."""
        pairs = [AnatomyPair(one["qit"], one["st"]) for one in series.parts if {"qit", "st"} <= set(one)]
        if len(pairs) < 2 or len(pairs) < len(series.parts):
            raise BadRequest(f"{self.id} needs anatomized releases, two tables each", parameter="series")
        found: list[Increment] = []
        for before, after in pairwise(pairs):
            run.checkpoint()
            found += anatomy_increments(before, after)
        risk = np.array([1 / len(one.candidates) for one in found])
        counts = np.array([one.count for one in found], np.int64)
        cracked = sum(one.count for one in found if one.cracked)
        details = IncrementDetails(len(pairs), pairs[-1].qit.rows, int(counts.sum()), cracked)
        highest, mean = spread(risk, counts)
        return Risk(
            attack=self.id,
            per_victim=risk,
            counts=counts,
            highest=highest,
            mean=mean,
            reading=say("reading.anatomy_increment", records=details.records, new=details.new, cracked=cracked),
            details=details,
        )
