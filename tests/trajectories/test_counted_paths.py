"""Operations and counts through the doors of a policy: hidden zones, stops, numbers of persons, exact and noisy."""

from __future__ import annotations

import sys
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

import sfumato
from sfumato.contracts.picture import Cells, Curves, Plot
from sfumato.contracts.published import Kept
from sfumato.contracts.run import Run
from sfumato.datasets import city
from sfumato.errors import BadRequest, Infeasible, SfumatoError, Unsupported
from sfumato.ledger.ledger import Ledger
from sfumato.trajectories import Trajectories
from sfumato.trajectories.maps import positions
from sfumato.trajectories.shape import TrajectoryShape

BASE = {
    "shape": "trajectories",
    "person": "card",
    "place": {"x": "lon", "y": "lat", "grid": "500m"},
    "time": {"column": "read_at"},
}
COUNTED = {
    "requirements": [{"id": "minimum-count", "k": 8}],
    "algorithm": {"id": "flow-count-release", "of": "flows", "cells": [1000, 8000], "bins": ["6h", "1d"]},
}
NOISY = {
    "requirements": [{"id": "approximate-differential-privacy", "epsilon": 2.0, "delta": 1e-5}],
    "algorithm": {
        "id": "private-flow-release",
        "cell": 8000,
        "bin": "1d",
        "epsilon": 2.0,
        "delta": 1e-5,
        "most": 2,
    },
}
ZONES = {"id": "privacy-zones", "radius": 500, "shift": 300, "places": 1}


@pytest.fixture(scope="module")
def town() -> pl.DataFrame:
    return city(300, seed=3).to_polars()


def gps(people: int = 12) -> pl.DataFrame:
    """Half an hour at home, a walk, half an hour at work; a point each minute."""
    rng, begin = np.random.default_rng(1), datetime(2026, 11, 16, 8)
    steps = np.concatenate((np.zeros(30), np.linspace(0, 5000, 20), np.full(30, 5000.0)))
    return pl.concat(
        pl.DataFrame(
            {
                "who": [f"p{person}"] * len(steps),
                "east": steps + 500 + rng.normal(0, 5, len(steps)),
                "north": 500 + rng.normal(0, 5, len(steps)),
                "at": [begin + timedelta(minutes=at) for at in range(len(steps))],
            }
        )
        for person in range(people)
    )


def test_numbers_of_persons_go_to_the_folder_and_are_counted_again(town: pl.DataFrame, tmp_path: Path) -> None:
    release = sfumato.anonymize(town, {**BASE, **COUNTED, "operations": [ZONES], "seed": 5})
    rows = release.tables["counts"].to_rows()
    assert min(row[-1] for row in rows) >= 8
    assert {row[2] for row in rows} <= {1000.0, 8000.0}
    assert release.certified.counts == {"records_read": 300}  # a number is no record: none of them was left out
    assert not release.little_left
    sfumato.publish(release, tmp_path / "out")
    checked = sfumato.verify(tmp_path / "out" / "public")
    assert checked
    assert checked.certificate.requirements[0].recounted == "plain"
    assert "release.parameters.zones" in checked.claims
    assert checked.certificate.guarantee == {"smallest_count": min(row[-1] for row in rows)}
    (file,) = (tmp_path / "out" / "public").glob("*.csv")
    file.write_text(file.read_text().replace(f",{rows[0][-1]}\n", ",3\n", 1))
    with pytest.raises(SfumatoError):
        sfumato.verify(tmp_path / "out" / "public")


def test_no_number_is_no_release(town: pl.DataFrame) -> None:
    with pytest.raises(Infeasible, match="no number reaches"):
        sfumato.anonymize(town, {**BASE, **COUNTED, "algorithm": {"id": "flow-count-release"}})
    with pytest.raises(Infeasible, match="lose_at_most"):
        sfumato.anonymize(town, {**BASE, **COUNTED, "limits": {"lose_at_most": 0.01}})
    with pytest.raises(Unsupported, match="minimum-count"):
        sfumato.anonymize(town, {**BASE, **COUNTED, "requirements": [{"id": "lkc-privacy", "L": 1, "K": 2}]})
    asked = {"requirements": COUNTED["requirements"], "algorithm": {"id": "trajectory-anonymizer"}}
    with pytest.raises(Unsupported, match="lkc-privacy"):
        sfumato.anonymize(town, {**BASE, **asked, "repair": {"two-places": "first"}})


def test_noisy_numbers_are_charged_to_the_budget(town: pl.DataFrame, tmp_path: Path) -> None:
    pytest.importorskip("opendp")
    with Ledger.create(tmp_path / "people.ledger") as ledger:
        ledger.budgets.allot("town", epsilon=3.0, delta=1e-4)
    asked = {**BASE, **NOISY, "ledger": str(tmp_path / "people.ledger"), "budget": "town"}
    release = sfumato.anonymize(town, asked)
    assert release.certified.charges[0].epsilon == pytest.approx(2.0, abs=1e-5)
    assert "records_read" not in release.certified.counts  # an answer without noise
    sfumato.publish(release, tmp_path / "out")
    assert sfumato.verify(tmp_path / "out" / "public")
    with pytest.raises(SfumatoError, match="left"):
        sfumato.anonymize(town, asked)
    with pytest.raises(Infeasible, match="spends more"):
        sfumato.anonymize(town, {**asked, "requirements": [{**NOISY["requirements"][0], "epsilon": 0.5}]})  # type: ignore[dict-item]


@pytest.mark.parametrize(("keep", "places"), [("stops", {0, 5}), ("trips", {1, 2, 3, 4, 5})])
def test_stops_and_trips_are_found_before_cells_and_bins(keep: str, places: set[int]) -> None:
    policy = {
        "shape": "trajectories",
        "person": "who",
        "place": {"x": "east", "y": "north", "grid": "1km", "unit": "metres"},
        "time": {"column": "at", "bin": "30min"},
        "operations": [{"id": "stay-points", "distance": 200, "duration": "20min", "keep": keep}],
        "requirements": [{"id": "lkc-privacy", "L": 2, "K": 5}],
        "repair": {"two-places": "last"},
    }
    points = sfumato.anonymize(gps(), policy).tables["points"].to_rows()
    found = {int(place.split()[1]) for _, place, _ in points}
    assert found == places if keep == "stops" else found <= places
    assert len(points) == (24 if keep == "stops" else 12)


def test_zones_are_stated_and_the_points_in_them_are_lost(town: pl.DataFrame) -> None:
    asked = {
        **BASE,
        "place": {"x": "lon", "y": "lat", "grid": "5km"},
        "time": {"column": "read_at", "bin": "1d"},
        "requirements": [{"id": "lkc-privacy", "L": 1, "K": 5}],
        "repair": {"two-places": "first"},
        "seed": 4,
    }
    whole, zoned = (sfumato.anonymize(town, {**asked, "operations": one}) for one in ([], [ZONES]))
    assert zoned.measured["lost-points"].value > whole.measured["lost-points"].value
    assert zoned.certified.release.parameters["zones"]["radius"] == 500  # type: ignore[index, call-overload]
    assert any("300 metres" in told for told in zoned.certified.statement.not_checkable)  # type: ignore[union-attr]
    assert "zones" not in whole.certified.release.parameters
    again = sfumato.anonymize(town, {**asked, "operations": [ZONES]})
    assert again.tables["points"].to_rows() == zoned.tables["points"].to_rows()
    with pytest.raises(Infeasible, match="every point"):
        sfumato.anonymize(town, {**asked, "operations": [{**ZONES, "radius": 500_000}]})


@pytest.mark.parametrize(
    ("operations", "told"),
    [
        (["flow-counts"], "stay-points or privacy-zones"),
        ([ZONES, "stay-points"], "stay-points first"),
        ([ZONES, ZONES], "each once"),
        ([{**ZONES, "shift": 900}], "below the radius"),
        ([{**ZONES, "radios": 9}], "radios"),
    ],
)
def test_operations_that_make_no_sense_are_refused(operations: list[object], told: str) -> None:
    with pytest.raises(BadRequest, match=told):
        sfumato.anonymize(gps(2), {**BASE, **COUNTED, "operations": operations})


def test_zones_and_stops_need_coordinates() -> None:
    paths = {"who": [1, 2], "where": ["a", "a"], "at": [1, 1]}
    named = {"shape": "trajectories", "person": "who", "place": {"column": "where"}, "time": {"column": "at"}}
    for one in (ZONES, {"id": "stay-points", "duration": 5}):
        with pytest.raises(BadRequest, match="coordinates"):
            sfumato.anonymize(pl.DataFrame(paths), {**named, **COUNTED, "operations": [one]})


def test_paths_are_checked_by_their_pairs() -> None:
    found = sfumato.check([[("a", 1)], [("a", 1)], [("b", 1)]], policy={"shape": "trajectories", **COUNTED})
    assert not found.satisfied
    assert next(iter(found)).strongest == 1
    assert Trajectories.of([[("a", 1)]]).supports.tolist() == [1]


def test_maps_show_ways_before_only_where_the_page_stays(town: pl.DataFrame, tmp_path: Path) -> None:
    asked = {
        **BASE,
        "place": {"x": "lon", "y": "lat", "grid": "2km"},
        "time": {"column": "read_at", "bin": "6h"},
        "requirements": [{"id": "lkc-privacy", "L": 1, "K": 2}],
        "repair": {"two-places": "first"},
    }
    shape, release = TrajectoryShape(), sfumato.anonymize(town, asked)
    with pytest.raises(Unsupported, match="all together"):
        sfumato.apply(release, town)
    inside = shape.pictures(release, Run())
    published = release.form.trajectories_of(release.tables)  # type: ignore[attr-defined]
    outside = shape.pictures(replace(release, private=Kept()), Run())
    for pictures, both in ((inside, True), (outside, False)):
        way, single = (one for one in pictures if isinstance(one, Plot))
        shown = {tuple(path.points) for path in single.paths if not path.before}
        public = {tuple(map(tuple, positions([pair.place for pair in path]).tolist())) for path in published if path}  # type: ignore[union-attr]
        assert shown <= public
        assert shown
        assert both or not any("left out" in one.title for one in pictures if isinstance(one, Cells))
        (curve,) = (one for one in pictures if isinstance(one, Curves))
        assert any(path.before for path in way.paths) == both
        assert [line.before for line in curve.lines] == ([False, True] if both else [False])
    assert positions(["a b"]) is None
    assert positions([]) is None
    assert release.measured["distance-distortion"].value == 0
    assert {"flow-divergence", "visit-entropy", "range-query-error", "radius-of-gyration"} <= set(release.measured)


def test_named_stations_are_drawn_in_lines_and_numbers_on_a_map(town: pl.DataFrame) -> None:
    asked = {
        **BASE,
        "place": {"column": "station"},
        "time": {"column": "read_at", "bin": "6h"},
        "requirements": [{"id": "lkc-privacy", "L": 2, "K": 5}],
        "repair": {"two-places": "first"},
    }
    release = sfumato.anonymize(town, asked)
    inside = TrajectoryShape().pictures(release, Run())
    ways, single = (one for one in inside if isinstance(one, Plot))
    names = set(release.tables["points"].dictionary("place").values)
    assert set(ways.labels) == names
    assert len({y for _, y in ways.points}) == len({str(name)[0] for name in names})
    assert "this is no map" in ways.caption
    assert all(len(path.points) > 1 for path in single.paths)
    (lost,) = (one for one in inside if isinstance(one, Cells) and "Pairs left out" in one.title)
    left = {(pair.place, pair.time.hour) for pair in release.form.trajectories_of(release.tables).pairs}  # type: ignore[attr-defined, union-attr]
    told = [
        (row, int(hour))
        for row, values in zip(lost.rows, lost.values, strict=True)
        for hour, value in zip(lost.columns, values, strict=True)
        if value
    ]
    assert told
    assert not left & set(told)  # one day: a pair that is left out has no point at its hour
    counted = sfumato.anonymize(town, {**BASE, **COUNTED})
    plot, grid = TrajectoryShape().pictures(counted, Run())
    assert isinstance(plot, Plot)
    assert isinstance(grid, Cells)
    rows = counted.tables["counts"].to_rows()
    finest = max({row[2] for row in rows}, key=[row[2] for row in rows].count)
    assert sum(sum(one or 0 for one in row) for row in grid.values) == sum(row[-1] for row in rows if row[2] == finest)


def test_cells_of_h3_are_drawn_where_they_lie_if_its_library_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    centres = {"871f18b25ffffff": (52.5, 13.4), "871f1d489ffffff": (52.6, 13.5)}
    library = SimpleNamespace(is_valid_cell=centres.__contains__, cell_to_latlng=centres.__getitem__)
    monkeypatch.setitem(sys.modules, "h3", library)
    where = positions(list(centres))
    assert where is not None
    assert where.tolist() == [[13.4, 52.5], [13.5, 52.6]]
    assert positions([*centres, "8fffffffffffff0"]) is None
    assert positions([*centres, "Ulm"]) is None
    monkeypatch.setitem(sys.modules, "h3", None)
    assert positions(list(centres)) is None
