"""Paths that walk together: clusters by a plain twin, and (k, delta) on the published coordinates, after rounding."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import combinations
from math import dist

import numpy as np
import pytest

from sfumato.contracts.run import Run
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.trajectories import Trajectories
from sfumato.trajectories.algorithms.never_walk_alone import NeverWalkAlone
from sfumato.trajectories.models.k_delta_anonymity import KDeltaAnonymity
from sfumato.trajectories.models.lkc_privacy import LKCPrivacy
from sfumato.trajectories.moving_objects import MovingObjects, ObjectGroups
from sfumato.trajectories.releases.moved_paths import MovedPaths
from sfumato.trajectories.task import TrajectoryTask


def walks(rng: np.random.Generator, persons: int, times: int, width: float = 1000.0) -> Trajectories:
    """Return random walks in metres on a common clock."""
    start = rng.random((persons, 1, 2)) * width
    points = start + rng.normal(0, width / 40, (persons, times, 2)).cumsum(axis=1)
    return Trajectories.of(
        [[(*point, at) for at, point in enumerate(path.tolist())] for path in points], unit="metres", grid=100
    )


def plain_clusters(
    x: np.ndarray, y: np.ndarray, k: int, radius: float, budget: int, growth: float
) -> tuple[list[list[int]], list[int]]:
    """Cluster as the book says, with lists."""
    n, steps = x.shape

    def apart(one: int, other: int) -> float:
        return sum(dist((x[one, t], y[one, t]), (x[other, t], y[other, t])) for t in range(steps)) / steps

    centre = [(x[:, t].mean(), y[:, t].mean()) for t in range(steps)]
    while True:
        active, free = set(range(n)), set(range(n))
        far = {at: sum(dist((x[at, t], y[at, t]), centre[t]) for t in range(steps)) / steps for at in range(n)}
        groups, pivots = [], []
        while active and len(free) >= k:
            pivot = max(active, key=lambda at: (far[at], -at))
            active.discard(pivot)
            far = {at: apart(pivot, at) for at in range(n)}
            near = sorted(free - {pivot}, key=lambda at: (far[at], at))[: k - 1]
            if pivot in free and all(far[at] <= radius for at in near):
                groups.append([pivot, *near])
                pivots.append(pivot)
                free -= {pivot, *near}
                active -= {pivot, *near}
        trash = []
        for at in sorted(free):
            home = min(range(len(pivots)), key=lambda one: (apart(pivots[one], at), pivots[one]), default=None)
            if home is not None and apart(pivots[home], at) <= radius:
                groups[home].append(at)
            else:
                trash.append(at)
        if len(trash) <= budget:
            return sorted(sorted(group) for group in groups), trash
        radius *= growth


@pytest.mark.parametrize("seed", range(20))
def test_the_clusters_of_the_naive_twin(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(5, 30)), int(rng.integers(2, 5))
    x, y = rng.random((2, n, 3)) * 10
    search = NeverWalkAlone(max_radius=float(rng.uniform(0.3, 4)), max_trash=float(rng.choice([0.0, 0.1, 0.3])))
    found = search.cluster(x, y, k)
    groups, trash = plain_clusters(x, y, k, search.max_radius or 0, int(search.max_trash * n + 1e-9), search.growth)
    assert sorted(map(list, found.groups)) == groups
    assert list(found.outliers) == trash


@pytest.mark.parametrize("seed", range(15))
@pytest.mark.parametrize("decimals", [0, 2])
def test_published_points_are_near_each_other_after_rounding(seed: int, decimals: int) -> None:
    rng = np.random.default_rng(seed)
    paths = walks(rng, 40, 6)
    model = KDeltaAnonymity(k=int(rng.integers(2, 6)), delta=float(rng.choice([0.0, 0.7, 25.0, 300.0])))
    task = TrajectoryTask(paths, [model], suppress_at_most=0.5)  # type: ignore[list-item]
    outcome = NeverWalkAlone(decimals=decimals).run(task, Run(rng=rng))
    assert outcome.built is not None
    groups = outcome.built.tables["persons"].to_rows()
    points: dict[tuple[int, int], tuple[float, float]] = {
        (person, time): (x, y) for person, time, x, y in outcome.built.tables["points"].to_rows()
    }
    for group in {row[1] for row in groups}:
        members = [row[0] for row in groups if row[1] == group]
        assert len(members) >= model.k
        for time in range(6):
            for one, other in combinations(members, 2):
                assert dist(points[one, time], points[other, time]) <= model.delta * (1 + 1e-9)
    assert all(round(value, decimals) == value for point in points.values() for value in point)
    assert outcome.built.kind.verify(outcome.built.tables, [model], ())[0].satisfied


def test_a_verifier_sees_who_walks_alone() -> None:
    objects = MovingObjects.of({"a": [(0, 0)], "b": [(0, 3)], "c": [(9, 9)]})
    built = MovedPaths.build(ObjectGroups.of(objects, [["a", "b"], ["c"]]), np.random.default_rng(1))
    verdict = MovedPaths().verify(built.tables, [KDeltaAnonymity(k=2, delta=3)], ())[0]
    assert not verdict.satisfied
    assert (verdict.strongest, verdict.violating_records) == (1, 1)
    with pytest.raises(Unsupported, match="not true"):
        MovedPaths().verify(built.tables, [LKCPrivacy(L=1, K=2)], ())  # type: ignore[list-item]


def test_other_spans_do_not_walk_together() -> None:
    objects = MovingObjects.of({"a": [(0, 0), (0, 0)], "b": [(0, 0), None]})
    assert objects.farthest("a", "b") is None
    assert not KDeltaAnonymity(k=2, delta=5).judge(ObjectGroups.of(objects, [["a", "b"]])).satisfied


def test_gaps_are_filled_along_straight_lines_or_refused() -> None:
    paths = Trajectories.of([[(0, 0, 0), (4, 8, 4)], [(0, 0, 0), (1, 2, 1), (4, 8, 4)]], unit="metres", grid=100)
    task = TrajectoryTask(paths, [KDeltaAnonymity(k=2, delta=0)])  # type: ignore[list-item]
    built = NeverWalkAlone(step=1).run(task, Run(rng=np.random.default_rng(1))).built
    assert built is not None
    assert built.tables["points"].to_rows()[:5] == [(1, at, float(at), 2.0 * at) for at in range(5)]
    with pytest.raises(BadRequest, match="5 points are missing"):
        NeverWalkAlone(step=1, interpolate=False).run(task, Run())


def test_times_of_day_are_trimmed_to_whole_hours() -> None:
    begin = datetime(2026, 11, 16, 7, 50)
    path = [(float(at), 0.0, begin + timedelta(minutes=at)) for at in range(140)]
    paths = Trajectories.of([path, path], unit="metres", grid=100)
    task = TrajectoryTask(paths, [KDeltaAnonymity(k=2, delta=0)])  # type: ignore[list-item]
    outcome = NeverWalkAlone(step="1min", pi=60).run(task, Run(rng=np.random.default_rng(1)))
    assert outcome.built is not None
    times = [row[1] for row in outcome.built.tables["points"].to_rows()]
    assert (min(times), max(times)) == (datetime(2026, 11, 16, 8), datetime(2026, 11, 16, 10))
    assert outcome.facts.lost_ends == 2 * (140 - 121)


def test_who_is_left_out_counts_against_the_limit() -> None:
    paths = walks(np.random.default_rng(1), 9, 3)
    task = TrajectoryTask(paths, [KDeltaAnonymity(k=4, delta=10)], suppress_at_most=0.0)  # type: ignore[list-item]
    with pytest.raises(Infeasible, match="suppress_at_most"):
        NeverWalkAlone(max_trash=0.9, max_radius=1e-9).run(task, Run())
    named = Trajectories.of([[("a", 1)], [("a", 1)]])
    with pytest.raises(BadRequest, match="coordinates"):
        NeverWalkAlone().run(TrajectoryTask(named, [KDeltaAnonymity(k=2, delta=1)]), Run())  # type: ignore[list-item]
    with pytest.raises(Infeasible, match="larger than"):
        NeverWalkAlone().run(TrajectoryTask(paths, [KDeltaAnonymity(k=99, delta=1)]), Run())  # type: ignore[list-item]
