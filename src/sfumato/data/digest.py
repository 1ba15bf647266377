"""The fingerprint of a file."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

__all__ = ["file_digest"]


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file, read in blocks; that of a folder of parts is over their names and digests, in order."""
    digest = sha256()
    if path.is_dir():
        for part in sorted(path.iterdir()):
            digest.update(f"{part.name} {file_digest(part)}\n".encode())
        return digest.hexdigest()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
