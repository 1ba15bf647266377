"""Moved paths and regions through every door: made, written, verified from the public folder, recounted, attacked."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import sfumato
from sfumato.errors import BadRequest, Unsupported

BEGIN = datetime(2026, 11, 16, 8)
POLICY = {
    "shape": "trajectories",
    "person": "card",
    "place": {"x": "lon", "y": "lat", "grid": "500m"},
    "time": {"column": "at"},
    "columns": {"ill": {"role": "sensitive"}},
    "limits": {"suppress_at_most": 0.3},
}
WALKS = {"requirements": [{"id": "k-delta-anonymity", "k": 3, "delta": 150}], "algorithm": {"id": "never-walk-alone"}}
REGIONS = {
    "requirements": [{"id": "mob-k-anonymity", "k": 3, "times": ["2026-11-16T08:00:00", "2026-11-16T08:20:00"]}],
    "algorithm": {"id": "mob-symmetric", "cell": 100},
    "metrics": ["mob-information-loss", "lost-points"],
}


def people(count: int = 30, times: int = 6) -> pl.DataFrame:
    rng = np.random.default_rng(4)
    start = np.array([10, 50]) + rng.random((count, 1, 2)) * 0.02
    points = start + rng.normal(0, 0.0004, (count, times, 2)).cumsum(axis=1)
    return pl.DataFrame(
        {
            "card": np.repeat([f"c{at}" for at in range(count)], times),
            "at": [BEGIN + timedelta(minutes=5 * at) for at in range(times)] * count,
            "lon": points[:, :, 0].ravel(),
            "lat": points[:, :, 1].ravel(),
            "ill": np.repeat(["flu", "cold", "hiv"] * (count // 3), times),
        }
    )


@pytest.mark.parametrize("asked", [WALKS, REGIONS], ids=["walks", "regions"])
def test_from_the_table_to_the_public_folder_and_back(asked: dict[str, object], tmp_path: Path) -> None:
    release = sfumato.anonymize(people(), {**POLICY, **asked, "seed": 3})
    assert release.verdict.satisfied
    sfumato.publish(release, tmp_path / "out")
    checked = sfumato.verify(tmp_path / "out" / "public")
    assert checked
    entry = checked.certificate.requirements[0]
    assert (entry.judged, entry.recounted) == ("outside", "plain")
    again = sfumato.anonymize(people(), {**POLICY, **asked, "seed": 3})
    assert [table.to_rows() for table in again.tables.values()] == [
        table.to_rows() for table in release.tables.values()
    ]
    page = (tmp_path / "out" / "public" / "report.html").read_text()
    assert "part of the map" in page
    assert ("Where groups walk" in page) == (asked is WALKS)
    assert "c1" not in (tmp_path / "out" / "public" / "persons.csv").read_text()


def test_a_point_that_was_moved_away_is_found_out(tmp_path: Path) -> None:
    release = sfumato.anonymize(people(), {**POLICY, **WALKS})
    tables = dict(release.tables)
    rows = tables["points"].to_rows()
    columns = tables["points"].columns
    tables["points"] = sfumato.from_rows(columns, [(*rows[0][:2], rows[0][2] + 5000.0, rows[0][3]), *rows[1:]])
    assert not release.form.verify(tables, release.models, ())[0].satisfied


def test_what_is_measured_of_regions_needs_regions() -> None:
    with pytest.raises(Unsupported, match="regions"):
        sfumato.anonymize(people(), {**POLICY, **WALKS, "metrics": ["mob-information-loss"]})


def test_requirements_that_do_not_fit_are_refused() -> None:
    with pytest.raises(Unsupported, match="promises one requirement"):
        sfumato.anonymize(people(), {**POLICY, **WALKS, "requirements": REGIONS["requirements"]})
    with pytest.raises(BadRequest, match="not a time"):
        sfumato.anonymize(
            people(), {**POLICY, **REGIONS, "requirements": [{"id": "mob-k-anonymity", "k": 2, "times": ["noon"]}]}
        )


def test_paths_as_they_are_can_be_checked() -> None:
    for asked in (WALKS, REGIONS):
        found = sfumato.check(people(9), policy={**POLICY, **asked})
        assert not found.satisfied
        assert next(iter(found)).strongest == 1


def test_an_algorithm_for_other_requirements_says_so() -> None:
    for asked in (WALKS, REGIONS):
        with pytest.raises((Unsupported, BadRequest)):
            sfumato.anonymize(people(9), {**POLICY, **asked, "algorithm": {"id": "trajectory-anonymizer"}})
