"""What practice asks of paths: stays and trips, hidden homes, counts of no few persons, coarser points that are true."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import datetime, timedelta
from math import dist, hypot
from pathlib import Path

import numpy as np
import pytest

import sfumato
from sfumato.contracts.run import Run
from sfumato.datasets import city
from sfumato.errors import BadRequest, Infeasible
from sfumato.trajectories import Trajectories
from sfumato.trajectories.algorithms.private_flow_release import PrivateFlowRelease
from sfumato.trajectories.algorithms.trajectory_generalization import TrajectoryGeneralization
from sfumato.trajectories.models.lkc_privacy import LKCPrivacy
from sfumato.trajectories.recodings._stay_kernels import stays
from sfumato.trajectories.recodings.flow_counts import FlowCounts
from sfumato.trajectories.recodings.privacy_zones import PrivacyZones
from sfumato.trajectories.recodings.stay_points import StayPoints
from sfumato.trajectories.task import TrajectoryTask


def plain_stays(path: list[tuple[float, float, float]], distance: float, duration: float) -> list[tuple[int, int]]:
    found, first = [], 0
    while first < len(path):
        last = first
        while last + 1 < len(path) and dist(path[last + 1][:2], path[first][:2]) <= distance:
            last += 1
        if path[last][2] - path[first][2] >= duration:
            found.append((first, last))
            first = last + 1
        else:
            first += 1
    return found


@pytest.mark.parametrize("seed", range(10))
def test_stays_of_the_plain_twin(seed: int) -> None:
    rng = np.random.default_rng(seed)
    paths = [np.column_stack((rng.normal(0, 3, (9, 2)).cumsum(axis=0), np.arange(9.0))) for _ in range(4)]
    flat = np.concatenate(paths)
    labels = stays(np.arange(0, 37, 9), flat[:, 0].copy(), flat[:, 1].copy(), flat[:, 2].copy(), 5.0, 2.0)
    wanted, number = np.full(36, -1), 0
    for at, path in enumerate(paths):
        for first, last in plain_stays([tuple(row) for row in path.tolist()], 5.0, 2.0):
            wanted[9 * at + first : 9 * at + last + 1] = number
            number += 1
    assert labels.tolist() == wanted.tolist()


def test_stops_and_trips_share_all_points() -> None:
    rng = np.random.default_rng(2)
    begin = datetime(2026, 11, 16)
    path = [(*(rng.normal(0, 300, 2)).tolist(), begin + timedelta(minutes=5 * at)) for at in range(60)]
    found = StayPoints(distance=400, duration="10min").find(Trajectories.of([path], unit="metres", grid=100))
    assert ((found.stop >= 0) ^ (found.trip >= 0)).all()
    assert (found.end - found.begin >= 600).all()
    assert len(found) == int(found.stop.max()) + 1
    with pytest.raises(BadRequest, match="fit"):
        StayPoints(duration=5).find(Trajectories.of([path], unit="metres", grid=100))


def test_no_point_is_left_near_home_and_the_middle_of_what_is_hidden_is_another_one() -> None:
    rng = np.random.default_rng(3)
    homes = rng.random((40, 2)) * 20_000
    paths = Trajectories.of(
        [
            [(*home, at) if at % 3 == 0 else (*(home + rng.normal(0, 900, 2)), at) for at in range(60)]
            for home in homes.tolist()
        ],
        unit="metres",
        grid=100,
    )
    found = PrivacyZones(radius=600, shift=400, places=1).hide(paths, np.random.default_rng(7))
    shown = found.paths
    assert shown.x is not None
    assert shown.y is not None
    away = np.hypot(shown.x - homes[shown.owners, 0], shown.y - homes[shown.owners, 1])
    assert away.min() >= 600 - 400
    assert away.min() < 600  # the circle is not around home
    assert found.hidden == len(paths.places) - len(shown.places)


def test_trimmed_ends_and_what_is_refused() -> None:
    path = [(float(100 * at), 0.0, at) for at in range(11)]
    found = PrivacyZones(radius=2, shift=1, places=1, trim=250).hide(
        Trajectories.of([path], unit="metres", grid=100), np.random.default_rng(1)
    )
    assert [pair.time for pair in next(iter(found.paths))] == [3, 4, 5, 6, 7]
    with pytest.raises(BadRequest, match="below the radius"):
        PrivacyZones(radius=100, shift=100)


def test_no_published_number_is_below_the_least() -> None:
    town = city(400, seed=3)
    paths = Trajectories.of(town.to_polars(), person="card", x="lon", y="lat", time="read_at", grid="250m")
    for of in ("visits", "flows"):
        found = FlowCounts(of=of, least=5, cells=(500.0, 2000.0, 8000.0), bins=("1h", "6h", "1d")).count(paths)
        assert found.rows
        assert min(row[-1] for row in found.rows) >= 5
        assert {row[1] for row in found.rows} <= {500.0, 2000.0, 8000.0}
        fine = FlowCounts(of=of, least=5, cells=(500.0,), bins=("1h",)).count(paths)
        assert fine.uncounted > found.uncounted
        assert [row for row in found.rows if row[1] == 500.0] == list(fine.rows)


def test_counts_of_visits_are_those_of_plain_code() -> None:
    rng = np.random.default_rng(5)
    people = [[(str(rng.choice(list("abc"))), at) for at in range(4)] for _ in range(30)]
    paths = Trajectories.of(people)
    held = defaultdict(set)
    for number, path in enumerate(people):
        for place, time in path:
            held[place, time].add(number)
    rows = FlowCounts(least=8).count(paths).rows
    assert {(row[0][0], row[2]): row[-1] for row in rows} == {
        key: len(one) for key, one in held.items() if len(one) >= 8
    }


def test_noise_is_charged_before_it_is_drawn(tmp_path: object) -> None:
    pytest.importorskip("opendp")
    charged = []

    class Purse:
        def charge_draw(self, names: str, **facts: object) -> None:
            charged.append((names, facts))

    paths = Trajectories.of([[("a", 1), ("b", 2)]] * 200 + [[("c", 1)]])
    found = FlowCounts().noisy(
        paths,
        epsilon=2.0,
        delta=1e-6,
        most=2,
        rng=np.random.default_rng(1),
        budgets=Purse(),  # type: ignore[arg-type]
        names="city",
    )
    assert set(found.counts) == {"a @ 1", "b @ 2"}
    assert charged[0][0] == "city"
    assert found.epsilon <= 2.0
    with pytest.raises(BadRequest, match="number of persons"):
        FlowCounts().noisy(paths, epsilon=1.0, delta=0.1, most=1, rng=np.random.default_rng(1))


def test_noisy_numbers_become_coarser_where_they_are_few_and_spend_no_more() -> None:
    pytest.importorskip("opendp")
    spent = []

    class Purse:
        def charge_draw(self, names: str, **facts: float) -> None:
            spent.append((facts["epsilon"], facts["delta"]))

    crowd = [[(50.0, 50.0, 1)]] * 300
    spread = [[(1000.0 + 100 * at, 1000.0, 1)] for at in range(10) for _ in range(6)]  # ten fine cells, one coarse
    lonely = [[(90_000.0, 90_000.0, 1)]]
    paths = Trajectories.of(crowd + spread + lonely, grid=100, unit="metres")
    counter = FlowCounts(cells=(100.0, 1000.0, 10_000.0))
    found = counter.noisy(
        paths,
        epsilon=3.0,
        delta=1e-9,
        most=1,
        rng=np.random.default_rng(1),
        budgets=Purse(),  # type: ignore[arg-type]
    )
    assert [row.cell for row in found.rows] == [100.0, 1000.0]
    assert [abs(row.persons - true) < 60 for row, true in zip(found.rows, (300, 60), strict=True)] == [True, True]
    assert spent == [(found.epsilon, found.delta)]
    assert found.epsilon <= 3.0
    assert found.delta <= 1e-9
    assert found.steps == 3
    assert found.scale == pytest.approx(1.0)  # of each: one row of a person by a third of epsilon
    with pytest.raises(BadRequest, match="not both"):
        PrivateFlowRelease(epsilon=1.0, delta=1e-6, cell=3.0, cells=(1.0,))
    with pytest.raises(BadRequest, match="must rise"):
        PrivateFlowRelease(epsilon=1.0, delta=1e-6, bins=("1d", "1h"))


def test_generalized_points_are_true_and_as_fine_as_may_be() -> None:
    town = city(300, seed=5)
    policy = {
        "shape": "trajectories",
        "person": "card",
        "place": {"column": "station", "hierarchy": {"id": "taxonomy", "tree": town.taxonomies["station"]}},
        "time": {"column": "read_at"},
        "requirements": [{"id": "lkc-privacy", "L": 1, "K": 5}],
        "algorithm": {"id": "trajectory-generalization", "bins": ["1h", "6h", "1d"]},
        "repair": {"two-places": "first"},
    }
    release = sfumato.anonymize(town.to_polars(), policy)
    assert release.verdict.satisfied
    points = release.tables["points"].to_rows()
    assert min(Counter((place, time) for _, place, time in points).values()) >= 5
    assert {place for _, place, _ in points} <= {
        "City",
        *(f"Line {line}" for line in "ABCDEF"),
        *town.values("station"),
    }


def test_places_with_coordinates_grow_cell_by_cell_until_it_holds() -> None:
    rng = np.random.default_rng(6)
    paths = Trajectories.of(
        [[(*(rng.random(2) * 4000).tolist(), at) for at in range(3)] for _ in range(80)], unit="metres", grid=50
    )
    model = LKCPrivacy(L=1, K=4)
    outcome = TrajectoryGeneralization().run(TrajectoryTask(paths, [model]), Run())
    assert outcome.built is not None
    masked = outcome.built.masked  # type: ignore[attr-defined]
    assert model.judge(masked).satisfied
    assert (np.hypot(masked.x - paths.x, masked.y - paths.y) <= hypot(8000, 8000) / 2).all()
    with pytest.raises(Infeasible, match="larger cells"):
        TrajectoryGeneralization(cells=(60.0,)).run(TrajectoryTask(paths, [LKCPrivacy(L=3, K=40)]), Run())


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ({"grid": "1km"}, "cells of a grid, 1,000 metres wide: row and column, counted north and east from latitude"),
        (
            {"grid": "500m", "unit": "metres"},
            "cells of a grid, 500 metres wide: row and column, counted north and east",
        ),
    ],
)
def test_a_stranger_is_told_where_a_cell_lies(place: dict[str, object], said: str, tmp_path: Path) -> None:
    rows = [(f"p{person}", 13.4 + person % 2 * 0.01, 52.5, 8 + hour) for person in range(12) for hour in range(2)]
    policy = {
        "version": 1,
        "shape": "trajectories",
        "person": "who",
        "place": {"x": "lng", "y": "lat", **place},
        "time": {"column": "when"},
        "requirements": [{"id": "lkc-privacy", "L": 1, "K": 2, "C": 1.0}],
        "algorithm": {"id": "trajectory-anonymizer"},
    }
    made = sfumato.anonymize(sfumato.from_rows(["who", "lng", "lat", "when"], rows), policy)
    folder = sfumato.publish(made, tmp_path / "out")
    assert said in (folder / "public" / "certificate.json").read_text(encoding="utf-8")
    sfumato.verify(folder / "public")
