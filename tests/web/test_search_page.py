"""Runs side by side: how well each release still predicts a column that somebody chose, counted by a worker."""

from __future__ import annotations

import asyncio
import re
import time

import pytest

import sfumato
from sfumato.data.schema import Role
from sfumato.web.project import Project

from .conftest import visiting
from .test_pages import texts


@pytest.mark.slow
def test_runs_are_compared_by_what_they_predict(project: Project) -> None:
    project.set_role(["zip"], Role.DROP)
    names = project.predictable
    assert "diagnosis" in names
    assert not {"zip", "birth_date", "name"} & set(names)  # neither what is held back nor what is masked

    async def visit() -> None:
        async with visiting(project, "search") as user:
            await user.should_not_see(marker="predict")  # there is nothing to compare yet
            run = project.search()
            until = time.monotonic() + 240
            while not project.job(run).over:
                assert time.monotonic() < until
                await asyncio.sleep(0.1)
            await user.step("search")
            assert project.predicting(run) is None
            user.find(marker="predict").trigger("change", args="diagnosis")
            await asyncio.sleep(0.2)
            job = project.predicting(run)
            assert job is not None
            while not project.book.job(job.number).over:
                assert time.monotonic() < until
                await asyncio.sleep(0.1)
            await asyncio.sleep(1.0)  # the page looks twice in a second
            shown = re.search(r"([\d.]+)\s?% right \(raw ([\d.]+)\s?%, guessing ([\d.]+)\s?%\)", texts(user))
            assert shown is not None
            folder = project.made(run)
            errors = sfumato.classification_utility(project.source, folder, target="diagnosis")["decision-tree"]
            expected = (1 - errors.anonymity.rate, 1 - errors.baseline.rate, errors.baseline.zero or 0.0)
            assert [float(one) / 100 for one in shown.groups()] == [pytest.approx(one, abs=0.0006) for one in expected]

    with project.crew:
        asyncio.run(visit())
    assert Project(project.folder).place.predicted == "diagnosis"


def test_a_search_that_was_stopped_too_early_says_so(project: Project) -> None:
    run = project.search()

    async def visit() -> None:
        async with visiting(project, "search") as user:
            await user.should_see(marker="discard")
            await user.should_not_see(marker="keep")  # nothing is there to be kept
            job = project.book.claim(["anonymize"])
            assert job is not None
            project.book.cancel(run.job, "keep")
            project.book.finish(job, "cancelled", {})
            await user.step("search")
            await user.should_see("stopped before any choice")
            user.find(marker="search-again").click()
            await asyncio.sleep(0.2)

    asyncio.run(visit())
    assert len(project.place.runs) == 2
