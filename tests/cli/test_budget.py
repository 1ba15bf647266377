"""``sfumato ledger budget``: the whole thread, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sfumato.cli import commands  # noqa: F401  (importing registers the commands)
from sfumato.cli.main import app
from sfumato.errors import BadRequest, Infeasible, SfumatoError
from sfumato.ledger.ledger import Ledger


@pytest.fixture
def place(tmp_path: Path) -> str:
    """A ledger without budgets."""
    with Ledger.create(tmp_path / "people.ledger"):
        return str(tmp_path / "people.ledger")


def said(verb: str, place: str, *words: str, code: int = 0) -> str:
    """Return what a command prints; its own errors come through as they are."""
    done = CliRunner().invoke(app, ["ledger", "budget", verb, place, *words])
    if isinstance(done.exception, SfumatoError):
        raise done.exception
    assert done.exit_code == code, done.output
    return done.output


def test_the_thread(place: str) -> None:
    assert "0 of 1 (delta 1e-06) spent" in said("set", place, "survey", "--epsilon", "1", "--delta", "1e-6")
    said("set", place, "month", "--epsilon", "0.5", "--days", "30")
    asked = said("ask", place, "survey", "month", "--epsilon", "0.3").splitlines()
    assert asked[0].endswith("0.3 asked, 1 (delta 1e-06) left, enough for 3 such questions")
    assert asked[1].endswith("0.3 asked, 0.5 left, enough for 1 such question")
    words = ["survey", "month", "--epsilon", "0.3", "--question", "mean of bmi"]
    assert "entry 4 of the ledger" in said("charge", place, *words)
    assert "entry 4 of the ledger" in said("charge", place, *words), "the same question is charged once"
    assert "enough for 0 such questions" in said("ask", place, "month", "--epsilon", "0.3", code=1)
    with pytest.raises(Infeasible, match=r"budget month: 0\.3 of 0\.5 spent, 0\.3 asked, 0\.2 left, enough for 0 such"):
        said("charge", place, "survey", "month", "--epsilon", "0.3", "--question", "mean of age")
    assert "0.3 of 0.8 spent" in said("top-up", place, "month", "--epsilon", "0.3")
    said("charge", place, "month", "--epsilon", "0.3", "--question", "mean of age")
    back = json.loads(said("refund", place, "mean of bmi", "--reason", "the server stopped", "--json"))
    assert [(one["budget"], one["spent"]["epsilon"]) for one in back["budgets"]] == [("survey", 0.0), ("month", 0.3)]
    shown = json.loads(said("show", place, "--json"))["budgets"]
    assert [(one["days"], one["left"]) for one in shown] == [
        (None, {"epsilon": 1.0, "delta": 1e-06}),
        (30.0, {"epsilon": 0.5, "delta": 0.0}),
    ]
    assert said("show", place, "month") == "budget month: 0.3 of 0.8 spent, 0.5 left\n"
    told = json.loads(said("ask", place, "month", "--epsilon", "0.2", "--json"))["budgets"][0]
    assert (told["asked"], told["allowed"], told["times"]) == ({"epsilon": 0.2, "delta": 0.0}, True, 2)
    with Ledger(place) as ledger:
        assert ledger.verify()


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("set", "survey", "--epsilon", "1"), "exists already"),
        (("set", "other", "--epsilon", "nan"), "finite number"),
        (("set", "other", "--epsilon", "-1"), ">= 0"),
        (("set", "other", "--epsilon", "1", "--days", "0"), "longer than nothing"),
        (("set", "other", "--epsilon", "1", "--days", "1e300"), "no span of time"),
        (("top-up", "other", "--epsilon", "1"), "not a budget"),
        (("ask", "other", "--epsilon", "1"), "not a budget"),
        (("show", "other"), "not a budget"),
        (("charge", "survey", "survey", "--epsilon", "1", "--question", "q"), "several different ones"),
        (("charge", "survey", "--epsilon", "1", "--question", ""), "must not be empty"),
        (("refund", "q", "--reason", "x"), "nothing was charged"),
    ],
)
def test_what_is_refused(place: str, words: tuple[str, ...], reason: str) -> None:
    said("set", place, "survey", "--epsilon", "1")
    with pytest.raises(BadRequest, match=reason):
        said(words[0], place, *words[1:])
