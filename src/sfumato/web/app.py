"""The application: pages, the door for files, reports; with the guard in front, on loopback."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.resources import files
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote
from zipfile import ZIP_DEFLATED, ZipFile

from sfumato.data.messages import speaking, tell
from sfumato.data.schema import Role
from sfumato.data.words import printable
from sfumato.errors import BadRequest, SfumatoError, Unsupported
from sfumato.hierarchies.taxonomy import Taxonomy
from sfumato.service.server import new_app, read_body
from sfumato.web.elements import box, link, off_loop, text
from sfumato.web.frame import STEPS, frame, script_sheet
from sfumato.web.guard import ENTER, Guard
from sfumato.web.pages.hierarchies import tree_of_column
from sfumato.web.project import Project

if TYPE_CHECKING:
    from fastapi import FastAPI
    from starlette.requests import Request
    from starlette.responses import Response

__all__ = ["LARGEST", "Workbench", "application", "drawn"]

LARGEST = 4 * 2**30
"""Bytes that a dropped file may have; a larger one is named on the command line and stays where it is."""


_LEVELS = 64 * 2**20  # bytes of a file with levels
_ICON = (
    "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 22 22'>"
    "<circle cx='11' cy='11' r='9' fill='%232c6e73'/></svg>"
)


def drawn(project: Project, step: str) -> None:
    """Draw a page in the language of the project; without a table there is only the first."""
    with speaking(project.place.language):
        try:
            if step == "script" and project.text:
                _script(project)
            elif step in STEPS and (project.source is not None or step == "data"):
                import_module(f"sfumato.web.pages.{step}").draw(project)
            else:
                import_module("sfumato.web.pages.data").draw(project)
        except SfumatoError as error:
            with box("div", "note bad"):
                text(str(error), "p")
                link(tell("page.web.back"), "/data")


def _script(project: Project) -> None:
    with frame(project, "publish"), box("div", "stack"):
        script_sheet(project)


def application(project: Project) -> FastAPI:
    """Return the application of a project, without the guard."""
    try:
        from nicegui import app as pages
        from nicegui import ui
    except ImportError:
        raise Unsupported('the workbench needs NiceGUI: pip install "sfumato[workbench]"', thing="workbench") from None
    from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, RedirectResponse

    app = new_app("sfumato workbench")
    here = files("sfumato.web")

    @app.put("/file")
    async def bring(request: Request) -> Response:
        """Take a file as it streams in; it has its name only once it could be read as a table."""
        name = _named(unquote(request.headers.get("x-name", "")))
        beside = project.folder / f".incoming{Path(name).suffix}"
        try:
            with os.fdopen(os.open(beside, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "wb") as file:
                async for part in request.stream():
                    file.write(part)
            await off_loop(partial(project.bring, beside, name))
        except SfumatoError as error:
            return JSONResponse({"error": str(error)}, status_code=400)
        finally:
            beside.unlink(missing_ok=True)
        return JSONResponse({"done": True})

    @app.get("/report/{edition}")
    async def report(edition: str) -> Response:
        file = project.folder / "release" / ("public" if edition == "public" else "private") / "report.html"
        return FileResponse(file) if file.is_file() else RedirectResponse("/publish")

    @app.get("/public.zip")
    async def public() -> Response:
        """Hand out what may leave the house, and nothing else."""
        folder = project.folder / "release" / "public"
        if not folder.is_dir():
            return RedirectResponse("/publish")
        packed = project.folder / ".public.zip"
        with ZipFile(packed, "w", ZIP_DEFLATED) as made:
            for file in sorted(folder.iterdir()):
                made.write(file, file.name)
        return FileResponse(packed, filename="release.zip")

    @app.get("/levels/{place}")
    async def levels(place: int) -> Response:
        """Hand out the levels of a column as other tools read them: a row for each value, from exact to hidden."""
        tree = tree_of_column(project, _column(project, place))
        if isinstance(tree, str):
            return JSONResponse({"error": tree}, status_code=400)
        lines = StringIO()
        csv.writer(lines, delimiter=";", lineterminator="\n").writerows(tree.to_levels())
        return PlainTextResponse(lines.getvalue(), headers={"content-disposition": "attachment; filename=levels.csv"})

    @app.put("/levels/{place}")
    async def bring_levels(place: int, request: Request) -> Response:
        """Take levels as other tools write them, or a tree in YAML or JSON."""
        name = _column(project, place)
        kind = Path(_named(unquote(request.headers.get("x-name", "")))).suffix or ".csv"
        beside = project.folder / f".levels{kind}"
        try:
            beside.write_bytes(await read_body(request, _LEVELS))
            spec = Taxonomy(file=beside.name).resolved(project.folder).spec()
            project.edit(lambda document: project.columns(document)[name].update(hierarchy=spec))
        except SfumatoError as error:
            return JSONResponse({"error": str(error)}, status_code=400)
        finally:
            beside.unlink(missing_ok=True)
        return JSONResponse({"done": True})

    @app.get("/look/{name}")
    async def look(name: str) -> Response:
        kinds = {"style.css": "text/css", "workbench.js": "text/javascript"}
        if name not in kinds:
            return JSONResponse({"error": "not found"}, status_code=404)
        return FileResponse(str(here.joinpath(name)), media_type=kinds[name])

    head = '<link rel="stylesheet" href="/look/style.css"><script src="/look/workbench.js" defer></script>'

    def page(step: str) -> Callable[[], None]:
        def shown() -> None:
            ui.add_head_html(head)
            drawn(project, step)

        return shown

    for step in (*STEPS, "script"):
        ui.page(f"/{step}", title="sfumato")(page(step))
    ui.page("/", title="sfumato")(page("data"))
    pages.on_startup(project.crew.__enter__)
    pages.on_shutdown(lambda: project.crew.__exit__())
    ui.run_with(
        app,
        title="sfumato",
        tailwind=False,
        dark=None,
        show_welcome_message=False,
        favicon=_ICON,
    )
    return app


def _column(project: Project, place: int) -> str:
    names = project.policy.of_role(Role.QUASI_IDENTIFIER)
    if not 0 <= place < len(names):
        raise BadRequest("is not a column with levels", parameter="column", value=place)
    return names[place]


def _named(given: str) -> str:
    """Return a name for a dropped file: only its last part, and nothing that hides or leads elsewhere."""
    name = re.sub(r"[^\w.\- ]", "_", Path(given.replace("\\", "/")).name).lstrip(".")
    if not name or len(name) > 120 or name in ("policy.yaml", "project.json", "jobs.sqlite", "runs", "release"):
        raise BadRequest("is not a name for a table", parameter="file", value=printable(given)[:60])
    return name


class Workbench:
    """A workbench that listens on loopback until somebody ends it."""

    def __init__(self, project: Project, port: int = 0, *, key: str | None = None, largest: int = LARGEST) -> None:
        import socket

        # Where NiceGUI would keep what pages remember: nothing is kept there, and nobody else may look.
        os.environ["NICEGUI_STORAGE_PATH"] = str(project.folder / ".pages")
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._socket.bind(("127.0.0.1", port))
        except (OSError, OverflowError):
            raise BadRequest(
                "cannot be listened on; another process may hold it", parameter="port", value=port
            ) from None
        self.port: int = self._socket.getsockname()[1]
        self.guard = Guard(application(project), self.port, key=key, largest=largest)

    @property
    def address(self) -> str:
        """The address to begin with; whoever has it may enter."""
        return f"http://127.0.0.1:{self.port}{ENTER}?key={self.guard.key}"

    def serve(self) -> None:
        """Serve until the process is ended; requests are not logged, their addresses are nobody's business."""
        import uvicorn

        config = uvicorn.Config(
            self.guard, log_level="error", access_log=False, ws_max_size=2**24, timeout_graceful_shutdown=2
        )
        uvicorn.Server(config).run(sockets=[self._socket])
