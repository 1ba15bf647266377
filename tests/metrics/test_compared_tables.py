"""Metrics of two tables side by side: the worked examples, plain counting, releases and what cannot be compared."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import sfumato
from sfumato.cli import commands  # noqa: F401  (importing registers the commands)
from sfumato.cli.main import app
from sfumato.errors import BadRequest, SfumatoError

RAW = [(1, 2), (2, 1), (3, 5), (4, 4)]
MEANS = [(1.5, 1.5), (1.5, 1.5), (3.5, 4.5), (3.5, 4.5)]
PEOPLE = {
    "age": [21, 22, 23, 34, 35, 36, 37, 48],
    "job": ["a", "b", "a", "b", "c", "d", "c", "d"],
    "sick": ["n", "y", "n", "n", "y", "y", "n", "y"],
}
JOBS = {"*": [{"ab": ["a", "b"]}, {"cd": ["c", "d"]}]}


def changed(**columns: list[str]) -> Any:
    held = {**PEOPLE, **columns}
    return sfumato.from_rows(list(held), list(zip(*held.values(), strict=True)))


def measured(before: list[Any], after: list[Any], metric: Any, columns: list[str], **more: Any) -> Any:
    return sfumato.measure(sfumato.from_rows(columns, before), sfumato.from_rows(columns, after), metric, **more)


def test_worked_examples() -> None:
    found = measured(RAW, MEANS, ["il1s", "eigenvalue-change"], ["a", "b"])
    assert found["il1s"].value == pytest.approx(0.233755, abs=5e-7)
    assert found["eigenvalue-change"].value == pytest.approx(0.503444, abs=5e-7)
    assert measured(RAW, RAW, "il1s", ["a", "b"], qid=["a", "b"]).value == 0
    # The order of rows tells nothing of how numbers are spread.
    assert measured(RAW, MEANS[::-1], "eigenvalue-change", ["a", "b"]).value == pytest.approx(0.503444, abs=5e-7)


def test_crosses_equal_plain_counting() -> None:
    rng = np.random.default_rng(2)
    before = [tuple("xyz"[at] for at in row) for row in rng.integers(0, 3, (40, 3))]
    after = [tuple("xyz"[at] for at in row) for row in rng.integers(0, 3, (35, 3))]
    found = measured(before, after, {"id": "contingency-change", "size": 3}, ["a", "b", "c"], qid=["a", "b", "c"])
    assert len(found.crosses) == 7
    for cross in found.crosses:
        places = ["abc".index(name) for name in cross.columns]
        sides = [[tuple(row[at] for at in places) for row in rows] for rows in (before, after)]
        cells = itertools.product("xyz", repeat=len(places))
        plain = sum(abs(sides[0].count(cell) / 40 - sides[1].count(cell) / 35) for cell in cells) / 2
        assert cross.change == pytest.approx(plain)
        assert (cross.v_before is None) == (len(places) != 2)
    assert found.value == pytest.approx(np.mean([cross.change for cross in found.crosses]))


def test_published_values_are_spread_over_what_they_cover() -> None:
    masked = changed(job=["ab"] * 4 + ["cd"] * 4)
    found = sfumato.measure(PEOPLE, masked, "contingency-change", qid=["job", "sick"], hierarchies={"job": JOBS})
    changes = {cross.columns: cross.change for cross in found.crosses}
    assert changes[("job",)] == changes[("sick",)] == 0
    # Raw: a n n, b y n, c y n, d y y. Half of each: ab y 1, n 3; cd y 3, n 1, in eighths.
    assert changes["job", "sick"] == pytest.approx(8 * 0.5 / 8 / 2)
    assert sfumato.measure(PEOPLE, changed(job=["*"] * 8), "contingency-change", qid=["job"]).value == 0
    # A value that nobody had is one of its own.
    assert sfumato.measure(PEOPLE, changed(job=["e"] * 8), "contingency-change", qid=["job"]).value == 1


def test_a_release_is_brought_into_order() -> None:
    decades = {"id": "discretization", "edges": (20, 30, 40, 50)}
    found = sfumato.measure(
        PEOPLE, sfumato.recode(PEOPLE, {"age": decades}), ["il1s", "contingency-change"], qid=["age"]
    )
    ages = np.array(PEOPLE["age"], float)
    plain = np.abs(ages - (ages // 10 * 10 + 5)).mean() / (np.sqrt(2) * ages.std(ddof=1))
    assert found["il1s"].value == pytest.approx(plain)


def test_what_cannot_be_compared_is_refused() -> None:
    for before, after, metric, word in (
        (RAW, MEANS[:2], "il1s", "same records"),
        ([(1, 2), (1, 3)], [(1, 2), (1, 3)], "il1s", "vary"),
        ([(1, 2), (2, 4), (3, 6)], [(1, 2), (2, 4), (3, 6)], "eigenvalue-change", "vary"),
        ([("x", "y")], [("x", "y")], "il1s", "numbers"),
    ):
        with pytest.raises(BadRequest, match=word):
            measured(before, after, metric, ["a", "b"], qid=["a", "b"])
    with pytest.raises(SfumatoError, match="not a column"):
        measured(RAW, MEANS, "contingency-change", ["a", "b"], qid=["c"])
    with pytest.raises(SfumatoError, match="size"):
        measured(RAW, MEANS, {"id": "contingency-change", "size": 4}, ["a", "b"])


def test_the_command_prints_them(tmp_path: Any) -> None:
    for name, rows in (("raw", RAW), ("means", MEANS)):
        text = "a,b\n" + "".join(f"{one},{two}\n" for one, two in rows)
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
    asked = [
        "measure",
        str(tmp_path / "raw.csv"),
        str(tmp_path / "means.csv"),
        "-m",
        "il1s",
        "-m",
        "contingency-change",
    ]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 0
    assert "0.233755" in done.output
    assert "a x b" in done.output
