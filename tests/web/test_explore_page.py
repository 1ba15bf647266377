"""All ways to publish: a click on a tile shows rows before and after under its levels."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path

import pytest

from sfumato.data.messages import signs
from sfumato.data.schema import Role
from sfumato.web.figures import Weighing, weighing
from sfumato.web.frame import frame
from sfumato.web.pages.explore import _why, explored
from sfumato.web.project import Project
from sfumato.web.ways import read_ways

from .conftest import visiting
from .test_pages import texts


def test_a_finer_level_is_had_by_leaving_out_what_it_takes(project: Project, tmp_path: Path) -> None:
    why = [
        {"attribute": "sex", "level": 0, "records": 37, "binds": "k-anonymity"},
        {"attribute": "zip", "level": 1, "records": 290, "binds": "k-anonymity"},  # nobody would leave out so many
        {"attribute": "department", "level": 0, "records": 2, "binds": None},  # which may be left out already
    ]
    told = {
        "columns": {},
        "lattice": 1,
        "records_that_may_be_left_out": 6,
        "proven": True,
        "solutions": [],
        "curve": [],
    }
    (tmp_path / "exploration.json").write_text(json.dumps({**told, "why": why}), encoding="utf-8")
    ways = read_ways(tmp_path, Weighing(1.0, 1.0))

    async def visit() -> None:
        from nicegui.testing.user_simulation import user_simulation

        def page() -> None:
            with frame(project, "explore") as drawn:
                _why(drawn, ways)

        async with user_simulation(page) as user:
            await user.open("/")
            await user.should_see("Allow 37 records, 31 more than now")
            await user.should_not_see(marker="allow-1")
            await user.should_not_see(marker="allow-2")
            user.find(marker="allow-0").click()
            for _ in range(100):
                await asyncio.sleep(0.1)
                if project.place.runs:
                    break

    asyncio.run(visit())
    assert 37 <= project.policy.limits.suppress_at_most * 300 < 38
    assert len(project.place.runs) == 1


@pytest.mark.slow
def test_a_tile_opens_the_rows_under_its_levels(project: Project) -> None:
    project.set_role(["zip"], Role.DROP)
    with project.crew:
        run = project.search()
        job = explored(project, run)
        until = time.monotonic() + 240
        while not (project.job(run).over and project.book.job(job.number).over):
            assert time.monotonic() < until
            time.sleep(0.1)
    ways = read_ways(project.crew.folder(explored(project, run)), weighing(project, run))
    assert ways.ways[0].levels != ways.top

    def shown(levels: dict[str, int]) -> str:
        return ", ".join(f"{name} {level}" for name, level in levels.items()) + ": "

    async def visit() -> None:
        async with visiting(project, "explore") as user:
            await user.should_see(shown(dict(ways.ways[0].levels)))
            tables = user.find(marker="as-table").elements
            said = [[str(getattr(part, "text", "")) for part in one.descendants()] for one in tables]
            for way in ways.ways[:3]:  # what the tiles and their best ones say is a table as well
                row = {signs(f"{100 * way.detail:.0f}%"), *map(str, way.levels.values())}
                assert any(row <= set(one) for one in said)
            assert len(tables) == 2
            (picture,) = user.find(marker="tiles").elements
            last = str(picture.props["innerHTML"]).count("data-at=") - 1
            user.find(marker="tiles").trigger("click", args="0")  # the first row is the table as it is
            await asyncio.sleep(0.3)
            await user.should_see(shown(dict.fromkeys(ways.top, 0)) + "breaks a promise")
            user.find(marker="tiles").trigger("click", args=str(last))  # and the last one shows nothing
            await asyncio.sleep(0.3)
            await user.should_see(shown(dict(ways.top)))
            assert texts(user).count("\n300") >= 4  # everybody is alike then

    asyncio.run(visit())
