"""A project with the sample, read once; and a user without a browser."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from sfumato.datasets.hospital import hospital
from sfumato.web.project import Project

pytest.importorskip("nicegui", reason="NiceGUI is not installed")


@asynccontextmanager
async def visiting(project: Project, step: str) -> AsyncIterator[Any]:
    """Open a page of a project as somebody would, in this process; ``user.step`` opens another one."""
    from nicegui.testing.user_simulation import user_simulation

    from sfumato.web.app import drawn

    here = {"step": step}
    async with user_simulation(lambda: drawn(project, here["step"])) as user:

        async def other(name: str) -> None:
            here["step"] = name
            await user.open("/")

        user.step = other
        await user.open("/")
        yield user


@pytest.fixture(scope="session")
def people(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a table with 300 people of the invented hospital."""
    return hospital(300, seed=1).write_csv(tmp_path_factory.mktemp("people") / "people.csv").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def drafted(tmp_path_factory: pytest.TempPathFactory, people: str) -> Path:
    """Return a project in which a table was read once."""
    made = Project(tmp_path_factory.mktemp("drafted") / "project")
    (made.folder / "people.csv").write_text(people, encoding="utf-8")
    made.take("people.csv")
    return made.folder


@pytest.fixture
def project(tmp_path: Path, drafted: Path) -> Project:
    """Return a project with a few people, without workers."""
    shutil.copytree(drafted, tmp_path / "project")
    return Project(tmp_path / "project")
