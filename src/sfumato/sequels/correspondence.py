"""Correspondence: what two releases tell together if the later one is about everybody of the earlier one and newcomers."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from functools import cached_property
from typing import Literal

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.data.frozen import frozen
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest
from sfumato.groups.distinct import distinct_rows, renumbered
from sfumato.kernels.arrays import Bools, Codes, Ints
from sfumato.sequels.classes import Classes, SeriesClasses
from sfumato.sequels.comparable import envelope
from sfumato.sequels.correspondence_kernels import least_shared, shared_by_pair
from sfumato.sequels.series import Series

__all__ = [
    "Correspondence",
    "GroupCrack",
    "PairCrack",
    "Targets",
    "by_value",
    "comparable_numbers",
    "components",
    "least_common",
]

Targets = Literal["published", "actual"]
Label = tuple[Hashable, ...]

FAR = np.iinfo(np.int64).max
DENSE = 1 << 24  # counters that are kept side by side; more are numbered first


@frozen
class PairCrack:
    """Two comparable classes and the records of one sensitive value in each: ``first`` in the earlier, ``second`` in the later.

    Somebody who was there from the beginning and matches both classes owns one of ``min(first, second)`` records, so that the
    others are cracked: ``forward`` in the earlier release, ``cross`` in the later one.
    """

    earlier: Label
    later: Label
    value: Hashable
    first: int
    second: int

    @property
    def forward(self) -> int:
        """Crack size of the group in the earlier release: ``|g1| - min(|g1|, |g2|)``."""
        return self.first - min(self.first, self.second)

    @property
    def cross(self) -> int:
        """Crack size of the group in the later release: ``|g2| - min(|g1|, |g2|)``."""
        return self.second - min(self.first, self.second)


@frozen
class GroupCrack:
    """A group of the later release: its ``size``, and the records of its value that are comparable with it in both releases.

    ``before`` records of the earlier release (G1) must be found again among ``after`` records of the later one (G2), of which
    only ``after - size`` lie outside the group; the rest of them are in it, and are no newcomers.
    """

    later: Label
    value: Hashable
    size: int
    before: int
    after: int

    @property
    def excess(self) -> int:
        """``|G1| - (|G2| - |g2|)``: those of before who find no place outside the group, negative if some is left."""
        return self.before - (self.after - self.size)

    @property
    def backward(self) -> int:
        """Crack size of the group: 0 if nobody of before is comparable with it, else the excess if it is positive."""
        return max(0, self.excess) if self.before else 0


@frozen(eq=False)
class Correspondence:
    """Two releases of a continuous series: the later one covers everybody of the earlier one, and newcomers.

    With ``targets="published"`` every pair of comparable classes may have somebody who matches both. With ``"actual"``, which
    only the holder can tell, pairs that a real record of before matches count, and classes that hold a real newcomer.

    Classes with equal numbers ``component1`` and ``component2`` are comparable. ``forward`` and ``cross`` are, for each class
    of the earlier and the later release, the fewest records that it shares with a comparable class, ``partner1`` and
    ``partner2`` which that is. ``before`` and ``after`` are |G1| and |G2| of each group of the later release. ``asked2`` are
    its classes that may hold a newcomer.

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, sections 10.2.3 and 10.2.4.
    Fung, Wang, Fu, Pei, "Anonymity for continuous data publishing", 2008, doi:10.1145/1353343.1353378.

    Examples
    --------
    >>> trees = {"Place": {"Europe": ["UK", "France"]}}
    >>> before = {"Place": ["Europe"] * 3, "Disease": ["Flu", "Flu", "HIV"]}
    >>> after = {"Place": ["UK", "UK", "France", "France", "France"], "Disease": ["Flu", "HIV", "Flu", "Flu", "HIV"]}
    >>> series = Series.of([before, after], qid=["Place"], sensitive="Disease", hierarchies=trees)
    >>> found = Correspondence.of(series)
    >>> found.FA, found.CA, found.BA
    (2, 2, 2)
    >>> [(one.later, one.value, one.forward, one.cross) for one in found.pairs() if one.forward or one.cross]
    [(('UK',), 'Flu', 1, 0)]
    """

    earlier: Classes
    later: Classes
    component1: Ints
    component2: Ints
    targets: Targets
    before: Ints
    after: Ints
    forward: Ints
    cross: Ints
    partner1: Ints
    partner2: Ints
    asked2: Bools

    @classmethod
    def of(
        cls,
        series: Series | SeriesClasses,
        earlier: int = 0,
        later: int = -1,
        *,
        targets: Targets = "published",
        most: int = FAR,
    ) -> Correspondence:
        """Compare two releases of a series, by number from 0; every value counts at most ``most`` times in a pair.

        Refused if the later release cannot be about everybody of the earlier one. For ``targets="actual"`` the series holds
        the raw records of its batches.
        """
        whole = series if isinstance(series, SeriesClasses) else SeriesClasses.of(series)
        whole.refuse_uncut()
        later %= len(whole.releases)
        one, two = whole.releases[earlier], whole.releases[later]
        component1, component2, count = components(whole, earlier, later)
        before, after, lost, _ = by_value(one, two, component1, component2, count)
        if lost:
            raise BadRequest(
                f"{lost:,} of the {int(one.sizes.sum()):,} records of release {earlier + 1} have no place in release "
                f"{later + 1}: it is not a release of everybody in the earlier one",
                parameter="series",
            )
        asked2 = np.ones(len(two), bool)
        if targets == "actual":
            batches = _batches(whole.series, later)
            pairs = _real_classes(whole, batches[: earlier + 1], (earlier, later))
            least = _by_pairs(one, two, pairs, most)
            asked2[:] = False
            asked2[_real_classes(whole, batches[earlier + 1 : later + 1], (later,))] = True
        else:
            least = least_common(one, two, component1, component2, count, most=most)
        return cls(one, two, component1, component2, targets, before, after, *least, asked2)

    # ---- levels --------------------------------------------------------------------------------------------------------

    @property
    def FA(self) -> int | None:
        """Anonymity against forward attacks: ``min over qid1 of |qid1| - F(qid1)``; ``None`` without records before."""
        return _least(self.forward)

    @property
    def CA(self) -> int | None:
        """Anonymity against cross attacks: ``min over qid2 of |qid2| - C(qid2)``.

        Classes that nobody of before can be in do not count. It equals :attr:`FA`, because
        ``|qid1| - F(qid1, qid2) = |qid2| - C(qid1, qid2) = sum of min(|g1|, |g2|)``.
        """
        return _least(self.cross)

    @property
    def BA(self) -> int | None:
        """Anonymity against backward attacks: ``min over qid2 of |qid2| - B(qid2)``; ``None`` without newcomers."""
        return _least(self.backward)

    @property
    def newcomers(self) -> int:
        """How many records the later release has more."""
        return int(self.later.sizes.sum() - self.earlier.sizes.sum())

    @cached_property
    def backward(self) -> Ints:
        """For each class of the later release ``|qid2| - B(qid2)``: records that can be a newcomer's."""
        if not self.newcomers:
            return np.full(len(self.later), FAR)
        held = self.later.histogram
        left = np.bincount(held.group(), self.residual, len(self.later)).astype(np.int64)
        return np.where(self.asked2, left, FAR)

    @cached_property
    def residual(self) -> Ints:
        """For each group of the later release, the records that can be newcomers': ``|g2|`` less its crack size."""
        count = self.later.histogram.count
        return np.where(self.before > 0, np.minimum(count, self.after - self.before), count)

    # ---- what is cracked -----------------------------------------------------------------------------------------------

    def pairs(self) -> Iterator[PairCrack]:
        """Yield every pair of comparable classes, value by value that either has; for few classes."""
        values = self.later.histogram.values
        for a in range(len(self.earlier)):
            mine = self.earlier.histogram.row(a)
            for b in np.flatnonzero(self.component2 == self.component1[a]).tolist():
                theirs = self.later.histogram.row(b)
                keys = self.earlier.groups.key(a), self.later.groups.key(b)
                for value in (value for value in values if value in mine or value in theirs):
                    yield PairCrack(*keys, value, mine.get(value, 0), theirs.get(value, 0))

    def groups(self) -> Iterator[GroupCrack]:
        """Yield every group of the later release with what a backward attack counts; for few classes."""
        held = self.later.histogram
        for at, group in enumerate(held.group().tolist()):
            counted = int(held.count[at]), int(self.before[at]), int(self.after[at])
            yield GroupCrack(self.later.groups.key(group), held.values[held.code[at]], *counted)


def components(whole: SeriesClasses, earlier: int, later: int) -> tuple[Ints, Ints, int]:
    """Number the classes of two releases so that two of them are comparable exactly if their numbers are equal."""
    one, two = whole.nodes[earlier], whole.nodes[later]
    return comparable_numbers(whole.trees, one, two)


def comparable_numbers(trees: Sequence[Tree], one: Codes, two: Codes) -> tuple[Ints, Ints, int]:
    """Number the rows of nodes of two cuts so that two rows are comparable exactly if their numbers are equal."""
    keys = np.empty((len(one) + len(two), len(trees)), np.int32)
    for at, tree in enumerate(trees):
        above = envelope(tree, one[:, at], two[:, at])
        keys[: len(one), at], keys[len(one) :, at] = above[one[:, at]], above[two[:, at]]
    distinct, number = distinct_rows(keys)
    return number[: len(one)], number[len(one) :], len(distinct)


def by_value(
    one: Classes, two: Classes, component1: Ints, component2: Ints, components: int
) -> tuple[Ints, Ints, int, Bools]:
    """Return |G1| and |G2| of each group of the later release, and the records of before that have no place in it.

    These as a number, and for each group of the earlier release whether its value is too rare in the later one.
    """
    width = max(len(one.histogram.values), 1)
    keys = [
        number[side.histogram.group()] * width + side.histogram.code
        for side, number in ((one, component1), (two, component2))
    ]
    room = components * width
    if room > DENSE:
        numbers, room = renumbered(np.concatenate(keys))
        keys = [numbers[: len(keys[0])], numbers[len(keys[0]) :]]
    before, after = (
        np.bincount(key, side.histogram.count, room).astype(np.int64)
        for key, side in zip(keys, (one, two), strict=True)
    )
    lost = int(np.maximum(before - after, 0).sum())
    return before[keys[1]], after[keys[1]], lost, (before > after)[keys[0]]


def least_common(
    one: Classes,
    two: Classes,
    component1: Ints,
    component2: Ints,
    components: int,
    *,
    most: int = FAR,
    positive: bool = False,
) -> tuple[Ints, Ints, Ints, Ints]:
    """Return the fewest records that each class of two releases shares with a comparable one, and which class that is.

    No value counts more than ``most`` times: with 1, values are counted. If ``positive``, classes that share nothing do not
    count as comparable.
    """
    least = np.full(len(one), FAR), np.full(len(two), FAR)
    partner = np.full(len(one), -1), np.full(len(two), -1)
    order1, order2 = (np.argsort(part, kind="stable") for part in (component1, component2))
    begin1, begin2 = (
        np.searchsorted(part[order], np.arange(components + 1))
        for part, order in ((component1, order1), (component2, order2))
    )
    least_shared(order1, order2, begin1, begin2, *_runs(one, two), most, positive, *least, *partner)
    return *least, *partner


def _runs(one: Classes, two: Classes) -> tuple[Ints, Ints, Ints, Ints, Ints, Ints, int]:
    """Return the histograms of two releases as kernels read them: each array in one piece, and the number of values."""
    h1, h2 = one.histogram, two.histogram
    held = (h1.start, h1.code, h1.count, h2.start, h2.code, h2.count)
    a, b, c, d, e, f = (np.ascontiguousarray(part) for part in held)
    return a, b, c, d, e, f, len(h1.values)


def _by_pairs(one: Classes, two: Classes, pairs: Ints, most: int) -> tuple[Ints, Ints, Ints, Ints]:
    least = np.full(len(one), FAR), np.full(len(two), FAR)
    partner = np.full(len(one), -1), np.full(len(two), -1)
    shared = shared_by_pair(pairs[:, 0].copy(), pairs[:, 1].copy(), *_runs(one, two), most)
    for side in (0, 1):
        falling = np.argsort(shared)[::-1]  # of several pairs of a class the last one written is the least
        least[side][pairs[falling, side]] = shared[falling]
        partner[side][pairs[falling, side]] = pairs[falling, 1 - side]
    return *least, *partner


def _batches(series: Series, later: int) -> Sequence[Table]:
    if len(series.batches) <= later:
        raise BadRequest(
            "actual targets are told by the raw records of each release: give the batches of the series",
            parameter="targets",
            value="actual",
        )
    return series.batches


def _real_classes(whole: SeriesClasses, batches: Sequence[Table], releases: Sequence[int]) -> Ints:
    """Return the distinct combinations of classes that raw records are in, a column for each release, in their order."""
    found = [np.column_stack([whole.class_of(number, table)[0] for number in releases]) for table in batches]
    classes = np.concatenate(found) if found else np.empty((0, len(releases)), np.int64)
    strange = int((classes < 0).any(axis=1).sum())
    if strange:
        raise BadRequest(
            f"{strange:,} combinations of raw values are in no class of a release that covers them", parameter="batches"
        )
    return distinct_rows(classes)[0]


def _least(left: Ints) -> int | None:
    known = left[left < FAR]
    return int(known.min()) if len(known) else None
