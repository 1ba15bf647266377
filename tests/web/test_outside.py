"""What outsiders have: a register and an earlier release, with which a run is attacked again, in a worker."""

from __future__ import annotations

import asyncio
import csv
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sfumato.contracts.finding import Exposure, Finding, Findings, Untried
from sfumato.data.json import Json
from sfumato.publishing.kept import read_evidence
from sfumato.web.pages.attack import risk_bins
from sfumato.web.project import Project

from .conftest import visiting


def _found(attack: str, highest: float) -> Finding:
    return Finding(attack, {}, "", "", ("record",), "persons", ("age",), None, Exposure(9, highest, highest, 1, ""))


def test_later_findings_join_and_what_was_tried_is_no_longer_untried() -> None:
    lacks = tuple(Untried(name, "", "", (), "needs a register") for name in ("linked", "mirrored"))
    first = Findings(0.2, 9, (_found("alone", 0.5), _found("risk", 0.5)), lacks)
    later = Findings(0.2, 9, (_found("risk", 0.25), _found("linked", 1.0)), lacks[1:])
    joined = first.joined(later)
    assert [(one.attack, one.after.highest) for one in joined.tried] == [
        ("alone", 0.5),
        ("risk", 0.25),
        ("linked", 1.0),
    ]
    assert [one.attack for one in joined.untried] == ["mirrored"]
    assert len(joined.yes) == 3


def test_a_table_of_outsiders_is_kept_closed_and_under_no_name_of_its_own(project: Project, tmp_path: Path) -> None:
    file = tmp_path / "Tilda Orvang.csv"
    file.write_text("person,sex\nTilda Orvang,female\nMo Lind,male\n", encoding="utf-8")
    project.bring_outside(file, "register")
    kept = project.outside("register")
    assert kept == project.folder / "outside" / "register.csv"
    assert kept.parent.stat().st_mode & 0o777 == 0o700
    assert "Tilda" not in (project.folder / "project.json").read_text(encoding="utf-8")
    assert project.outside_columns("register") == ["person", "sex"]
    assert Project(project.folder).outside("register") == kept
    project.drop_outside("register")
    assert not kept.exists()
    assert project.outside_columns("register") == []


def _register(project: Project, file: Path) -> None:
    """Write a register of the first hundred people, by name and all that is known outside but what they do."""
    with (project.folder / "people.csv").open(encoding="utf-8") as held:
        people = list(csv.DictReader(held))[:100]
    with file.open("w", encoding="utf-8", newline="") as made:
        writer = csv.DictWriter(
            made, ["name", "birth_date", "sex", "zip", "admission_date", "department"], extrasaction="ignore"
        )
        writer.writeheader()
        writer.writerows(people)


async def _asked_of_the_journalist(user: Any) -> None:
    """Click until it is seen: the page that waited for the attack opens itself anew, which may be after a click on this one."""
    until = time.monotonic() + 120
    while True:
        user.find(marker="attacker-journalist").click()
        try:
            await user.should_see("anybody of your register", retries=20)
        except AssertionError:
            if time.monotonic() > until:
                raise
        else:
            return


@pytest.mark.slow
def test_a_run_is_attacked_again_with_a_register(project: Project, tmp_path: Path) -> None:
    few: Json = [{"id": "k-anonymity", "k": 2}]
    project.edit(lambda document: document.update(algorithm={"id": "mondrian"}, requirements=few))
    _register(project, tmp_path / "reg.csv")

    async def over(done: Callable[[], bool]) -> None:
        until = time.monotonic() + 120
        while not done():
            assert time.monotonic() < until
            await asyncio.sleep(0.1)

    async def visit() -> None:
        run = project.search()
        await over(lambda: project.job(run).over)
        assert project.made(run) is not None, project.job(run).error
        alone = project.findings(run)
        assert alone is not None
        async with visiting(project, "attack") as user:
            await user.should_see("Add a register")
            await user.should_not_see(marker="attack-again")
            project.bring_outside(tmp_path / "reg.csv", "register")
            await user.step("attack")
            user.find(marker="names").trigger("change", args="name")
            await over(lambda: project.place.names == "name")
            user.find(marker="attack-again").click()
            await over(lambda: (job := project.attacked_again(run)) is not None and job.over)
            job = project.attacked_again(run)
            assert job is not None
            assert job.state == "done", job.error
            await user.step("attack")
            await _asked_of_the_journalist(user)
        joined = project.findings(run)
        assert joined is not None
        new = {one.attack for one in joined.tried} - {one.attack for one in alone.tried}
        assert {"attack-record-linkage", "attack-table-linkage", "linking-attack"} <= new
        assert "attack-record-linkage" in {one.attack for one in project.said_yes(run)}
        groups = project.register_groups(run)["after"]
        assert sum(groups["records"]) == 300
        assert all(persons >= records for records, persons in zip(groups["records"], groups["persons"], strict=True))
        # What was found stands in the release that is written, so that it is neither signed nor reported without.
        kept = read_evidence(project.copied() / "private").findings
        assert kept is not None
        assert new <= {one.attack for one in kept.tried}
        # Another attack that is stopped takes nothing back.
        again = project.attack_again(run)
        project.book.cancel(again.number, "discard")
        assert project.findings(run) == joined

    with project.crew:
        asyncio.run(visit())
    assert sum(risk_bins_of(project)) == 300


def risk_bins_of(project: Project) -> list[int]:
    """Return the journalist's bins of the run, by the persons of the register."""
    import numpy as np

    held = project.register_groups(project.place.runs[0])["after"]
    return risk_bins(np.asarray(held["persons"]), "journalist", np.asarray(held["records"]))
