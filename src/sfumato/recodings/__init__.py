"""The published form of a column: cuts, levels, intervals, suppressed values; saved and applied again."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    from sfumato.catalogue import member

    return member(__name__, name)
