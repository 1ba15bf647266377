"""A release of another shape: looked at from its public files alone, in an empty project."""

from __future__ import annotations

import asyncio
from pathlib import Path

import sfumato
from sfumato.datasets.dataset import Dataset
from sfumato.datasets.demos import demo_of
from sfumato.web.pages.release import OPENED
from sfumato.web.project import Project

from .conftest import visiting


def test_baskets_are_counted_anew_and_shown(tmp_path: Path) -> None:
    demo = demo_of("transactions")
    assert isinstance(demo.dataset, Dataset)
    made = sfumato.anonymize(demo.dataset.write_csv(tmp_path / "baskets.csv"), dict(demo.policy))
    folder = sfumato.publish(made, tmp_path / "release")
    project = Project(tmp_path / "project")

    async def visit() -> None:
        async with visiting(project, "release") as user:
            user.find(marker="look").click()
            await asyncio.sleep(0.2)
            assert any("must be given" in said for said in user.notify.messages)
            user.find(marker="folder").trigger("change", args=str(tmp_path / "nothing"))
            user.find(marker="look").click()
            await asyncio.sleep(0.5)
            await user.should_not_see("Every promise holds")
            user.find(marker="folder").trigger("change", args=str(folder))
            user.find(marker="look").click()
            await user.should_see("Every promise holds", retries=100)
            await user.should_see("certificate.json")

    asyncio.run(visit())
    assert "<html" in (project.folder / OPENED).read_text(encoding="utf-8")
