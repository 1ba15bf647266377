"""All ways to publish: a click on a tile shows rows before and after under its levels."""

from __future__ import annotations

import asyncio
import time

import pytest

from sfumato.data.messages import signs
from sfumato.data.schema import Role
from sfumato.web.figures import weighing
from sfumato.web.pages.explore import explored
from sfumato.web.project import Project
from sfumato.web.ways import read_ways

from .conftest import visiting
from .test_pages import texts


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
