"""One builder per file: how values of a column become more general."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    from sfumato.catalogue import member

    return member(__name__, name)
