"""Sanitizers of points: cells against a naive twin, noise scales, independence inside a half, audits, refusals."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from oracles.naive_sanitization import box_cells, sides_of
from sfumato.algorithms.mechanisms._isolation import isolation_audit, neighbour_reach
from sfumato.algorithms.mechanisms._recursive_cells import recursive_cells, sides_at
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.models import CTIsolation

IDS = ("recursive-histogram", "density-perturbation", "cross-training-sanitization")
rng = np.random.default_rng(8)
POINTS = np.round(np.concatenate([rng.normal(0, 1, (60, 2)), rng.normal(5, 0.5, (60, 2))]), 3)


def policy(algorithm: str, c: float = 4, t: int = 3, **parameters: Any) -> dict[str, Any]:
    return {
        "columns": {"x": {"role": "quasi-identifier"}, "y": {"role": "quasi-identifier"}, "z": {"role": "sensitive"}},
        "requirements": [{"id": "c-t-isolation", "c": c, "t": t}],
        "algorithm": {"id": algorithm, "rise": 0.3, **parameters},
        "seed": 3,
    }


def table(points: Any = POINTS) -> Any:
    return sfumato.from_rows(["x", "y", "z"], [(float(x), float(y), f"s{i % 4}") for i, (x, y) in enumerate(points)])


# ---- cells -------------------------------------------------------------------------------------------------------------

grid = st.lists(st.tuples(st.integers(0, 16), st.integers(0, 16)), min_size=1, max_size=30)


@settings(max_examples=200, deadline=None)
@given(points=grid, limit=st.integers(1, 6), depth=st.integers(1, 6))
def test_cells_are_those_of_the_naive_twin(points: list[tuple[int, int]], limit: int, depth: int) -> None:
    box = ((Fraction(0), Fraction(16)),) * 2
    wanted = box_cells(points, box, limit, depth)
    held = np.array(points, np.float64)
    found = recursive_cells(held, [0, 0], [16, 16], limit, max_depth=depth, empty=True)
    listed = [
        (tuple((Fraction(a), Fraction(b)) for a, b in zip(low, high, strict=True)), count)
        for low, high, count in zip(found.low.tolist(), found.high.tolist(), found.counts.tolist(), strict=True)
    ]
    assert listed == wanted
    full = recursive_cells(held, [0, 0], [16, 16], limit, max_depth=depth)
    assert full.counts.tolist() == [count for _, count in wanted if count]
    assert np.bincount(full.cell, minlength=len(full.counts)).tolist() == full.counts.tolist()
    assert (held >= full.low[full.cell]).all()
    assert (held <= full.high[full.cell]).all()
    assert full.crowded == sum(count > limit for _, count in wanted)


@settings(max_examples=100, deadline=None)
@given(points=grid, others=grid, limit=st.integers(1, 5))
def test_sides_are_those_of_the_naive_twin(points: Any, others: Any, limit: int) -> None:
    found = sides_at(np.array(points, np.float64), np.array(others, np.float64), limit, max_depth=5)
    for point, sides in zip(points, found.tolist(), strict=True):
        assert [Fraction(side) for side in sides] == sides_of(point, others, limit, 5)


def test_equal_points_end_at_the_greatest_depth() -> None:
    points = np.concatenate([np.tile([1.0, 1.0], (9, 1)), [[7.0, 7.0]]])
    release = sfumato.anonymize(table(points), policy("recursive-histogram", t=1, max_depth=4))
    assert release.private.facts["depth"] == 4
    assert any("greatest depth" in text for text in release.warnings)


def test_observed_edges_are_warned_about_and_declared_ones_used() -> None:
    release = sfumato.anonymize(table(), policy("recursive-histogram"))
    assert any("published as edges" in text for text in release.warnings)
    asked = policy("recursive-histogram")
    for name in ("x", "y"):
        asked["columns"][name]["range"] = [-8, 8]
    declared = sfumato.anonymize(table(), asked)
    assert not any("published as edges" in text for text in declared.warnings)
    edges = {row[0] for row in declared.table.to_rows()} | {row[1] for row in declared.table.to_rows()}
    assert all(
        float(edge * 2**16).is_integer() for edge in edges
    )  # halves of halves of the declared range, no value of a record
    assert declared.certificate["release"]["truthful"] is True
    assert all(row[-1] <= 6 for row in declared.table.to_rows())


# ---- noise -------------------------------------------------------------------------------------------------------------


@settings(max_examples=100, deadline=None)
@given(points=st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=2, max_size=25), t=st.integers(1, 8))
def test_the_t_th_neighbour_by_hand(points: list[tuple[int, int]], t: int) -> None:
    held = np.array(points, np.float64)
    if t >= len(points):
        with pytest.raises(Infeasible):
            neighbour_reach(held, t)
        return
    wanted = []
    for at, (x, y) in enumerate(points):
        away = sorted((x - a) ** 2 + (y - b) ** 2 for other, (a, b) in enumerate(points) if other != at)
        wanted.append(away[t - 1] ** 0.5)
    assert neighbour_reach(held, t) == pytest.approx(wanted)


def test_neighbours_without_the_library_for_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    from sfumato.algorithms.mechanisms import _isolation as isolation

    expected = neighbour_reach(POINTS, 4)

    def missing(name: str) -> Any:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(isolation, "import_module", missing)
    assert neighbour_reach(POINTS, 4) == pytest.approx(expected)


def test_records_move_by_the_distance_to_their_neighbours() -> None:
    """Seeded: over 3,000 moved points the mean square lies within 10 % of what it should be (20 standard deviations)."""
    points = np.random.default_rng(1).normal(size=(3000, 2))
    release = sfumato.anonymize(
        table(points), policy("density-perturbation", c=4, t=5, scale=2.0, distance="euclidean", rise=1.0)
    )
    moved = release.private.facts["mean_move"]
    # The length of a vector of two normal numbers of deviation s is s sqrt(pi / 2) on average.
    wanted = float((2.0 * neighbour_reach(points, 5) / 2**0.5).mean()) * (np.pi / 2) ** 0.5
    assert moved == pytest.approx(wanted, rel=0.1)


def test_noise_of_a_half_does_not_depend_on_its_other_points() -> None:
    points, others = POINTS[:60], POINTS[60:]
    before = sides_at(points, others, 6, max_depth=16)
    changed = points.copy()
    changed[7] += 100.0
    after = sides_at(changed, others, 6, max_depth=16)
    rest = np.arange(60) != 7
    assert (before[rest] == after[rest]).all()


# ---- what all of them promise ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", IDS)
def test_published_and_verified(algorithm: str, tmp_path: Path) -> None:
    release = sfumato.anonymize(table(), policy(algorithm))
    out = sfumato.publish(release, tmp_path / "out")
    found = sfumato.verify(out)
    assert found
    assert found.unchecked == ("c-t-isolation",)  # needs the input
    certificate = json.loads((out / "public" / "certificate.json").read_text())
    (entry,) = certificate["procedures"]
    assert not entry["repeatable"]
    assert "nobody can repeat" in entry["checked"]
    assert certificate["release"]["truthful"] is (algorithm == "recursive-histogram")
    assert "nobody can repeat it without the input" in (out / "private" / "report.html").read_text()
    if algorithm != "recursive-histogram":
        assert release.table.rows == len(POINTS)
        assert not set(map(tuple, POINTS.tolist())) & {row[:2] for row in release.table.to_rows()}
        assert sorted(row[2] for row in release.table.to_rows()) == sorted(row[2] for row in table().to_rows())


@pytest.mark.parametrize("algorithm", IDS)
def test_a_release_that_isolates_too_many_is_refused(algorithm: str) -> None:
    """A cluster far from a crowd: guesses at the average isolate nobody, guesses from the release do."""
    crowd = np.random.default_rng(5).normal(size=(300, 3)) * 0.1 + np.repeat(np.eye(3), 100, axis=0)
    held = sfumato.from_rows(["x", "y", "z"], [tuple(map(float, row)) for row in crowd])
    asked = policy(algorithm, c=1.5, t=10, rise=0.0)
    asked["columns"]["z"] = {"role": "quasi-identifier"}
    with pytest.raises(Infeasible, match="parameter rise") as refused:
        sfumato.anonymize(held, asked)
    assert refused.value.measured > 0  # type: ignore[operator]
    asked["algorithm"]["rise"] = 1.0
    release = sfumato.anonymize(held, asked)
    found = release.private.facts["isolation"]
    assert release.certificate["procedures"][0]["measured"] == pytest.approx(refused.value.measured)
    assert found["isolated_with"] > found["isolated_without"]


def test_the_audit_tries_every_column_and_takes_the_worst() -> None:
    model = CTIsolation(c=2, t=3)
    moved = POINTS + np.random.default_rng(2).normal(size=POINTS.shape) * 0.2
    single = [model.audit(POINTS, released=moved, known=[at]).measured for at in (0, 1)]
    assert isolation_audit(model, POINTS, moved, ["x", "y"], None, 1.0).measured == max(single)
    assert isolation_audit(model, POINTS, moved, ["x", "y"], ["y"], 1.0).measured == single[1]
    with pytest.raises(BadRequest):
        isolation_audit(model, POINTS, moved, ["x", "y"], ["w"], 1.0)


@pytest.mark.parametrize("algorithm", IDS)
def test_what_they_refuse(algorithm: str) -> None:
    with pytest.raises(Infeasible) as few:
        sfumato.anonymize(table(POINTS[:4]), policy(algorithm, t=9))
    assert few.value.bound in (9, 10)
    asked = policy(algorithm)
    asked["columns"]["z"] = {"role": "quasi-identifier"}
    with pytest.raises(BadRequest) as text:
        sfumato.anonymize(table(), asked)
    assert text.value.column == "z"
    with pytest.raises(BadRequest, match="cannot promise"):
        sfumato.anonymize(
            table(), {**policy(algorithm), "requirements": [{"id": "differential-privacy", "epsilon": 1}]}
        )
    with pytest.raises(Unsupported):
        sfumato.anonymize(table(), {**policy(algorithm), "requirements": [{"id": "k-anonymity", "k": 2}]})
    with pytest.raises(BadRequest):
        sfumato.anonymize(table(), policy(algorithm, rise=2))


def test_whole_numbers_and_ranges_stay() -> None:
    rows = [(i % 9, (i * 5) % 11, "a") for i in range(60)]
    asked = policy("density-perturbation")
    asked["columns"]["x"]["range"] = [0, 8]
    release = sfumato.anonymize(sfumato.from_rows(["x", "y", "z"], rows), asked)
    assert all(
        isinstance(row[0], int) and 0 <= row[0] <= 8 and isinstance(row[1], int) for row in release.table.to_rows()
    )


def test_one_column_is_told_to_be_no_audit() -> None:
    asked = policy("recursive-histogram")
    asked["columns"]["y"] = {"role": "plain", "publish_anyway": "invented"}
    release = sfumato.anonymize(table(), asked)
    assert any("says nothing" in text for text in release.warnings)


def test_through_the_commands(commands: Callable[..., Path], capsys: pytest.CaptureFixture[str]) -> None:
    rows = [(float(x), float(y), "s") for x, y in POINTS]
    commands(["x", "y", "z"], rows, policy("recursive-histogram"))
    said = capsys.readouterr().out
    assert "promised: c-t-isolation" in said
    assert "c-t-isolation: not checked, measured on the input" in said
