"""Metrics of mobility: by plain code on random paths, and what they say of nothing changed and of everything gone."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from math import dist, log2

import numpy as np
import pytest

from sfumato.catalogue import things
from sfumato.errors import Unsupported
from sfumato.trajectories import Trajectories
from sfumato.trajectories.metric import Masked, TrajectoryMetric
from sfumato.trajectories.metrics._distributions import earth_mover, jensen_shannon
from sfumato.trajectories.metrics.distance_distortion import DistanceDistortion
from sfumato.trajectories.metrics.distinct_places import DistinctPlaces
from sfumato.trajectories.metrics.radius_of_gyration import RadiusOfGyration
from sfumato.trajectories.metrics.range_query_error import RangeQueryError
from sfumato.trajectories.metrics.trip_duration import TripDuration
from sfumato.trajectories.metrics.trip_length import TripLength
from sfumato.trajectories.metrics.visit_entropy import VisitEntropy

Points = list[list[tuple[float, float, int]]]


def some_points(seed: int, persons: int = 20) -> Points:
    rng = np.random.default_rng(seed)
    return [
        [
            (*(rng.random(2) * 900).tolist(), int(at))
            for at in np.sort(rng.choice(12, int(rng.integers(1, 6)), replace=False))
        ]
        for _ in range(persons)
    ]


def read(points: Points) -> Trajectories:
    return Trajectories.of(points, unit="metres", grid=200)


def cell(point: tuple[float, float, int]) -> tuple[int, int]:
    return int(point[0] // 200), int(point[1] // 200)


def gyration(path: list[tuple[float, float, int]]) -> float:
    middle = tuple(sum(point[at] for point in path) / len(path) for at in (0, 1))
    return (sum(dist(point[:2], middle) ** 2 for point in path) / len(path)) ** 0.5


def entropy(path: list[tuple[float, float, int]]) -> float:
    counts = Counter(map(cell, path)).values()
    return -sum(count / len(path) * log2(count / len(path)) for count in counts)


@pytest.mark.parametrize("seed", range(5))
def test_numbers_of_persons_are_those_of_plain_code(seed: int) -> None:
    points = some_points(seed)
    paths = read(points)
    length = [sum(dist(a[:2], b[:2]) for a, b in pairwise(path)) for path in points]
    assert TripLength().values(paths) == pytest.approx(length)
    assert TripDuration().values(paths).tolist() == [path[-1][2] - path[0][2] for path in points]
    assert RadiusOfGyration().values(paths) == pytest.approx([gyration(path) for path in points])
    assert DistinctPlaces().values(paths).tolist() == [len(set(map(cell, path))) for path in points]
    assert VisitEntropy().values(paths) == pytest.approx([entropy(path) for path in points])


def test_nothing_changed_costs_nothing() -> None:
    paths = read(some_points(7))
    for metric in things("metric", "trajectories"):
        assert issubclass(metric, TrajectoryMetric)
        if metric.id == "mob-information-loss":
            continue
        found = metric().measure(Masked(paths, paths)).value
        assert found == (1.0 if metric.traits.better == "higher" else 0.0), metric.id


def test_everything_gone_is_measured_too() -> None:
    paths = read(some_points(8))
    empty = paths.thinned(np.zeros(len(paths.places), np.bool_))
    for metric in things("metric", "trajectories"):
        if metric.id != "mob-information-loss":
            assert np.isfinite(metric().measure(Masked(paths, empty)).value), metric.id
            assert np.isfinite(metric().measure(Masked(empty, empty)).value), metric.id


def test_distances_of_moved_points() -> None:
    points = some_points(9)
    moved = [[(x + 3, y + 4, at) for x, y, at in path] for path in points]
    found = DistanceDistortion().measure(Masked(read(points), read(moved)))
    assert found.value == pytest.approx(5.0)
    assert found.by_attribute["total"] == pytest.approx(5.0 * sum(map(len, points)))
    assert found.by_attribute["lost"] == 0


def test_questions_about_parts_of_the_map() -> None:
    points = some_points(10)
    half = read(points).taken(np.arange(10))
    found = RangeQueryError(parts=3).measure(Masked(read(points), half)).value
    flat = [point for path in points for point in path]
    low, high = ([edge(point[at] for point in flat) for at in range(3)] for edge in (min, max))

    def part(point: tuple[float, float, int]) -> tuple[int, ...]:
        return tuple(min(int((point[at] - low[at]) / ((high[at] - low[at]) / 3)), 2) for at in range(3))

    true = Counter(key for path in points for key in set(map(part, path)))
    shown = Counter(key for path in points[:10] for key in set(map(part, path)))
    assert found == pytest.approx(np.mean([abs(shown[key] - count) / max(count, 1) for key, count in true.items()]))


def test_divergence_and_distance() -> None:
    assert jensen_shannon(np.array([3.0, 1.0]), np.array([1.0, 3.0])) == pytest.approx(0.1887, abs=1e-4)
    rng = np.random.default_rng(1)
    one, other = rng.random(7), rng.random(7)
    assert earth_mover(one, other) == pytest.approx(np.abs(np.sort(one) - np.sort(other)).mean())


def test_distances_need_coordinates() -> None:
    named = Trajectories.of([[("a", 1), ("b", 2)]])
    with pytest.raises(Unsupported, match="coordinates"):
        TripLength().measure(Masked(named, named))
