"""What comes in and goes out as files: tables, levels, reports, the public part."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Callable
from functools import partial
from importlib.resources import files
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote
from zipfile import ZIP_DEFLATED, ZipFile

from sfumato.data.schema import Role
from sfumato.data.words import printable
from sfumato.errors import BadRequest, SfumatoError
from sfumato.hierarchies.taxonomy import Taxonomy
from sfumato.reports.pdf import write_pdf
from sfumato.service.server import read_body
from sfumato.service.unfolding import refuse_unfolding
from sfumato.web.elements import off_loop
from sfumato.web.pages.hierarchies import tree_of_column
from sfumato.web.pages.release import OPENED
from sfumato.web.project import OUTSIDE, Project

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

__all__ = ["Doors", "file_name"]

_LEVELS = 64 * 2**20  # bytes of a file with levels
_UNFOLDED = 32 * 2**30  # bytes that a packed table may become
_LOOK = {"style.css": "text/css", "workbench.js": "text/javascript"}
_OURS = (
    "policy.yaml",
    "project.json",
    "jobs.sqlite",
    "runs",
    "release",
    "unlocked.log",
    "pseudonym.key",
    "outside",
    "steward.key",
    "steward.key.pub",
    "ledger",
    "ledger.key",
)


def file_name(given: str) -> str:
    """Return a name for a dropped file: only its last part, and nothing that hides, leads elsewhere, or is ours."""
    name = re.sub(r"[^\w.\- ]", "_", Path(given.replace("\\", "/")).name).lstrip(".")
    if not name or len(name) > 120 or name.lower() in _OURS:
        raise BadRequest("is not a name for a table", parameter="file", value=printable(given)[:60])
    return name


class Doors:
    """The handlers for files of one project; what is wrong is a sentence, never a place of this computer."""

    def __init__(self, project: Project) -> None:
        self.project = project

    def _refused(self, error: SfumatoError, beside: Path | None = None, name: str = "") -> Response:
        """Say what is wrong, with the name that somebody gave a file, and no place of this computer."""
        from starlette.responses import JSONResponse

        said = str(error) if beside is None else str(error).replace(str(beside), name)
        for place in (self.project.folder.resolve(), self.project.folder):
            said = said.replace(f"{place}{os.sep}", "").replace(str(place), "")
        return JSONResponse({"error": said}, status_code=400)

    async def bring(self, request: Request) -> Response:
        """Take a table as it streams in."""
        return await self._taken(request, self.project.bring)

    async def outside(self, request: Request) -> Response:
        """Take a table that outsiders have, as it streams in; its name stays with whoever brings it."""
        from starlette.responses import JSONResponse

        kind = request.path_params["kind"]
        if kind not in OUTSIDE:
            return JSONResponse({"error": "not found"}, status_code=404)
        return await self._taken(request, lambda file, _: self.project.bring_outside(file, kind))

    async def _taken(self, request: Request, take: Callable[[Path, str], None]) -> Response:
        """Write what streams in beside the project, and hand it on under its name."""
        from starlette.requests import ClientDisconnect
        from starlette.responses import JSONResponse

        project, beside, name = self.project, None, ""
        try:
            name = file_name(unquote(request.headers.get("x-name", "")))
            beside = project.folder / f".incoming{Path(name).suffix}"
            with os.fdopen(os.open(beside, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "wb") as file:
                async for part in request.stream():
                    file.write(part)
            await off_loop(partial(refuse_unfolding, beside, _UNFOLDED))
            await off_loop(partial(take, beside, name))
        except ClientDisconnect:
            return JSONResponse({"error": "is too large, or was cut off"}, status_code=413)
        except SfumatoError as error:
            return self._refused(error, beside, name)
        finally:
            if beside is not None:
                beside.unlink(missing_ok=True)
        return JSONResponse({"done": True})

    async def levels(self, request: Request) -> Response:
        """Hand out the levels of a column as other tools read them: a row for each value, from exact to hidden."""
        from starlette.responses import PlainTextResponse

        try:
            tree = tree_of_column(self.project, self._column(request))
            if isinstance(tree, str):
                raise BadRequest(tree)
        except SfumatoError as error:
            return self._refused(error)
        lines = StringIO()
        csv.writer(lines, delimiter=";", lineterminator="\n").writerows(tree.to_levels())
        return PlainTextResponse(lines.getvalue(), headers={"content-disposition": "attachment; filename=levels.csv"})

    async def bring_levels(self, request: Request) -> Response:
        """Take levels as other tools write them, or a tree in YAML or JSON."""
        from starlette.responses import JSONResponse

        project, beside = self.project, None
        try:
            name = self._column(request)
            beside = project.folder / f".levels{Path(file_name(unquote(request.headers.get('x-name', '')))).suffix}"
            beside.write_bytes(await read_body(request, _LEVELS))
            spec = Taxonomy(file=beside.name).resolved(project.folder).spec()
            project.edit(lambda document: project.columns(document)[name].update(hierarchy=spec))
        except SfumatoError as error:
            return self._refused(error)
        finally:
            if beside is not None:
                beside.unlink(missing_ok=True)
        return JSONResponse({"done": True})

    def _column(self, request: Request) -> str:
        names, place = self.project.policy.of_role(Role.QUASI_IDENTIFIER), int(request.path_params["place"])
        if not 0 <= place < len(names):
            raise BadRequest("is not a column with levels", parameter="column", value=place)
        return names[place]

    async def public(self, request: Request) -> Response:
        """Hand out what may leave the house, and nothing else."""
        from starlette.responses import FileResponse, RedirectResponse

        folder = self.project.folder / "release" / "public"
        if not folder.is_dir():
            return RedirectResponse("/publish")
        packed = self.project.folder / ".public.zip"
        with ZipFile(packed, "w", ZIP_DEFLATED) as made:
            for file in sorted(folder.iterdir()):
                made.write(file, file.name)
        return FileResponse(packed, filename="release.zip")

    async def report(self, request: Request) -> Response:
        """Show the report, the public one or the one for the house, or that of the release that is looked at."""
        from starlette.responses import FileResponse, RedirectResponse

        edition = request.path_params["edition"]
        part = "public" if edition == "public" else "private"
        file = self.project.folder / "release" / part / "report.html"
        file = self.project.folder / OPENED if edition == "opened" else file
        return FileResponse(file) if file.is_file() else RedirectResponse("/publish")

    async def printed(self, request: Request) -> Response:
        """Hand out the report as PDF."""
        from starlette.responses import FileResponse, RedirectResponse

        edition = "public" if request.path_params["edition"] == "public" else "private"
        page, made = self.project.folder / "release" / edition / "report.html", self.project.folder / f".{edition}.pdf"
        if not page.is_file():
            return RedirectResponse("/publish")
        try:
            await off_loop(lambda: write_pdf(page.read_text(encoding="utf-8"), made))
        except SfumatoError as error:
            return self._refused(error)
        return FileResponse(made, filename=f"report-{edition}.pdf", media_type="application/pdf")

    async def look(self, request: Request) -> Response:
        """Hand out how pages look, and what they do by themselves."""
        from starlette.responses import FileResponse, JSONResponse

        name = request.path_params["name"]
        if name not in _LOOK:
            return JSONResponse({"error": "not found"}, status_code=404)
        return FileResponse(str(files("sfumato.web").joinpath(name)), media_type=_LOOK[name])
