"""Regions against plain code: edges by looking, matchings by enumerating all assignments, hiding sets by their definition."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from sfumato.errors import BadRequest
from sfumato.trajectories.algorithms._walk_kernels import (
    mean_distances,
    merged_sets,
    nearest_on_curve,
    summed_distances,
)
from sfumato.trajectories.algorithms.mob_extreme_union import MobExtremeUnion
from sfumato.trajectories.algorithms.mob_symmetric import MobSymmetric
from sfumato.trajectories.attack_graph import AttackGraph
from sfumato.trajectories.attack_graph_kernels import fitting_regions, strong_components
from sfumato.trajectories.hilbert import hilbert_index
from sfumato.trajectories.metrics.mob_information_loss import MobInformationLoss
from sfumato.trajectories.models.mob_k_anonymity import MobKAnonymity
from sfumato.trajectories.moving_objects import MovingObjects
from sfumato.trajectories.recodings.mob_qid import MobQid
from sfumato.trajectories.regions import Cloaked, Regions
from sfumato.trajectories.releases.region_paths import RegionPaths


def some_objects(rng: np.random.Generator, count: int, times: int, width: int = 9) -> MovingObjects:
    """Return objects on a small grid, each with a quasi-identifier of its own."""
    points = rng.integers(width, size=(count, times, 2))
    made = MovingObjects.of({f"o{at:02}": row.tolist() for at, row in enumerate(points)})
    known = {
        name: np.flatnonzero(rng.random(times) < 0.5).tolist() or [int(rng.integers(times))] for name in made.names
    }
    return MobQid().mark(made, known)


def inside(point: tuple[float, float], low: list[int], high: list[int]) -> bool:
    return all(a <= b <= c for a, b, c in zip(low, point, high, strict=True))


def plain_edges(view: Cloaked) -> dict[int, tuple[int, ...]]:
    own, shown = view.individuals, view.published
    return {
        one: tuple(
            other
            for other in range(len(view))
            if all(
                inside(tuple(own.low[one, at]), shown.low[other, at].tolist(), shown.high[other, at].tolist())
                and inside(tuple(own.high[one, at]), shown.low[other, at].tolist(), shown.high[other, at].tolist())
                for at in np.flatnonzero(view.known[one])
            )
        )
        for one in range(len(view))
    }


@pytest.mark.parametrize("seed", range(25))
def test_only_edges_of_some_whole_assignment_are_left(seed: int) -> None:
    rng = np.random.default_rng(seed)
    raw = some_objects(rng, 6, 3, 4)
    low = np.stack((raw.x, raw.y), axis=2).astype(np.int64) - rng.integers(3, size=(6, 3, 2))
    high = np.stack((raw.x, raw.y), axis=2).astype(np.int64) + rng.integers(3, size=(6, 3, 2))
    view = Cloaked.of(raw, Regions(low, high, raw.seen, raw.times, raw.names))
    graph, edges = AttackGraph.of(view), plain_edges(view)
    assert graph.edges() == edges
    matchings = [one for one in permutations(range(6)) if all(other in edges[at] for at, other in enumerate(one))]
    assert graph.perfect_matchings() == len(matchings)
    assert graph.candidates() == {at: tuple(sorted({one[at] for one in matchings})) for at in range(6)}
    assert graph.mutual.tolist() == [sum(at in edges[other] for other in edges[at]) for at in range(6)]
    assert graph.symmetric == all(at in edges[other] for at in edges for other in edges[at])
    levels = MobKAnonymity(k=1).levels(view)
    assert levels.strict <= levels.mutual <= levels.matching == min(map(len, graph.candidates().values()))


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("search", [MobExtremeUnion, MobSymmetric])
@pytest.mark.parametrize("distance", ["euclidean", "hilbert"])
def test_whoever_hides_hides_among_k(seed: int, search: type[MobExtremeUnion], distance: str) -> None:
    rng = np.random.default_rng(seed)
    raw, k = some_objects(rng, int(rng.integers(4, 9)), int(rng.integers(1, 5))), int(rng.integers(2, 5))
    hidden = search(distance=distance).hide(raw, min(k, len(raw)))
    regions = hidden.regions(raw)
    view = Cloaked.of(raw, regions)
    assert MobKAnonymity(k=min(k, len(raw))).judge(view).satisfied
    alone = Cloaked(regions, regions, raw.qid)  # what a stranger has
    assert MobKAnonymity(k=min(k, len(raw))).judge(alone).satisfied
    points = np.stack((raw.x, raw.y), axis=2)
    assert ((regions.low <= points) & (points <= regions.high)).all()
    for at in range(len(raw.times)):
        groups = [np.flatnonzero(hidden.classes[at] == one) for one in np.unique(hidden.classes[at])]
        for members in groups:
            if len(members) > 1:
                assert len(members) >= min(k, len(raw))
                assert (regions.low[members, at] == points[members, at].min(axis=0)).all()
                assert (regions.high[members, at] == points[members, at].max(axis=0)).all()
    loss = sum(1 - 1 / area for row in regions.areas.tolist() for area in row)
    assert MobInformationLoss().measure(regions).value == pytest.approx(loss)
    built = RegionPaths.build(view, rng)
    assert RegionPaths().verify(built.tables, [MobKAnonymity(k=min(k, len(raw)))], ())[0].satisfied


@pytest.mark.parametrize("seed", range(20))
def test_kernels_say_what_plain_code_says(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.random((2, 9, 4))
    apart = np.hypot(x[:, None] - x[None], y[:, None] - y[None])
    assert mean_distances(x, y, 3) == pytest.approx(apart[3].mean(axis=1))
    times = np.array([0, 2])
    assert summed_distances(x, y, 3, times) == pytest.approx(apart[3][:, times].sum(axis=1))
    index = rng.integers(12, size=(9, 4))
    order = np.argsort(index, axis=0, kind="stable").T.copy()
    score = np.abs(index - index[3])[:, times].sum(axis=1)
    near = [at for at in np.lexsort((np.arange(9), score)).tolist() if at != 3][:4]
    assert nearest_on_curve(index, order, np.argsort(order, axis=1), 3, times, 4).tolist() == near
    starts, targets = np.arange(0, 28, 3), rng.integers(9, size=27)
    reach = np.eye(9, dtype=bool)
    reach[np.repeat(np.arange(9), 3), targets] = True
    for through in range(9):
        reach |= reach[:, [through]] & reach[[through]]
    found = strong_components(starts, targets)
    assert ((found[:, None] == found[None]) == (reach & reach.T)).all()
    held = rng.random((9, 2)) < 0.4
    merged = merged_sets(starts, targets, held)
    for at in range(2):
        linked = np.eye(9, dtype=bool)
        for one in np.flatnonzero(held[:, at]):
            members = [one, *targets[starts[one] : starts[one + 1]]]
            linked[np.ix_(members, members)] = True
        for through in range(9):
            linked |= linked[:, [through]] & linked[[through]]
        assert merged[at].tolist() == linked.argmax(axis=1).tolist()


def test_fitting_regions_of_nobody() -> None:
    none = np.empty((0, 2, 2), np.int64)
    starts, targets = fitting_regions(none, none, none, none, np.empty((0, 2), np.bool_), np.empty((0, 2), np.bool_))
    assert starts.tolist() == [0]
    assert len(targets) == 0


def test_the_curve_visits_every_cell_once_and_goes_to_a_neighbour() -> None:
    x, y = np.meshgrid(np.arange(16), np.arange(16))
    index = hilbert_index(x.ravel(), y.ravel(), 16)
    assert sorted(index.tolist()) == list(range(256))
    order = np.argsort(index)
    steps = np.abs(np.diff(x.ravel()[order])) + np.abs(np.diff(y.ravel()[order]))
    assert set(steps.tolist()) == {1}


def test_what_cannot_be_hidden_is_refused() -> None:
    raw = MovingObjects.of({"a": [(0, 0), None], "b": [(1, 1), (2, 2)]})
    with pytest.raises(BadRequest, match="missing at times"):
        MobSymmetric().hide(raw, 2)
    with pytest.raises(BadRequest, match="number of objects"):
        MobSymmetric().hide(raw, 3)
    whole = MovingObjects.of({"a": [(0, 0)], "b": [(1, 1)]})
    with pytest.raises(BadRequest, match="no time"):
        MobQid(default="none").mark(whole, {"a": [0]})
    with pytest.raises(BadRequest, match="not a time"):
        MobQid().mark(whole, [("a", 7)])
    with pytest.raises(BadRequest, match="does not hold"):
        AttackGraph.of(Cloaked.of(whole, Regions.of({"a": [((3, 3), (4, 4))], "b": [((0, 0), (1, 1))]})))
    with pytest.raises(BadRequest, match="whole numbers"):
        MobSymmetric(distance="hilbert").hide(MovingObjects.of({"a": [(0.5, 0)], "b": [(1, 1)]}), 2)
