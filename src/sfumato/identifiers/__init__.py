"""One recogniser per file, or a country's numbers together: what names a person, told by form and check digits."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    from sfumato.catalogue import member

    return member(__name__, name)
