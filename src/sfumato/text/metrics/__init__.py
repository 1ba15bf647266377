"""What masking costs documents, one metric per file."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    from sfumato.catalogue import member

    return member(__name__, name)
