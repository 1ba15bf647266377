"""Events as lines of JSON on the error stream, for whoever runs commands unattended; they tell numbers, never a value."""

from __future__ import annotations

import json
import sys
import time
from datetime import UTC, datetime

__all__ = ["ask", "asked", "line", "tell"]

_ASKED = False
_BEGAN = 0.0


def ask(*, wanted: bool) -> None:
    """Begin a command whose events are told as JSON, or not."""
    global _ASKED, _BEGAN
    _ASKED, _BEGAN = wanted, time.perf_counter()


def asked() -> bool:
    """Whether events are told as JSON."""
    return _ASKED


def tell(event: str, **facts: str | float | None) -> None:
    """Write an event to the error stream."""
    print(line(event, **facts), file=sys.stderr, flush=True)


def line(event: str, **facts: str | float | None) -> str:
    """Return an event: when, its facts, seconds since the beginning, and the largest memory so far in bytes."""
    told = {
        "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "event": event,
        **{name: fact for name, fact in facts.items() if fact is not None},
        "seconds": round(time.perf_counter() - _BEGAN, 3),
        "memory": _memory(),
    }
    return json.dumps(told)


def _memory() -> int | None:
    try:
        import resource
    except ImportError:  # not on Windows
        return None
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
