"""An attack that says yes: the publish page does not sign, until somebody accepts it on the attack page with a reason."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from sfumato.data.schema import Role
from sfumato.ledger.ledger import Ledger
from sfumato.policy import SharedPolicy
from sfumato.publishing.signature import FILE
from sfumato.web.figures import breaking, counting_table, run_figures, weighing
from sfumato.web.pages.explore import explored
from sfumato.web.project import Project
from sfumato.web.script import command_lines
from sfumato.web.ways import read_ways

from .conftest import visiting

REASON = "The recipients signed that they look for nobody"


@pytest.fixture
def attacked(project: Project) -> Project:
    """Return a project with a run that keeps groups of two, which attacks on records find people in."""
    keep_few = {"requirements": [{"id": "k-anonymity", "k": 2}], "limits": {"suppress_at_most": 0.1}}
    project.edit(lambda document: document.update(keep_few))  # type: ignore[arg-type]
    project.set_role(["zip"], Role.DROP)
    project.edit(lambda document: project.columns(document)["sex"].update(importance=3.0))
    with project.crew:
        run = project.search()
        asked = (project.questions(run), explored(project, run))
        until = time.monotonic() + 240
        while not (project.job(run).over and all(project.book.job(one.number).over for one in asked)):
            assert time.monotonic() < until
            time.sleep(0.1)
    assert project.made(run) is not None, project.job(run).error
    return project


@pytest.mark.slow
def test_detail_is_weighted_by_importance_and_what_is_held_back_is_lost(attacked: Project) -> None:
    run = attacked.place.runs[0]
    made = run_figures(attacked, run)
    weights = {name: 3.0 if name == "sex" else 1.0 for name in made.losses}
    held = list(attacked.policy.of_role(Role.DROP))
    assert "zip" in held
    lost = sum(weights[name] * loss for name, loss in made.losses.items()) + len(held)
    assert made.detail == pytest.approx(1 - lost / (sum(weights.values()) + len(held)))
    # The page with all choices says the same of the best one, which the search found by the same weights.
    ways = read_ways(attacked.crew.folder(explored(attacked, run)), weighing(attacked, run))
    assert max(one.detail for one in ways.ways) == pytest.approx(ways.ways[0].detail)
    assert ways.ways[0].detail == pytest.approx(made.detail, abs=0.02)  # records that are left out lose all


@pytest.mark.slow
def test_promises_are_counted_with_the_levels_of_the_run_before_records_are_left_out(attacked: Project) -> None:
    run = attacked.place.runs[0]
    left_out = run_figures(attacked, run).records - run_figures(attacked, run).published
    assert left_out > 0
    assert counting_table(attacked)[1] == run
    assert breaking(attacked, [{"id": "k-anonymity", "k": 2}]) == [left_out]


@pytest.mark.slow
def test_more_records_may_be_left_out_where_all_choices_are_seen(attacked: Project) -> None:
    async def visit() -> None:
        async with visiting(attacked, "search") as user:
            await user.should_see("Time")
            await user.step("explore")
            user.find(marker="leave-out").trigger("change", args="12.5")
            await asyncio.sleep(0.5)

    asyncio.run(visit())
    assert attacked.policy.limits.suppress_at_most == 0.125
    assert len(attacked.place.runs) == 2


@pytest.mark.slow
def test_a_yes_blocks_signing_until_it_is_accepted(attacked: Project) -> None:
    project, signature = attacked, attacked.folder / "release" / "public" / FILE

    async def until(there: Path) -> None:
        for _ in range(600):
            if there.exists():
                return
            await asyncio.sleep(0.1)
        raise AssertionError(there.name)

    async def visit() -> None:
        async with visiting(project, "publish") as user:
            user.find(marker="write").click()
            await until(project.folder / "release")
            await user.step("publish")
            await user.should_not_see(marker="sign")
            await user.should_see("An attack says yes")
            await user.should_see("Every person looks like at least 1 other")
            await user.should_see("how values changed")
            await user.step("attack")
            await user.should_see("say yes")
            await user.should_see("Promise groups of 5, and search")  # what would change it
            await user.should_see("Promise two different values, and search")
            await user.should_see("Journalist: wants to show")  # and what each of the three attackers achieves
            user.find(marker="attacker-marketer").click()
            await asyncio.sleep(0.2)
            await user.should_see("links everybody and is right once in every group")
            user.find(marker="accept").click()
            await asyncio.sleep(0.2)
            assert any("reason" in said for said in user.notify.messages)
            user.find(marker="reason").trigger("change", args=REASON)
            user.find(marker="accept").click()
            await asyncio.sleep(0.2)
            await user.should_see("the reason stands in policy.yaml")
            user.find(marker="take-back").click()
            await asyncio.sleep(0.2)
            assert not project.policy.accepted
            user.find(marker="reason").trigger("change", args=REASON)
            user.find(marker="accept").click()
            await asyncio.sleep(0.2)
            await user.step("publish")
            user.find(marker="sign").click()
            await until(signature)
            await user.step("publish")
            await user.should_see("Save the internal one as PDF")
            user.find(marker="series").trigger("change", args="monthly figures")
            user.find(marker="enter").click()
            await until(project.folder / "ledger")
            for _ in range(100):
                if project.entered(signature.parents[1]) is not None:
                    break
                await asyncio.sleep(0.1)
            await user.step("publish")
            await user.should_see("Release 1 of monthly figures")
            await user.should_not_see(marker="enter")

    asyncio.run(visit())
    said = {one.id: one.reason for one in project.policy.accepted}
    assert {"attacker-risk", "individual-risk"} <= set(said)
    assert set(said.values()) == {REASON}
    inside = project.folder / "release" / "private"
    assert SharedPolicy.load(inside / "policy.yaml").accepted == project.policy.accepted
    assert REASON in (inside / "report.html").read_text(encoding="utf-8")
    assert not project.stale
    assert project.entered(project.folder / "release") == ("monthly figures", 1)
    assert "sfumato ledger add ledger release --series 'monthly figures'" in command_lines(project)
    with Ledger(project.folder / "ledger") as ledger:
        assert ledger.verify()
