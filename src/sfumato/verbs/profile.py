"""What a table holds, column by column, and which role each column probably has."""

from __future__ import annotations

from typing import Any

from sfumato.contracts.run import Run
from sfumato.engines.found import open_found
from sfumato.engines.sources import make_options
from sfumato.tables.profile import Profile, profile_of
from sfumato.verbs._roles import settled_roles

__all__ = ["profile"]


def profile(source: object, *, run: Run | None = None, **options: Any) -> Profile:
    """Return a profile of every column: type, distinct values, missing, share of unique values, suggested role.

    How a file is written is found from the file where ``options``, those of reading, do not say it.
    """
    run = Run.of(run)
    run.stage("reading")
    engine = options.pop("engine", None)
    table = open_found(source, engine, make_options(options), run.memory).table
    return Profile(settled_roles(table, profile_of(table, run), run))
