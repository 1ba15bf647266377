"""Requests that a holder has heard: none of them starts a second session, not even after the holder was started again."""

from __future__ import annotations

import os
import threading
import time
from hashlib import sha256
from pathlib import Path

from sfumato.data.messages import say
from sfumato.errors import BadRequest

__all__ = ["AGE", "Heard"]

AGE = 86400
"""Seconds for which a signed request may start a session, before and after the time that it names."""


class Heard:
    """Hashes of requests with the times that they name, in a file that only its owner reads, until they are too old anyway.

    Without a file they are kept as long as the process. A file that cannot be read or written ends in a refusal: who forgets
    what was heard would hear it again.
    """

    def __init__(self, file: Path | None = None) -> None:
        self.file = file
        self._lock = threading.Lock()
        self._held = {} if file is None else _read(file)

    def refuse_again(self, who: str, nonce: str, at: int) -> None:
        """Refuse a request that is too old, too far ahead, or was heard before; from now on it was."""
        mark, now = sha256(f"{who} {nonce}".encode()).hexdigest(), time.time()
        with self._lock:
            if abs(now - at) > AGE or mark in self._held:
                raise BadRequest(say("party.bad.old"), parameter="request")
            held = {key: when for key, when in self._held.items() if now - when <= AGE} | {mark: at}
            if self.file is not None:
                _write(self.file, held)
            self._held = held


def _read(file: Path) -> dict[str, int]:
    try:
        lines = file.read_text(encoding="ascii").splitlines() if file.exists() else []
        return {mark: int(at) for at, mark in (line.split() for line in lines)}
    except (OSError, ValueError):
        raise BadRequest(say("party.bad.heard_file"), parameter="file", value=str(file)) from None


def _write(file: Path, held: dict[str, int]) -> None:
    """Write all of them aside, and give the file its name when it is on the disk."""
    aside = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        with os.fdopen(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="ascii") as out:
            out.writelines(f"{at} {mark}\n" for mark, at in held.items())
            out.flush()
            os.fsync(out.fileno())
        aside.replace(file)
    except OSError:
        aside.unlink(missing_ok=True)
        raise BadRequest(say("party.bad.heard_file"), parameter="file", value=str(file)) from None
