"""The log of a service: who asked for what kind of thing, when, and how it ended; no names of data, no values."""

from __future__ import annotations

import json
import os
import threading
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path

from sfumato.data.json import Json

__all__ = ["Logbook"]


class Logbook:
    """A file of JSON lines that only grows and only its owner can open.

    A line has the pattern of a route (``/v1/data/{name}``), never the address itself, which may hold the name of a file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()

    def note(self, token: str, method: str, route: str, status: int, seconds: float, job: int | None = None) -> None:
        """Write one line."""
        told: dict[str, Json] = {"at": round(time.time(), 3), "token": token, "method": method[:16], "route": route}
        told = {**told, "status": status, "ms": round(seconds * 1000), **({} if job is None else {"job": job})}
        with self._lock:
            log = os.open(self.path, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
            try:
                os.write(log, (json.dumps(told) + "\n").encode())
            finally:
                os.close(log)

    def lines(self, tokens: set[str], last: int) -> Iterator[dict[str, Json]]:
        """Yield the last lines about some tokens."""
        kept: deque[dict[str, Json]] = deque(maxlen=last)
        if self.path.exists():
            with self.path.open(encoding="utf-8") as lines:
                kept.extend(told for told in map(json.loads, lines) if told["token"] in tokens)
        yield from kept
