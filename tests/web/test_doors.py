"""The doors of the workbench: files that are no tables, names that lead elsewhere, levels that do not fit; never a trace."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from sfumato.data.schema import Role
from sfumato.web.app import application
from sfumato.web.guard import COOKIE, Guard
from sfumato.web.project import Project

Ask = Callable[..., httpx.Response]


@pytest.fixture
def ask(project: Project) -> Ask:
    """Return a way to ask the workbench of a project, as its own page would."""
    from nicegui import core

    # A process has one application of NiceGUI; where another test has drawn pages it has begun, and takes no more guards.
    core.app.middleware_stack = None
    guard: Any = Guard(application(project), 80, key="secret", largest=100_000)

    def asked(method: str, path: str, **more: Any) -> httpx.Response:
        async def answer() -> httpx.Response:
            transport = httpx.ASGITransport(guard, raise_app_exceptions=False)
            here = {"base_url": "http://127.0.0.1:80", "cookies": {COOKIE: "secret"}}
            async with httpx.AsyncClient(transport=transport, **here) as client:
                return await client.request(
                    method, path, headers={"host": "127.0.0.1:80", **more.pop("headers", {})}, **more
                )

        return asyncio.run(answer())

    return asked


def test_doors(project: Project, ask: Ask, people: str, tmp_path: Path) -> None:
    before = project.text
    wrong: list[tuple[str, bytes]] = [
        ("empty.csv", b""),
        ("noise.csv", bytes(range(256)) * 20),
        ("one.csv", b"a,b\n1,2\n"),
        ("fake.parquet", b"PAR1 no such thing PAR1"),
        ("fake.xlsx", b"PK\x03\x04 no spreadsheet"),
        ("ragged.csv", b"age,sex\n" + b"1,2,3,4\n" * 9 + b'"open'),
        ("unknown.kind", b"age,sex\n1,2\n"),
        ("policy.yaml", b"version: 1"),
        ("../../../outside.csv/..", b"x"),
        ("", b"x"),
        ("people.csv", b"a,b\n1,2\n"),  # the name of the table that is there
    ]
    for name, body in wrong:
        found = ask("PUT", "/file", content=body, headers={"x-name": quote(name)})
        assert found.status_code == 400, (name, found.text)
        assert "Traceback" not in found.text
        assert str(tmp_path) not in found.text, found.text
        assert ".incoming" not in found.text, found.text
        assert project.text == before
    assert (project.folder / "people.csv").read_text(encoding="utf-8") == people
    assert not [path.name for path in project.folder.iterdir() if path.name.startswith(".incoming")]
    assert ask("PUT", "/file", content=b"x" * 200_000, headers={"x-name": "a.csv"}).status_code == 413
    # A name that leads elsewhere ends in the folder.
    assert ask("PUT", "/file", content=people.encode(), headers={"x-name": quote("../../up.csv")}).status_code == 200
    assert project.source == project.folder / "up.csv"

    at = project.policy.of_role(Role.QUASI_IDENTIFIER).index("sex")
    told = ask("GET", f"/levels/{at}")
    assert told.status_code == 200
    given = "female;women;any\nmale;men;any\n"
    assert ask("PUT", f"/levels/{at}", content=given.encode(), headers={"x-name": "l.csv"}).status_code == 200
    assert ask("GET", f"/levels/{at}").text == given  # in and out without loss
    for body in (b"", b"a;b\na", b"\xff\xfe\x00"):
        assert ask("PUT", f"/levels/{at}", content=body, headers={"x-name": "l.csv"}).status_code == 400
    assert ask("GET", "/levels/99").status_code == 400
    for path in ("/look/../project.py", "/look/app.py", "/look/%2e%2e%2fproject.py"):
        assert ask("GET", path).status_code == 404
    assert ask("GET", "/public.zip").status_code == 307
    assert ask("GET", "/report/private").status_code == 307
    assert ask("GET", "/report/private/pdf").status_code == 307
    page = project.folder / "release" / "public" / "report.html"
    page.parent.mkdir(parents=True)
    page.write_text("<!doctype html><title>t</title><p>What may leave</p>", encoding="utf-8")
    printed = ask("GET", "/report/public/pdf")
    assert (printed.status_code, printed.content[:5]) == (200, b"%PDF-")
    assert "report-public.pdf" in printed.headers["content-disposition"]


def test_tables_of_outsiders_come_through_the_same_door(
    project: Project, ask: Ask, people: str, tmp_path: Path
) -> None:
    before = project.text
    for name, body in (
        ("empty.csv", b""),
        ("noise.csv", bytes(range(256)) * 20),
        ("alien.csv", b"a,b\n1,2\n2,3\n"),
        ("", b"x"),
    ):
        found = ask("PUT", "/outside/register", content=body, headers={"x-name": quote(name)})
        assert found.status_code == 400, (name, found.text)
        assert str(tmp_path) not in found.text, found.text
        assert ".incoming" not in found.text, found.text
    assert ask("PUT", "/outside/elsewhere", content=people.encode(), headers={"x-name": "a.csv"}).status_code == 404
    assert ask("PUT", "/outside/register", content=b"x" * 200_000, headers={"x-name": "a.csv"}).status_code == 413
    for kind in ("register", "earlier"):
        name = quote("../../Tilda Orvang.csv")
        assert ask("PUT", f"/outside/{kind}", content=people.encode(), headers={"x-name": name}).status_code == 200
        kept = project.folder / "outside" / f"{kind}.csv"
        assert kept.read_text(encoding="utf-8") == people
        assert kept.stat().st_mode & 0o777 == 0o600
    assert project.text == before
    assert not [path.name for path in project.folder.iterdir() if path.name.startswith(".incoming")]
