"""A release folder as the ledger knows it: the digest of its certificate, and whether its files are those that it names."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

from sfumato.data.content import file_digest
from sfumato.errors import BadRequest

__all__ = ["certificate_digest", "refuse_changed"]

_FILE = "certificate.json"


def certificate_digest(folder: Path) -> str | None:
    """Return the SHA-256 of the certificate of a release folder, or of its public part; nothing if there is none."""
    try:
        return sha256(_certificate(folder).read_bytes()).hexdigest()
    except OSError:
        return None


def refuse_changed(folder: Path) -> None:
    """Refuse a release folder whose files are not those that its certificate names."""
    path = _certificate(folder)
    try:
        document = json.loads(path.read_bytes())
        named = {entry["file"]: entry["sha256"] for entry in document["release"]["files"]}
        named["schema.json"] = document["schema_sha256"]
        for name, digest in named.items():
            if Path(name).name != name:
                raise ValueError(name)
            if file_digest(path.parent / name) != digest:
                raise BadRequest("was changed after it was certified", parameter=name)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise BadRequest("is not a release folder", parameter="release", value=str(folder)) from None


def _certificate(folder: Path) -> Path:
    inside = folder / "public" / _FILE
    return inside if inside.exists() else folder / _FILE
