"""Values changed at random, exchanged, averaged or drawn anew: statistics stay, single records are no longer true."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    from sfumato.catalogue import member

    return member(__name__, name)
