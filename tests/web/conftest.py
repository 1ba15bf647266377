"""A project with the sample, read once; and a user without a browser."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from sfumato.datasets import sample
from sfumato.web.project import Project

pytest.importorskip("nicegui", reason="NiceGUI is not installed")

Visit = Callable[[Any], Awaitable[None]]


@asynccontextmanager
async def visiting(project: Project, step: str) -> AsyncIterator[Any]:
    """Open a page of a project as somebody would, in this process."""
    from nicegui.testing.user_simulation import user_simulation

    from sfumato.web.app import drawn

    async with user_simulation(lambda: drawn(project, step)) as user:
        await user.open("/")
        yield user


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Return a project with the first 300 people of the sample, without workers."""
    table = sample()
    file = table.write_csv(tmp_path / "whole.csv")
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    made = Project(tmp_path / "project")
    (made.folder / "people.csv").write_text("".join(lines[:301]), encoding="utf-8")
    made.take("people.csv")
    return made
