"""Routes for releases: what may leave the house for readers, what must stay for whoever has a second permission."""

from __future__ import annotations

import shutil
from pathlib import Path
from secrets import token_hex
from typing import Literal
from zipfile import ZIP_DEFLATED, ZipFile

from fastapi import APIRouter
from starlette.background import BackgroundTask
from starlette.responses import FileResponse

from sfumato.errors import BadRequest
from sfumato.publishing.certificate import FILE as CERTIFICATE
from sfumato.publishing.certificate import open_certificate
from sfumato.service.api.answers import Absent, Forbidden
from sfumato.service.api.callers import Private, Publisher, Reader
from sfumato.service.api.documents import DataTold, ReleaseTold
from sfumato.service.api.house import House

__all__ = ["release_routes"]


def release_routes(house: House) -> APIRouter:
    """Return the routes."""
    routes = APIRouter(prefix="/v1/releases", tags=["releases"])

    @routes.get("", response_model=list[ReleaseTold])
    def listed(token: Reader) -> list[dict[str, object]]:
        """List the releases of the room, the newest last."""
        folders = [one for one in house.room(token).releases.iterdir() if one.is_dir() and one.name[0] != "."]
        ordered = sorted(folders, key=lambda one: (one.stat().st_mtime_ns, one.name))
        return [{"release": one.name, "files": _files(one / "public")} for one in ordered]

    @routes.get("/{name}", response_model=ReleaseTold)
    def shown(name: str, token: Reader) -> dict[str, object]:
        """Show what is certified of a release, and its public files."""
        folder = house.room(token).release(name)
        certificate = open_certificate((folder / "public" / CERTIFICATE).read_bytes()).document
        return {"release": folder.name, "files": _files(folder / "public"), "certificate": certificate}

    @routes.delete("/{name}", status_code=204)
    def delete(name: str, token: Publisher) -> None:
        """Delete a release; one that the ledger remembers stays."""
        folder = house.room(token).release(name)
        if open_certificate((folder / "public" / CERTIFICATE).read_bytes()).ledger is not None:
            raise BadRequest("is remembered by the ledger, and stays", parameter="release")
        aside = folder.with_name(f".{folder.name}")  # nobody sees a half of it
        folder.replace(aside)
        shutil.rmtree(aside, ignore_errors=True)

    @routes.get("/{name}/public.zip", response_class=FileResponse)
    def packed(name: str, token: Reader) -> FileResponse:
        """Hand out all that may leave the house."""
        folder = house.room(token).release(name) / "public"
        place = house.log.path.parent / f"{token_hex(8)}.zip"
        with ZipFile(place, "x", ZIP_DEFLATED) as made:
            for file in sorted(folder.iterdir()):
                made.write(file, file.name)
        return FileResponse(place, filename=f"{name}.zip", background=BackgroundTask(place.unlink, missing_ok=True))

    @routes.get("/{name}/public/{file}", response_class=FileResponse)
    def public(name: str, file: str, token: Reader) -> FileResponse:
        """Hand out one public file."""
        return FileResponse(_one(house.room(token).release(name) / "public", file), filename=file)

    @routes.get("/{name}/report", response_class=FileResponse)
    def report(name: str, token: Reader, edition: Literal["public", "internal"] = "public") -> FileResponse:
        """Hand out the page that was made with a release."""
        if edition == "internal" and not token.may("private"):
            raise Forbidden("this token is not for it: that takes the scope private")
        folder = house.room(token).release(name)
        return FileResponse(_one(folder / ("public" if edition == "public" else "private"), "report.html"))

    @routes.get("/{name}/private", response_model=list[DataTold])
    def kept(name: str, token: Private) -> list[dict[str, object]]:
        """List the files that must stay in the house."""
        return _files(house.room(token).release(name) / "private")

    @routes.get("/{name}/private/{file}", response_class=FileResponse)
    def private(name: str, file: str, token: Private) -> FileResponse:
        """Hand out a file that must stay in the house."""
        return FileResponse(_one(house.room(token).release(name) / "private", file), filename=file)

    return routes


def _files(folder: Path) -> list[dict[str, object]]:
    found = sorted(one for one in folder.iterdir() if one.is_file()) if folder.is_dir() else []
    return [{"name": one.name, "bytes": one.stat().st_size} for one in found]


def _one(folder: Path, name: str) -> Path:
    """Return a file that the folder lists."""
    if name not in {str(one["name"]) for one in _files(folder)}:
        raise Absent("there is no such file", parameter="file")
    return folder / name
