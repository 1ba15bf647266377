"""Several tables that refer to each other by keys: the promise is about persons, whatever tables tell of them."""

from __future__ import annotations

from sfumato.databases.database import Database

__all__ = ["Database"]
