"""What a table holds, column by column, and which role each column probably has."""

from __future__ import annotations

from typing import Any

from sfumato.contracts.run import Run
from sfumato.engines import read
from sfumato.tables.open import open_table
from sfumato.tables.profile import ColumnProfile, profile_of

__all__ = ["profile"]


def profile(source: object, *, run: Run | None = None, **options: Any) -> list[ColumnProfile]:
    """Return a profile of every column: type, distinct values, missing, share of unique values, suggested role."""
    run = Run.of(run)
    run.stage("reading")
    return profile_of(
        read(source, **{"memory": run.memory, **options}) if options else open_table(source, run=run), run
    )
