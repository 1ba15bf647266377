"""What a table holds, column by column, and which role each column probably has."""

from __future__ import annotations

from typing import Any

from sfumato.contracts.run import Run
from sfumato.engines.found import open_found
from sfumato.engines.sources import make_options
from sfumato.tables.profile import ColumnProfile, profile_of

__all__ = ["profile"]


def profile(source: object, *, run: Run | None = None, **options: Any) -> list[ColumnProfile]:
    """Return a profile of every column: type, distinct values, missing, share of unique values, suggested role.

    How a file is written is found from the file where ``options``, those of reading, do not say it.
    """
    run = Run.of(run)
    run.stage("reading")
    engine = options.pop("engine", None)
    return profile_of(open_found(source, engine, make_options(options), run.memory).table, run)
