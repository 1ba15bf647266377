"""Groups of near records: MDAV peels them off the outside of the cloud, V-MDAV lets them grow where records lie close.

Both give the groups that a plain search over all records gives; a tree of boxes finds the same records without looking at all.

References: Domingo-Ferrer, Torra, "Ordinal, continuous and heterogeneous k-anonymity through microaggregation", 2005,
doi:10.1007/s10618-005-0007-5. Solanas, Martinez-Balleste, "V-MDAV: a multivariate microaggregation with variable group
size", 2006.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.contracts.progress import Progress, Silent
from sfumato.data.frozen import frozen
from sfumato.groups.distinct import distinct_rows
from sfumato.groups.representatives import Shape, aggregate, middle_leaves
from sfumato.kernels.arrays import Floats, Ints
from sfumato.perturbations._mdav_kernels import Centre, distances, find_centre, grow, peel, take_group
from sfumato.perturbations._near_tree_kernels import Metric, Piles, build_tree, farthest, heap_up

__all__ = ["SCALES", "Categories", "Gower", "NearRecords", "Numbers", "mdav", "sums_of_squares", "v_mdav"]

SCALES = ("range", "deviation", "none")
"""What numbers are divided by before distances are taken."""

_LOOKS = 8  # looks at far piles, for each one that is left, after which sorting them anew is cheaper
_SOME = 4096


@frozen(eq=False)
class Numbers:
    """A column of numbers; ``width`` is the range that counts as 1, the observed one if not given."""

    values: Floats
    width: float | None = None


@frozen(eq=False)
class Categories:
    """A column of values as leaves of a tree, from left to right."""

    leaves: Ints
    shape: Shape


Gower = Sequence[Numbers | Categories]


@frozen(eq=False)
class NearRecords:
    """Records as rows of coordinates, and how far they lie apart."""

    points: Floats
    metric: Metric
    shapes: tuple[Shape | None, ...]

    @classmethod
    def euclidean(cls, numbers: Floats, scale: str = "range") -> NearRecords:
        """Return records x numbers with the Euclidean distance; columns are divided by range or deviation, or by nothing."""
        wide = numbers.shape[1]
        centred = numbers - numbers.mean(axis=0)
        if scale == "none":
            # One factor for all columns changes no order and keeps squares away from the ends of what numbers can be.
            unit = np.full(wide, np.abs(centred).max(initial=0.0))
        else:
            unit = np.ptp(centred, axis=0) if scale == "range" else centred.std(axis=0)
        points = centred / np.where(unit > 0, unit, 1.0)
        none = np.zeros(wide, np.int64)
        metric = Metric(True, np.zeros(wide, np.bool_), none, none, np.zeros(0))
        return cls(np.ascontiguousarray(points), metric, (None,) * wide)

    @classmethod
    def gower(cls, columns: Gower, weights: Sequence[float] | None = None) -> NearRecords:
        """Return records of mixed columns with Gower's distance.

        It is a weighted sum: of differences of numbers as shares of their range, and of categories the share of leaves, but
        one, below the lowest common node: 0 or 1 where there is no tree.
        """
        weight = np.ones(len(columns)) if weights is None else np.asarray(weights, np.float64)
        points: list[Floats] = []
        shapes: list[Shape | None] = []
        tables: list[Floats] = [np.zeros(0)]
        start, neighbours = np.zeros(len(columns), np.int64), np.zeros(len(columns), np.int64)
        for at, column in enumerate(columns):
            start[at] = sum(map(len, tables))
            if isinstance(column, Numbers):
                centred = column.values - column.values.mean()
                width = float(np.ptp(column.values)) if column.width is None else column.width
                points.append(centred * (weight[at] / width) if width > 0 else np.zeros(len(centred)))
                shapes.append(None)
                continue
            shape = column.shape
            points.append(column.leaves.astype(np.float64))
            shapes.append(shape)
            neighbours[at] = shape.leaves - 1
            tables.append(shape.maxima(shape.price * (weight[at] / max(shape.leaves - 1, 1))))
        tree = np.array([shape is not None for shape in shapes], np.bool_)
        metric = Metric(False, tree, start, neighbours, np.concatenate(tables))
        return cls(np.ascontiguousarray(np.column_stack(points)), metric, tuple(shapes))

    def __len__(self) -> int:
        return len(self.points)

    def some(self, records: Ints) -> NearRecords:
        """Return some of the records."""
        return NearRecords(np.ascontiguousarray(self.points[records]), self.metric, self.shapes)

    def piles(self) -> Piles:
        """Return the records that lie at each point; equal records are looked at as one."""
        for column in self.points.T:
            ordered = np.sort(column)
            if (
                ordered[1:] != ordered[:-1]
            ).all():  # no two records are equal, and sorting by all columns would take longer
                return heap_up(self.points, np.arange(len(self)))
        return heap_up(*distinct_rows(self.points))

    def centre(self, piles: Piles) -> Centre:
        """Return what the centre of all records follows from, ready to forget records of their piles."""
        wide = self.points.shape[1]
        none = np.zeros(0, np.int64)
        if self.metric.squares:
            total, lost = self.points.sum(axis=0), np.zeros(wide)
            codes, values = np.zeros((0, wide), np.int64), np.zeros(0)
            return Centre(total, lost, codes, none, none, values, none, none, none, none, none, none, none)
        codes = np.empty(self.points.shape, np.int64)
        counts: list[Ints] = []
        held_values: list[Floats] = []
        leaves: list[Ints] = []
        nodes: list[tuple[Ints, Ints, Ints]] = [(none, none, none)]
        place, node = np.zeros(wide, np.int64), np.zeros(wide, np.int64)
        for at, shape in enumerate(self.shapes):
            place[at], node[at] = sum(map(len, counts)), sum(len(part[0]) for part in nodes)
            if shape is None:
                own, codes[:, at] = np.unique(self.points[:, at], return_inverse=True)
                leaves.append(np.full(len(own), -1, np.int64))
            else:
                own, codes[:, at] = np.arange(shape.leaves, dtype=np.float64), self.points[:, at].astype(np.int64)
                leaves.append(shape.leaf_nodes)
            held_values.append(own)
            counts.append(np.bincount(codes[:, at], minlength=len(own)).astype(np.int64))
            if shape is not None:
                held = np.zeros(len(shape.parent), np.int64)
                held[shape.leaf_nodes] = counts[-1]
                for child in range(len(held) - 1, 0, -1):
                    held[shape.parent[child]] += held[child]
                nodes.append((shape.parent, held, shape.price))
        parent, held_all, price = (np.concatenate(parts) for parts in zip(*nodes, strict=True))
        sums, nothing = np.zeros(0), np.zeros(wide, np.int64)
        return Centre(
            sums, sums.copy(), codes[piles.top], place, np.concatenate(counts), np.concatenate(held_values), nothing,
            nothing.copy(), node, parent, np.concatenate(leaves), held_all, price,
        )  # fmt: skip

    def centres(self, groups: Ints) -> Floats:
        """Return the centre of each group, numbered from 0 without gaps: means, or medians and middle leaves."""
        first = np.unique(groups, return_index=True)[1]
        statistic = "mean" if self.metric.squares else "median"
        columns = [
            aggregate(self.points[:, at], groups, statistic)[first]
            if shape is None
            else middle_leaves(self.points[:, at].astype(np.int64), groups, shape).astype(np.float64)
            for at, shape in enumerate(self.shapes)
        ]
        return np.ascontiguousarray(np.column_stack(columns))

    def away(self, records: Ints, point: Floats) -> Floats:
        """Return how far some records lie from a point; squared, if it is a sum of squares."""
        return _away(self.metric, self.points, records, point)


def _away(metric: Metric, points: Floats, some: Ints, point: Floats) -> Floats:
    out = np.empty(len(some))
    distances(metric, points, some, point, out)
    return out


def mdav(near: NearRecords, k: int, progress: Progress | None = None) -> Ints:
    """Return the group of each record, from 0; all hold k to ``2 k - 1`` records, if there are k at all.

    While at least ``3 k`` records are left: the record farthest from their centre and its ``k - 1`` nearest become a group;
    then the farthest from that record among those that remain, and its ``k - 1`` nearest. Of ``2 k`` or more that are left
    the farthest from the centre and its ``k - 1`` nearest become a group; the others are the last one.

    >>> mdav(NearRecords.euclidean(np.array([[0.0], [9.0], [1.0], [8.0], [2.0]])), 2).tolist()
    [1, 0, 1, 0, 1]
    """
    watcher = progress or Silent()
    group = np.full(len(near), -1, np.int64)
    piles = near.piles()
    centre, state = near.centre(piles), np.zeros(3, np.int64)
    origin = np.empty(near.points.shape[1])
    while piles.left[0] >= 3 * k:
        left = np.flatnonzero(piles.top >= 0)
        tree = build_tree(near.metric, piles, left)
        until = len(left) // 2 + 1
        while piles.left[0] >= 3 * k and len(left) >= until:
            watcher.tick(1 - int(piles.left[0]) / len(near), f"{int(state[0]):,} groups")
            find_centre(near.metric, centre, int(piles.left[0]), origin)
            reach = _away(near.metric, piles.points, left, origin)
            order = np.argsort(-reach, kind="stable")
            reach = np.sqrt(reach[order]) if near.metric.squares else reach[order]
            state[1] = state[2] = 0
            looks = _LOOKS * len(left) + _SOME
            peel(near.metric, tree, piles, centre, group, k, left[order], reach, origin, state, until, looks)
            left = np.flatnonzero(piles.top >= 0)
    _close(near.metric, k, group, piles, centre, int(state[0]))
    return group


def _close(metric: Metric, k: int, group: Ints, piles: Piles, centre: Centre, number: int) -> None:
    """Make one or two groups of the fewer than ``3 k`` records that are left."""
    if piles.left[0] >= 2 * k:
        tree = build_tree(metric, piles, np.flatnonzero(piles.top >= 0))
        middle = np.empty(piles.points.shape[1])
        find_centre(metric, centre, int(piles.left[0]), middle)
        first = farthest(metric, tree, middle)
        found, away = np.empty(k, np.int64), np.empty(k)
        take_group(metric, tree, piles, centre, group, number, first, k, found, away)
        number += 1
    group[group < 0] = number


def v_mdav(near: NearRecords, k: int, gamma: float, progress: Progress | None = None) -> Ints:
    """Return the group of each record, from 0; all hold k to ``2 k - 1`` records, if there are k at all.

    While k records are left: the one farthest from the centre of all and its ``k - 1`` nearest become a group. It grows, up to
    ``2 k - 1``, by the record nearest to any of its members, while that distance is below ``gamma`` times the distance of this
    record from the nearest one that has no group. Records left over join the group with the nearest centre; a group that
    reaches ``2 k`` by that is parted as MDAV parts its last ``2 k``.

    >>> v_mdav(NearRecords.euclidean(np.array([[0.0], [9.0], [0.2], [8.0], [0.1]])), 2, 1.1).tolist()
    [1, 0, 1, 0, 1]
    """
    watcher = progress or Silent()
    group = np.full(len(near), -1, np.int64)
    piles = near.piles()
    centre, state = near.centre(piles), np.zeros(3, np.int64)
    origin = np.empty(near.points.shape[1])
    find_centre(near.metric, centre, len(near), origin)
    order = np.argsort(-_coarse(near.away(np.arange(len(near)), origin)), kind="stable")
    while piles.left[0] >= k:
        watcher.tick(1 - int(piles.left[0]) / len(near), f"{int(state[0]):,} groups")
        left = np.flatnonzero(piles.top >= 0)
        tree = build_tree(near.metric, piles, left)
        state[1] = 0
        grow(near.metric, tree, piles, centre, group, k, float(gamma), order, state, len(left) // 2 + 1)
        order = order[group[order] < 0]
    return _joined(near, k, group, np.flatnonzero(group < 0))


def _joined(near: NearRecords, k: int, group: Ints, left: Ints) -> Ints:
    """Put the records that are left into the groups with the nearest centres, and part the groups that get too large."""
    placed = np.flatnonzero(group >= 0)
    if len(placed) == 0:
        return np.zeros(len(near), np.int64)
    if len(left) == 0:
        return group
    centres = NearRecords(near.some(placed).centres(group[placed]), near.metric, near.shapes)
    everyone = np.arange(len(centres))
    for record in left.tolist():
        group[record] = int(np.argmin(_coarse(centres.away(everyone, near.points[record]))))
    number = len(centres)
    for large in np.flatnonzero(np.bincount(group) >= 2 * k).tolist():
        members = np.flatnonzero(group == large)
        parts = mdav(near.some(members), k)
        group[members[parts == 1]] = number
        number += 1
    return group


def _coarse(values: Floats) -> Floats:
    """Return numbers rounded to 41 binary digits, as kernels compare them."""
    wide = np.asarray(values * 4097.0)
    return np.asarray(wide - (wide - values))


def sums_of_squares(points: Floats, groups: Ints) -> tuple[float, float]:
    """Return the squared distances of records from the mean of their group, and from the mean of all, summed."""
    inside = sum(float(((column - aggregate(column, groups)) ** 2).sum()) for column in points.T)
    return inside, float(((points - points.mean(axis=0)) ** 2).sum())
