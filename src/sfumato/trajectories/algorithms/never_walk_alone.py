"""Never walk alone: similar paths form groups of k or more, and points are moved together until nobody walks alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from sfumato.contracts.algorithm import Outcome, Search, SearchTraits, suppression_budget
from sfumato.contracts.facts import Facts
from sfumato.contracts.model import Requirement
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.kernels.arrays import Floats, Ints
from sfumato.trajectories.algorithms._cylinders import Cylinders, in_cylinders
from sfumato.trajectories.algorithms._time_grid import Sampled, sampled
from sfumato.trajectories.algorithms._walk_kernels import mean_distances
from sfumato.trajectories.built import BuiltTrajectories
from sfumato.trajectories.models.k_delta_anonymity import KDeltaAnonymity
from sfumato.trajectories.moved import moved_trajectories
from sfumato.trajectories.moving_objects import MovingObjects, ObjectGroups, origin
from sfumato.trajectories.releases.moved_paths import MovedPaths
from sfumato.trajectories.task import TrajectoryTask

__all__ = ["Clusters", "NeverWalkAlone", "Spans", "WalkFacts"]

_KEPT_DISTANCES = 100_000_000  # numbers: 800 MB, the whole matrix of ten thousand paths
_MOST_RESTARTS = 200
_FIRST_RADIUS = 0.01  # of the diagonal of the class, where nobody says


@frozen
class Spans:
    """Spans after trimming (``None`` if nothing is left), classes of equal spans, and who was discarded for having none."""

    trimmed: Mapping[str, tuple[int, int] | None]
    classes: tuple[tuple[str, ...], ...]
    discarded: tuple[str, ...]


@frozen(eq=False)
class Clusters:
    """Groups of paths by their places in a class, outliers, the radius that did, and how often it took to find it."""

    groups: tuple[tuple[int, ...], ...]
    outliers: tuple[int, ...]
    max_radius: float
    restarts: int


@frozen(eq=False, repr=False, kw_only=True)
class WalkFacts(Facts):
    """What became of paths and points.

    ``trimmed_away`` persons have no span of a whole number of periods, ``too_few`` share theirs with fewer than k, ``trash``
    are outliers of the clusters. ``translation`` is the sum of all distances that points were moved, ``trash_cost`` that of
    points of those who were left out, each at the largest single translation; ``lost_ends`` counts points outside the trimmed
    spans.
    """

    groups: int
    trimmed_away: int
    too_few: int
    trash: int
    translation: float
    trash_cost: float
    largest: float
    lost_ends: int
    restarts: int

    def words(self, *, chosen: bool = False) -> list[str]:
        return [
            say("moving.walked", groups=self.groups, moved=self.translation, largest=self.largest),
            say("moving.left_out", trimmed=self.trimmed_away, few=self.too_few, trash=self.trash),
        ]


class NeverWalkAlone(Search[TrajectoryTask]):
    """Group paths of one span by their mean distance, then move points into a cylinder around each group's centre.

    *Trimming*: starts go up to the next multiple of ``pi`` steps of the clock, ends down to the previous one; paths with equal
    spans form a class, and classes below k are left out. *Clustering* of a class by ``D(a, b)``, the mean over t of
    ``dist(a[t], b[t])``: the first pivot is farthest from the centre of the class, every next one farthest from the last,
    among those that are not in a cluster. A pivot and its k - 1 nearest unassigned paths form a cluster if the farthest is
    within ``max_radius``. In the end everybody joins the nearest pivot within ``max_radius``, or is an outlier; if these are
    more than ``max_trash`` of the class, ``max_radius`` grows by ``growth`` and all starts again. *Translation*: a point
    farther than ``delta / 2`` from the mean of its group moves straight onto that circle, so that any two are within
    ``delta``. Published coordinates are rounded, and the circle is smaller by what rounding can add.

    Paths must be tracked all along: gaps inside a span are filled along straight lines, or refused without ``interpolate``.
    Points are not true any more, and nothing protects sensitive values.

    Examples
    --------
    >>> objects = MovingObjects.of({"A": [(0, 0), (0, 0)], "B": [(6, 0), (0, 2)]})
    >>> found = NeverWalkAlone().translate(ObjectGroups.of(objects, [["A", "B"]]), delta=2)
    >>> found.x.tolist(), found.y.tolist()
    ([[2.0, 0.0], [4.0, 0.0]], [[0.0, 0.0], [0.0, 2.0]])
    >>> NeverWalkAlone(pi=60).preprocess({"A": (50, 250), "C": (70, 110)}).trimmed
    {'A': (60, 240), 'C': None}

    References
    ----------
    Abul, Bonchi, Nanni, "Never walk alone: uncertainty for anonymity in moving objects databases", 2008,
    doi:10.1109/ICDE.2008.4497446.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 14.3.2.
    """

    id: ClassVar[str] = "never-walk-alone"
    traits: ClassVar[SearchTraits] = SearchTraits(
        release=MovedPaths.id,
        optimal=False,
        deterministic=True,
        truthful=False,
        anytime=False,
        cost="paths of a class squared x times, at most; restarts reuse distances",
    )

    pi: int = param(default=1, ge=1, doc="how many steps of the clock a period has that spans begin and end with")
    step: str | float | None = param(
        default=None, doc="length of a step, such as 1min, or a number; the smallest gap between times if not given"
    )
    max_radius: float | None = param(
        default=None, gt=0, doc="largest distance in a cluster at first; a hundredth of the diagonal if not given"
    )
    max_trash: float = param(default=0.1, ge=0, lt=1, doc="largest share of a class that may be outliers of clusters")
    growth: float = param(default=1.5, gt=1, doc="what the radius is multiplied by if there are too many outliers")
    interpolate: bool = param(default=True, doc="whether gaps inside a path are filled along straight lines")
    decimals: int = param(default=0, ge=0, le=9, doc="decimals of published coordinates")

    def run(self, task: TrajectoryTask, run: Run) -> Outcome:
        """Group and move the paths as the one requirement asks for."""
        model, paths = _asked(task), task.trajectories
        run.stage("sampling")
        held = sampled(paths, self.step, self.pi, interpolate=self.interpolate)
        slack = np.sqrt(0.5) * 10.0**-self.decimals
        found = _Found(model.k)
        for members in held.classes:
            if len(members) < model.k:
                found.too_few += len(members)
                continue
            x, y = held.points(members)
            clusters = self.cluster(x, y, model.k, run)
            found.add(members, clusters, in_cylinders(x, y, clusters.groups, model.delta, slack, self.decimals))
        gone = len(paths) - len(found.kept)
        if gone > suppression_budget(task.suppress_at_most, len(paths)):
            raise Infeasible(
                say(
                    "moving.too_many_left_out",
                    gone=gone,
                    persons=len(paths),
                    share=gone / len(paths),
                    most=task.suppress_at_most,
                    trimmed=held.discarded,
                    few=found.too_few,
                    trash=found.trash,
                ),
                measured=gone / len(paths),
                bound=f"<= {task.suppress_at_most:g}",
            )
        if not found.kept:
            raise Infeasible("nobody walks with enough others", measured=0, bound=model.k, requirement=model.id)
        facts = found.facts(held, paths.lengths)
        kept = np.array(found.kept, np.int64)
        groups = found.groups(held, self.decimals)
        kind, tables = MovedPaths.parts_of(
            groups,
            run.rng,
            {name: keys.take(kept) for name, keys in paths.columns.items()},
            task.sensitive,
            origin(paths) if paths.unit == "degrees" else (),
        )
        built = BuiltTrajectories(kind, tables, masked=moved_trajectories(paths, groups.objects, kept))
        return Outcome(built=built, facts=facts, warnings=[say("moving.delta_caveat", delta=model.delta)])

    def preprocess(self, spans: Mapping[str, tuple[int, int]]) -> Spans:
        """Trim spans, given as first and last whole step, to whole periods, and put equal ones together."""
        trimmed: dict[str, tuple[int, int] | None] = {}
        classes: dict[tuple[int, int], list[str]] = {}
        for name, (first, last) in spans.items():
            start, end = -(-first // self.pi) * self.pi, last // self.pi * self.pi
            trimmed[name] = (start, end) if start < end else None
            if start < end:
                classes.setdefault((start, end), []).append(name)
        return Spans(
            trimmed,
            tuple(tuple(one) for one in classes.values()),
            tuple(name for name, span in trimmed.items() if span is None),
        )

    def cluster(self, x: Floats, y: Floats, k: int, run: Run | None = None) -> Clusters:
        """Return clusters of k or more rows of points, all seen at the same times."""
        if k > len(x):
            raise BadRequest("must be at most the number of paths", parameter="k", value=k)
        if run is not None:
            run.stage("clustering")
        distances = _Distances(x, y)
        diagonal = float(np.hypot(np.ptp(x), np.ptp(y))) if x.size else 0.0
        radius = self.max_radius or max(diagonal * _FIRST_RADIUS, np.finfo(np.float64).tiny)
        budget = suppression_budget(self.max_trash, len(x))
        for restarts in range(_MOST_RESTARTS):
            groups, outliers = _clustered(distances, k, radius, run)
            if len(outliers) <= budget:
                return Clusters(groups, outliers, radius, restarts)
            radius *= self.growth
        raise Infeasible("no radius leaves few enough outliers", measured=len(outliers), bound=budget)

    def translate(self, groups: ObjectGroups, delta: float) -> Cylinders:
        """Move the points of groups into cylinders of diameter ``delta`` around their centres; nothing is rounded."""
        if delta < 0:
            raise BadRequest("must be 0 or more", parameter="delta", value=delta)
        for members in groups.members:
            if (groups.objects.seen[members] != groups.objects.seen[members[0]]).any():
                raise BadRequest("members of a group must be seen at the same times", parameter="groups")
        rows = [one.tolist() for one in groups.members]
        return in_cylinders(groups.objects.x, groups.objects.y, rows, delta)


class _Distances:
    """Distances of one path to all others of its class, kept as far as memory allows."""

    def __init__(self, x: Floats, y: Floats) -> None:
        self.x, self.y = np.ascontiguousarray(x), np.ascontiguousarray(y)
        self._kept: dict[int, Floats] = {}

    def __len__(self) -> int:
        return len(self.x)

    def of(self, one: int) -> Floats:
        row = self._kept.get(one)
        if row is None:
            row = mean_distances(self.x, self.y, one)
            if (len(self._kept) + 1) * len(row) <= _KEPT_DISTANCES:
                self._kept[one] = row
        return row

    def from_centre(self) -> Floats:
        apart = np.hypot(self.x - self.x.mean(axis=0), self.y - self.y.mean(axis=0))
        return np.asarray(apart.mean(axis=1), np.float64)


def _clustered(
    distances: _Distances, k: int, radius: float, run: Run | None
) -> tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]:
    """Return clusters and outliers for one radius; ties go to the first."""
    active = np.ones(len(distances), np.bool_)  # who may become a pivot
    free = np.ones(len(distances), np.bool_)  # who is in no cluster
    from_last = distances.from_centre()
    pivots: list[int] = []
    members: list[list[int]] = []
    while active.any():
        if run is not None:
            run.checkpoint()
        pivot = int(np.argmax(np.where(active, from_last, -1.0)))
        active[pivot] = False
        from_last = distances.of(pivot)
        if int(free.sum()) < k:
            break
        others = free.copy()
        others[pivot] = False
        near = _nearest(from_last, np.flatnonzero(others), k - 1)
        if not len(near) or float(from_last[near].max()) <= radius:
            members.append([pivot, *near.tolist()])
            pivots.append(pivot)
            free[members[-1]] = False
            active[members[-1]] = False
    rest = np.flatnonzero(free)
    if not pivots:
        return (), tuple(rest.tolist())
    nearest, home = np.full(len(rest), np.inf), np.zeros(len(rest), np.int64)
    order = np.argsort(pivots, kind="stable").tolist()
    for number in order if len(rest) else []:
        apart = distances.of(pivots[number])[rest]
        closer = apart < nearest
        nearest[closer], home[closer] = apart[closer], number
    joins = nearest <= radius
    for one, number in zip(rest[joins].tolist(), home[joins].tolist(), strict=True):
        members[number].append(one)
    return tuple(tuple(sorted(one)) for one in members), tuple(rest[~joins].tolist())


def _nearest(apart: Floats, among: Ints, count: int) -> Ints:
    """Return the nearest of some paths, ties to the first."""
    if count == 0:
        return among[:0]
    values = apart[among]
    limit = np.partition(values, count - 1)[count - 1]
    below = among[values < limit]
    return np.concatenate((below, among[values == limit][: count - len(below)]))


class _Found:
    """Clusters of all classes, put together."""

    def __init__(self, k: int) -> None:
        self.k, self.too_few, self.trash, self.restarts, self.largest = k, 0, 0, 0, 0.0
        self.translation, self.kept = 0.0, list[int]()
        self._group: list[int] = []
        self._rows: list[tuple[Ints, Floats, Floats]] = []
        self._next = 0

    def add(self, members: Ints, clusters: Clusters, moved: Cylinders) -> None:
        self.trash += len(clusters.outliers)
        self.restarts += clusters.restarts
        places = [at for group in clusters.groups for at in group]
        self._group += [self._next + number for number, group in enumerate(clusters.groups) for _ in group]
        self._next += len(clusters.groups)
        self.kept += members[places].tolist()
        self._rows.append((members[places], moved.x[places], moved.y[places]))
        self.translation += moved.total
        self.largest = max(self.largest, moved.largest)

    def groups(self, held: Sampled, decimals: int) -> ObjectGroups:
        """Return the moved paths of everybody who is kept, on the clock."""
        kept = np.array(self.kept, np.int64)
        x, y = np.full((2, len(kept), len(held.times)), np.nan)
        at = 0
        for members, some_x, some_y in self._rows:
            first, last = held.first[members[0]] if len(members) else 0, held.last[members[0]] if len(members) else -1
            x[at : at + len(members), first : last + 1] = np.round(some_x, decimals) + 0.0
            y[at : at + len(members), first : last + 1] = np.round(some_y, decimals) + 0.0
            at += len(members)
        objects = MovingObjects(x, y, held.times, tuple(held.names[one] for one in self.kept))
        return ObjectGroups(objects, np.array(self._group, np.int64))

    def facts(self, held: Sampled, lengths: Ints) -> WalkFacts:
        gone = np.ones(len(lengths), np.bool_)
        gone[self.kept] = False
        return WalkFacts(
            groups=self._next,
            trimmed_away=held.discarded,
            too_few=self.too_few,
            trash=self.trash,
            translation=self.translation,
            trash_cost=self.largest * int(lengths[gone].sum()),
            largest=self.largest,
            lost_ends=held.lost_ends,
            restarts=self.restarts,
        )


def _asked(task: TrajectoryTask) -> KDeltaAnonymity:
    """Return the one requirement that moved paths can promise."""
    every: Sequence[Requirement] = task.models
    asked = [model for model in every if isinstance(model, KDeltaAnonymity)]
    if len(asked) != 1 or len(task.models) != 1:
        raise Unsupported(
            f"{NeverWalkAlone.id} promises one requirement, {KDeltaAnonymity.id}",
            thing=NeverWalkAlone.id,
            alternatives=[KDeltaAnonymity.id],
        )
    if asked[0].k > len(task.trajectories):
        raise Infeasible(
            "k is larger than the number of persons",
            measured=len(task.trajectories),
            bound=asked[0].k,
            requirement=asked[0].id,
        )
    return asked[0]
