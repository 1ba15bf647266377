"""Targets of a series: whoever came with a release and is in the same classes ever since, and which records can be theirs."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Literal

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.data.schema import ColumnType
from sfumato.data.text import SUPPRESSED, as_held, parse_interval, to_text
from sfumato.errors import BadRequest, Unsupported
from sfumato.groups.distinct import distinct_rows
from sfumato.groups.stats import CodedKeys, GroupStats, Histogram
from sfumato.kernels.arrays import Ints
from sfumato.sequels.classes import SeriesClasses, nodes_of
from sfumato.sequels.correspondence import Correspondence, Targets, comparable_numbers

__all__ = ["MOST_TARGETS", "Attacked", "Level", "TargetClasses", "pairwise", "target_classes"]

Level = Literal["pairwise", "exact"]

MOST_TARGETS = 2_000_000
"""Combinations of classes that are held in memory; more are refused."""

_BLOCK = 1 << 22


@frozen(eq=False)
class TargetClasses:
    """Combinations of classes, one of each release from ``since`` on, that one raw record can be in.

    Row t of ``members`` lists the classes of a target, one column for each release from ``since`` to the last.
    """

    since: int
    members: Ints

    def __len__(self) -> int:
        return len(self.members)


@frozen(eq=False)
class Attacked:
    """What attacks with all releases leave of each target: how many records of each sensitive value can be hers.

    ``left`` holds |g| less the crack size of each group, at least one value for every target in ``some``. ``level`` says which
    attacks were tried: ``pairwise``, for each group the best single release beside it; ``exact``, everything that follows from
    all releases together.
    """

    classes: TargetClasses
    left: Histogram
    level: Level

    @property
    def anonymity(self) -> Ints:
        """The records that can be each target's: ``sum over s of N(s)``."""
        return np.bincount(self.left.group(), self.left.count, len(self.classes)).astype(np.int64)

    @property
    def some(self) -> Ints:
        """The targets who can be somebody at all."""
        return np.flatnonzero(np.diff(self.left.start))

    def groups(self, whole: SeriesClasses) -> GroupStats:
        """Return the targets who can be somebody as groups with the histogram of what is left, for models of tables."""
        column = whole.series.protected
        left = self.left.taken(self.some)
        keys = [self.key(whole, at) for at in self.some.tolist()]
        # What the table holds is that of the newest release: models compare with it.
        table = np.bincount((newest := whole.releases[-1].histogram).code, newest.count, len(newest.values)).astype(
            np.int64
        )
        records = int(whole.releases[-1].sizes.sum())
        return GroupStats(("classes",), (keys,), self.anonymity[self.some], {column: left}, {column: table}, records)

    def key(self, whole: SeriesClasses, target: int) -> tuple[Hashable, ...]:
        """Return the labels of a target's classes, release by release."""
        members = self.classes.members[target].tolist()
        return tuple(whole.releases[self.classes.since + at].groups.key(number) for at, number in enumerate(members))


# ---- who can be a target -----------------------------------------------------------------------------------------------------


def target_classes(whole: SeriesClasses, *, targets: Targets = "published") -> tuple[TargetClasses, ...]:
    """Return the targets by the release that they came with; none where no release brought anybody.

    ``published``: every combination of classes that some raw record can be in. ``actual``: those of the raw records of the
    batch that came with the release.
    """
    count = len(whole.releases)
    if targets == "actual":
        return tuple(_actual(whole, since) for since in range(count))
    members = np.arange(len(whole.releases[-1]))[:, None]
    found = [TargetClasses(count - 1, members)]
    joined = _NodeJoin(whole) if whole.is_cut else _BoxJoin(whole)
    for since in range(count - 2, -1, -1):
        members = joined(since, members)
        found.append(TargetClasses(since, members))
    brought = np.diff([0, *(int(one.sizes.sum()) for one in whole.releases)])
    if (brought < 0).any():
        raise BadRequest("a release of a continuous series has fewer records than the one before", parameter="series")
    return tuple(one if brought[one.since] else TargetClasses(one.since, one.members[:0]) for one in reversed(found))


def _actual(whole: SeriesClasses, since: int) -> TargetClasses:
    later = range(since, len(whole.releases))
    if len(whole.series.batches) < len(whole.releases):
        raise BadRequest(
            "actual targets are told by the raw records of each release: give the batches of the series",
            parameter="targets",
            value="actual",
        )
    members = np.column_stack([whole.class_of(number, whole.series.batches[since])[0] for number in later])
    if (members < 0).any():
        raise BadRequest("raw records are in no class of a release that covers them", parameter="batches")
    return TargetClasses(since, distinct_rows(members)[0])


class _NodeJoin:
    """Join classes with combinations of later ones by hashing: the lowest nodes of the combinations are a cut themselves."""

    def __init__(self, whole: SeriesClasses) -> None:
        self.whole = whole
        self.lowest = whole.nodes[-1]

    def __call__(self, since: int, members: Ints) -> Ints:
        nodes = self.whole.nodes[since]
        one, two, count = comparable_numbers(self.whole.trees, nodes, self.lowest)
        sizes = np.bincount(one, minlength=count), np.bincount(two, minlength=count)
        _refuse_many(int((sizes[0] * sizes[1]).sum()))
        mine, theirs = _products(one, two, sizes)
        # Of two nodes on one path the lower one has the larger number.
        self.lowest = np.maximum(nodes[mine], self.lowest[theirs])
        return np.column_stack([mine, members[theirs]])


def _products(one: Ints, two: Ints, sizes: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
    """Return all pairs of a row of ``one`` and a row of ``two`` with equal numbers."""
    order1, order2 = np.argsort(one, kind="stable"), np.argsort(two, kind="stable")
    begin2 = np.cumsum(sizes[1]) - sizes[1]
    mates = sizes[1][one[order1]]
    mine = np.repeat(order1, mates)
    place = np.arange(len(mine)) - np.repeat(np.cumsum(mates) - mates, mates)
    return mine, order2[np.repeat(begin2[one[order1]], mates) + place]


class _BoxJoin:
    """Join classes with combinations of later ones where their boxes meet; boxes of one release must not."""

    def __init__(self, whole: SeriesClasses) -> None:
        self.boxes = boxes_of(whole)
        for number, (low, high) in enumerate(self.boxes):
            one, two = _meeting(low, high, low, high)
            if (one != two).any():
                raise Unsupported(
                    f"classes of release {number + 1} overlap: a person may be in several of them, which nobody here counts",
                    thing="bcf-oracle",
                )
        self.low, self.high = self.boxes[-1]

    def __call__(self, since: int, members: Ints) -> Ints:
        low, high = self.boxes[since]
        mine, theirs = _meeting(low, high, self.low, self.high)
        self.low, self.high = np.maximum(low[mine], self.low[theirs]), np.minimum(high[mine], self.high[theirs])
        return np.column_stack([mine, members[theirs]])


def _meeting(low1: Ints, high1: Ints, low2: Ints, high2: Ints) -> tuple[Ints, Ints]:
    """Return the pairs of boxes that have a point in common, some rows at a time."""
    step = max(1, _BLOCK // max(len(low2), 1))
    found: list[tuple[Ints, Ints]] = []
    total = 0
    for at in range(0, max(len(low1), 1), step):
        part = slice(at, at + step)
        meet = (np.maximum(low1[part, None], low2[None]) < np.minimum(high1[part, None], high2[None])).all(axis=2)
        mine, theirs = np.nonzero(meet)
        total += len(mine)
        _refuse_many(total)
        found.append((mine + at, theirs))
    return np.concatenate([one for one, _ in found]), np.concatenate([two for _, two in found])


def _refuse_many(count: int) -> None:
    if count > MOST_TARGETS:
        raise Unsupported(
            f"there are more than {MOST_TARGETS:,} combinations of classes that a person can be in",
            thing="bcf-anonymity",
        )


def boxes_of(whole: SeriesClasses) -> tuple[tuple[Ints, Ints], ...]:
    """Return the classes of each release as boxes: from where to where they reach in each column, in whole numbers.

    A node of a tree reaches over its leaves, an interval over the ends of intervals of all releases inside it, any other
    label over itself, and ``*`` over everything.
    """
    low = [np.empty((len(one), len(whole.series.qid)), np.int64) for one in whole.releases]
    high = [np.empty_like(one) for one in low]
    for at, name in enumerate(whole.series.qid):
        coded = [CodedKeys.of(one.groups.keys[at]) for one in whole.releases]
        labels = sorted({to_text(value) for one in coded for value in one.values})
        tree = whole.series.trees.get(name)
        if tree is not None:
            nodes = nodes_of(tree, labels, column=name)
            reach = {
                label: (int(tree.leaf_first[node]), int(tree.leaf_last[node]))
                for label, node in zip(labels, nodes.tolist(), strict=True)
            }
        else:
            reach = _reaches(labels)
        for number, one in enumerate(coded):
            ends = np.array([reach[to_text(value)] for value in one.values], np.int64).reshape(-1, 2)
            low[number][:, at], high[number][:, at] = ends[one.codes].T
    return tuple(zip(low, high, strict=True))


def _reaches(labels: Sequence[str]) -> dict[str, tuple[int, int]]:
    ranges = {label: found for label in labels if (found := parse_interval(label)) is not None}
    if ranges:
        points = {label: as_held(label, ColumnType.NUMBER) for label in labels if label not in ranges}
        ranges |= {label: (point, point, True) for label, point in points.items() if isinstance(point, (int, float))}
    ends = {
        end: 2 * at for at, end in enumerate(sorted({end for low, high, _ in ranges.values() for end in (low, high)}))
    }
    out = {label: (ends[low], ends[high] + closed) for label, (low, high, closed) in ranges.items()}
    room = 2 * len(ends)
    for at, label in enumerate(label for label in labels if label not in ranges):
        out[label] = (0, room + len(labels)) if label == SUPPRESSED else (room + at, room + at + 1)
    return out


# ---- what single releases beside another one leave ---------------------------------------------------------------------------


def pairwise(whole: SeriesClasses, *, targets: Targets = "published") -> tuple[Attacked, ...]:
    """Return, for each group of each target, what the best single release beside it leaves; the worst release to be sought in.

    For somebody who came with release x and is sought in release c, release j beside it is a forward attack if ``j > c``, a
    cross attack if ``x <= j < c`` and a backward attack if ``j < x``. The first two leave ``min over j of |g_j|``, the last
    one ``min(|g_c|, |G_c| - |G_j|)``.

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 10.2.6.
    """
    whole.refuse_uncut()
    out = []
    for classes in target_classes(whole, targets=targets):
        best: Histogram | None = None
        for sought in range(classes.since, len(whole.releases)):
            counts = [one.histogram.count for one in whole.releases]
            for other in range(classes.since):
                beside = Correspondence.of(whole, other, sought).residual
                counts[sought] = np.minimum(counts[sought], beside)
            left = _least_of(whole, classes, counts)
            best = left if best is None else _smaller(best, left, len(classes))
            if classes.since == 0:
                break  # without backward attacks it does not matter where she is sought
        assert best is not None
        out.append(Attacked(classes, best, "pairwise"))
    return tuple(out)


def _least_of(whole: SeriesClasses, classes: TargetClasses, counts: Sequence[Ints]) -> Histogram:
    """Return for each target and value the least of the counts in her classes."""
    width = max(len(whole.releases[0].histogram.values), 1)
    key: Ints | None = None
    least = np.empty(0, np.int64)
    for at in range(classes.members.shape[1]):
        held = whole.releases[classes.since + at].histogram
        own = Histogram(held.values, held.start, held.code, counts[classes.since + at]).taken(classes.members[:, at])
        mine = own.group() * width + own.code
        if key is None:
            key, least = mine, own.count
        else:
            key, one, two = np.intersect1d(key, mine, assume_unique=True, return_indices=True)
            least = np.minimum(least[one], own.count[two])
    assert key is not None
    return Histogram.from_pairs(len(classes), whole.releases[0].histogram.values, key // width, key % width, least)


def _smaller(one: Histogram, two: Histogram, targets: int) -> Histogram:
    """Return for each target that of two histograms which holds fewer records."""
    sums = [np.bincount(part.group(), part.count, targets) for part in (one, two)]
    second = sums[1] < sums[0]
    entries = [(part.group(), part.code, part.count) for part in (one, two)]
    chosen = [~second[entries[0][0]], second[entries[1][0]]]
    group, code, count = (np.concatenate([entries[side][at][chosen[side]] for side in (0, 1)]) for at in range(3))
    return Histogram.from_pairs(targets, one.values, group, code, count)
