"""One attack per file: what an adversary with stated knowledge learns from a release."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    from sfumato.catalogue import member

    return member(__name__, name)
