"""Estimates of surveys: formulas by hand and by enumeration, sides of a release, and designs that are refused."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import sfumato
from sfumato.cli import commands  # noqa: F401  (importing registers the commands)
from sfumato.cli.main import app
from sfumato.errors import BadRequest
from sfumato.utility.survey import SurveyDesign, interval_overlap

COLUMNS = ["pay", "sex", "w", "region", "house"]
ROWS = [
    (10, "f", 2, "n", 1),
    (20, "m", 2, "n", 1),
    (30, "f", 1, "n", 2),
    (40, "m", 1, "s", 1),
    (50, "f", 3, "s", 2),
    (60, "m", 3, "s", 2),
]
MOVED = [(15, *row[1:]) if row[0] < 30 else row for row in ROWS]


def asked(before: list[Any] = ROWS, after: list[Any] = MOVED, **more: Any) -> Any:
    return sfumato.survey_utility(sfumato.from_rows(COLUMNS, before), sfumato.from_rows(COLUMNS, after), **more)


def test_overlap_of_intervals() -> None:
    assert interval_overlap((10, 20), (14, 26)) == pytest.approx(0.55)
    assert interval_overlap((0, 1), (1.5, 2)) == 0
    assert interval_overlap((0, 1), (0, 1)) == 1


def test_variance_is_that_of_drawing_clusters_again() -> None:
    # Drawn with replacement, two of two clusters in a stratum: the estimate is unbiased for the variance of the total.
    sums = np.array([60.0, 30.0])
    totals = [sums[list(drawn)].sum() for drawn in product(range(2), repeat=2)]
    guesses = []
    for drawn in product(range(2), repeat=2):
        design = SurveyDesign.of(np.ones(2), None, None)
        guesses.append(design.total(sums[list(drawn)]).standard_error ** 2)
    assert np.mean(guesses) == pytest.approx(np.var(totals))


def test_strata_and_clusters_by_hand() -> None:
    found = asked(columns=["pay"], weight="w", strata="region", clusters="house")
    total, mean = found.statistics
    # Sums of clusters: north 60 and 30, south 40 and 330.
    assert total.before.value == 460
    assert total.before.standard_error**2 == pytest.approx(2 * 2 * 15**2 + 2 * 2 * 145**2)
    assert mean.before.value == pytest.approx(460 / 12)
    assert (total.after.value, total.overlap) == (460, pytest.approx(1.0))
    equal = asked(columns=["sex"])
    assert [(one.value, one.before.value) for one in equal.statistics] == [("f", 0.5), ("m", 0.5)]
    assert equal.statistics[0].before.standard_error == pytest.approx(np.sqrt(0.25 / 5))
    assert equal.overlap == 1


def test_a_release_in_other_order_and_without_design() -> None:
    raw = {name: [row[at] for row in ROWS] for at, name in enumerate(COLUMNS)}
    wide = {"id": "discretization", "edges": (0, 30, 70)}
    found = sfumato.survey_utility(raw, sfumato.recode(raw, {"pay": wide}), columns=["pay"], weight="w")
    assert found.statistics[1].after.value == pytest.approx((15 * 4 + 50 * 8) / 12)
    hidden = sfumato.from_rows(["sex"], [("*",), ("*",)])
    found = sfumato.survey_utility(raw, hidden, columns=["sex"])
    assert [one.after.value for one in found.statistics] == [0.5, 0.5]


def test_bad_designs_are_refused() -> None:
    for more, word in (
        ({"columns": ["none"]}, "both tables"),
        ({"columns": []}, "nothing to estimate"),
        ({"weight": "sex"}, "positive"),
        ({"weight": "none"}, "not a column"),
        ({"strata": "pay"}, "at least two"),
        ({"confidence": 2}, "confidence"),
    ):
        with pytest.raises(BadRequest, match=word):
            asked(**more)
    with pytest.raises(BadRequest, match="positive"):
        asked([(*row[:2], 0, *row[3:]) for row in ROWS], columns=["pay"], weight="w")
    with pytest.raises(BadRequest, match="not published"):
        sfumato.survey_utility(
            sfumato.from_rows(COLUMNS, ROWS), sfumato.from_rows(["pay"], [(1,), (2,)]), columns=["pay"], weight="w"
        )


def test_the_command(tmp_path: Any) -> None:
    for name, rows in (("raw", ROWS), ("moved", MOVED)):
        lines = [",".join(map(str, row)) for row in [COLUMNS, *rows]]
        (tmp_path / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    words = ["utility", str(tmp_path / "raw.csv"), str(tmp_path / "moved.csv"), "--survey", "--columns", "pay,sex"]
    done = CliRunner().invoke(app, [*words, "--weight", "w", "--strata", "region", "--units", "house"])
    assert done.exit_code == 0
    assert "sex = f" in done.output
    assert "mean overlap" in done.output
    done = CliRunner().invoke(app, [*words, "--clusters", "2"])
    assert isinstance(done.exception, BadRequest)
    done = CliRunner().invoke(app, [*words[:3], "--weight", "w"])
    assert isinstance(done.exception, BadRequest)
