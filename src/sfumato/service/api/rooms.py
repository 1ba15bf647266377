"""Rooms: the folder of a steward, with data that were brought or laid there, releases, desks, a ledger and its keys."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from sfumato.engines.sources import FORMATS
from sfumato.errors import BadRequest
from sfumato.ledger.ledger import Ledger
from sfumato.service.api.answers import Absent

__all__ = ["Room"]

_PART = re.compile(r"[^\W_][\w.\- ]*")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_DEEPEST = 6


class Room:
    """One steward's folder. ``data`` is all that names of files are read from; nothing leads out of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.data, self.releases, self.desks = folder / "data", folder / "releases", folder / "desks"

    def open(self) -> None:
        """Make what is not there yet; only its owner can look."""
        for place in (self.folder, self.data, self.releases, self.desks):
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
        key = self.folder / "pseudonym.key"
        if not key.exists():
            beside = self.folder / f".{secrets.token_hex(8)}"
            with os.fdopen(os.open(beside, os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o600), "w") as file:
                file.write(secrets.token_hex(32))
            with suppress(FileExistsError):  # whoever was first made the key
                os.link(beside, key)
            beside.unlink()

    # ---- data ----------------------------------------------------------------------------------------------------------

    def named(self, name: str) -> Path:
        """Return the place of a name inside the data, whether or not something is there; refuse one that leads elsewhere."""
        parts = name.split("/")
        if len(name) > 200 or len(parts) > _DEEPEST or not all(_PART.fullmatch(part) for part in parts):
            raise BadRequest(
                "must be the name of a file: letters, digits, spaces and . - _, with / between folders",
                parameter="data",
            )
        place = self.data.joinpath(*parts)
        if place.suffix.lower() in FORMATS["duckdb"]:
            raise BadRequest("may hold questions to other files; bring it as Parquet", parameter="data")
        if not place.resolve().is_relative_to(self.data.resolve()):
            raise BadRequest("leads out of the data", parameter="data")
        return place

    def there(self, name: str) -> str:
        """Return a name if there are data under it, as a worker in this room calls them."""
        place = self.named(name)
        if not place.exists():
            raise Absent("there are no such data", parameter="data")
        return str(place.relative_to(self.data))

    def files(self) -> Iterator[tuple[str, int]]:
        """Yield the names of all data with their sizes."""
        for place in sorted(self.data.rglob("*")):
            if place.is_file() and not place.is_symlink() and not place.name.startswith("."):
                yield place.relative_to(self.data).as_posix(), place.stat().st_size

    def used(self) -> int:
        """Return how many bytes lie in the room."""
        total = 0
        for folder, _, names in os.walk(self.folder):
            for name in names:
                with suppress(OSError):  # gone meanwhile
                    total += os.lstat(os.path.join(folder, name)).st_size
        return total

    # ---- releases and desks ------------------------------------------------------------------------------------------

    def release(self, name: str) -> Path:
        """Return the folder of a release."""
        place = self.releases / (name if _NAME.fullmatch(name) else "-")
        if not place.is_dir():
            raise Absent("there is no such release", parameter="release")
        return place

    def desk(self, name: str) -> Path:
        """Return the file of a desk, whether or not it is there."""
        if not _NAME.fullmatch(name):
            raise BadRequest("must be letters, digits, - and _", parameter="desk")
        return self.desks / f"{name}.json"

    # ---- the ledger ----------------------------------------------------------------------------------------------------

    @property
    def ledger_file(self) -> Path:
        """Where the ledger is, or will be."""
        return self.folder / "ledger"

    def ledger(self, *, make: bool = False) -> Ledger:
        """Open the ledger of the room; with ``make`` it is made if there is none."""
        place, key = self.ledger_file, f"{self.ledger_file}.key"
        if not place.exists() and not make:
            raise Absent("there is no ledger yet; a series, a budget or a desk begins one", parameter="ledger")
        if not place.exists():
            with suppress(BadRequest):  # somebody else was quicker
                return Ledger.create(place, key=key)
        return Ledger(place, key=key)
