"""What results of mining cost those whose records they were mined from, one measure per file."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    from sfumato.catalogue import member

    return member(__name__, name)
