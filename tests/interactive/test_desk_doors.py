"""A desk through the doors of the command line: drafted, practised on, shown, reported; and what is refused there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import sfumato_in
from sfumato import Ledger
from sfumato.datasets import hospital
from sfumato.errors import BadRequest
from sfumato.interactive.source import desk_policy
from sfumato.verbs.draft import draft


def test_a_drafted_desk_answers(tmp_path: Path) -> None:
    hospital(60, seed=3).write_csv(tmp_path / "people.csv")
    assert sfumato_in(tmp_path, "init", "people.csv", "--shape", "desk", "--out", "desk.yaml").returncode == 0
    policy = desk_policy(tmp_path / "desk.yaml")
    assert "name" not in policy.columns
    assert policy.domains() == {}  # taken from the data they would tell
    done = sfumato_in(tmp_path, "ask", "people.csv", "count where sex = female", "-p", "desk.yaml", "--practice")
    assert "about nobody" in done.stdout
    said = sfumato_in(tmp_path, "profile", "people.csv", "--shape", "desk").stdout
    assert "diagnosis (sensitive): conditions and counts" in said


def test_a_table_of_identifiers_alone_has_nothing_to_ask() -> None:
    with pytest.raises(BadRequest, match="could be asked about"):
        draft({"name": [f"Ann Lee{at}" for at in range(9)]}, shape="desk")


def test_a_page_that_has_no_folder_is_refused_before_anything_is_charged(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("sex\n" + "f\nm\n" * 20)
    (tmp_path / "desk.yaml").write_text(
        "desk: {mode: noisy}\nbudget: total\ncolumns:\n  sex: {role: quasi-identifier, values: [f, m]}\n"
    )
    with Ledger.create(tmp_path / "a.ledger") as ledger:
        ledger.budgets.allot("total", epsilon=1.0)
    told = ("ask", "data.csv", "count group by sex", "-p", "desk.yaml", "--ledger", "a.ledger")
    refused = sfumato_in(tmp_path, *told, "--report", "nowhere/page.html")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "in a folder that does not exist" in refused.stderr
    with Ledger(tmp_path / "a.ledger") as ledger:
        assert ledger.budgets.quote("total", epsilon=0.1).spent.epsilon == 0


def test_a_desk_is_shown_and_reported(tmp_path: Path) -> None:
    done = sfumato_in(tmp_path, "demo", "desk", "--out", "demo", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["answers"][-1]["cost"] == 0  # asked before, in other words
    told = ("--desk", "demo/desk.ledger", "-p", "demo/policy.yaml", "--raw", "demo/hospital.csv")
    made = sfumato_in(tmp_path, "report", *told, "--out", "page.html", "--language", "de")
    assert made.returncode == 0, made.stderr
    assert "beantwortet" in (tmp_path / "page.html").read_text()
    assert sfumato_in(tmp_path, "report", *told, "--out", "page.html").returncode == 5
    for wrong in (("demo", *told, "--out", "x.html"), (*told[:4], "--out", "x.html"), (*told[2:4], "demo")):
        refused = sfumato_in(tmp_path, "report", *wrong)
        assert (refused.returncode, "Traceback" in refused.stderr) == (2, False)
