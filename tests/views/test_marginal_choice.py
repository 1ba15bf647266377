"""Choosing marginals: the divergence falls, the requirement holds, and what breaks it is never taken; views put together."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import sfumato
from command_line import sfumato_in
from sfumato.errors import BadRequest
from sfumato.views import View
from sfumato.views.collected import collected
from sfumato.views.marginal_choice import chosen_marginals, proposed_marginals
from sfumato.views.marginal_set import MarginalSet
from sfumato.views.models import MarginalPrivacyCheck


def test_marginals_are_chosen_while_they_are_safe() -> None:
    rng = np.random.default_rng(3)
    rows = [
        (f"a{a}", int(b), f"s{(a + s) % 4}")
        for a, b, s in zip(*(rng.integers(0, top, 400) for top in (3, 60, 3)), strict=True)
    ]
    table = sfumato.from_rows(["A", "B", "S"], rows)
    base = table.recode({"A": dict.fromkeys(("a0", "a1", "a2"), "a*"), "B": dict.fromkeys(range(60), "[0-60)")})
    model = MarginalPrivacyCheck(k=10, l=2)
    candidates = proposed_marginals(table, ["A", "B"], "S")
    steps, found = chosen_marginals(table, base, candidates, model, sensitive="S")
    assert steps
    assert all(step.after < step.before for step in steps)
    assert [step.marginal for step in steps] == list(found)
    tables = {name: one.table() for name, one in found.items()}
    assert model.judge(MarginalSet.of(base, tables, sensitive="S", table=table)).satisfied
    fine = MarginalPrivacyCheck(k=150)
    steps, found = chosen_marginals(table, base, candidates, fine, sensitive="S")
    assert all("B" not in name for name in found)


def test_views_are_put_together_and_audited(tmp_path: Path) -> None:
    one = tmp_path / "staff.csv"
    two = tmp_path / "clinic.csv"
    one.write_text("Name,Job\nAnn,Cook\nBob,Cook\nCal,Lawyer\n")
    two.write_text("Job,Ill\nCook,Flu\nCook,Cold\nLawyer,HIV\n")
    found = sfumato.audit(collected([one, two]), qid=["Name"], sensitive="Ill")
    assert found.of("view-cover-attack").after.highest == 1.0
    assert found.of("view-join-attack").after.mean == pytest.approx(0.6)
    done = sfumato_in(tmp_path, "audit", "--views", str(one), str(two), "--qid", "Name", "--sensitive", "Ill", "--json")
    assert {entry["attack"] for entry in json.loads(done.stdout)["tried"]} == {"view-cover-attack", "view-join-attack"}
    assert sfumato_in(tmp_path, "audit", "--views", str(one), str(two)).returncode == 1  # nothing was tried


def test_queries_read_back_as_they_are_written() -> None:
    view = View.of("V 1", ["full name", "job, now"], "age >= 18 and town in ('New York', Rome) and zip = 01234")
    again = View.sql("V 1", str(view))
    assert again.columns == view.columns
    assert again.where == view.where
    with pytest.raises(BadRequest, match="letters"):
        View.of("../x", ["a"])
    with pytest.raises(BadRequest, match="expressions"):
        View.sql("V", "SELECT count(*) WHERE a > 1")
