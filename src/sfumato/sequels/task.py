"""What an algorithm takes that makes the next release of a series."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sfumato.contracts.engine import Table
from sfumato.contracts.model import Requirement
from sfumato.sequels.series import Series

__all__ = ["SeriesTask"]


@dataclass(frozen=True, eq=False)
class SeriesTask:
    """The releases so far, the records to publish next, and what the series must keep.

    ``earlier`` are the holder's copies: where persons return, with the column that names them. ``None`` before the first
    release. ``batch`` are the raw records of the next one, columns as in ``earlier``; ``history`` those of the releases before,
    for series that publish everything again.
    """

    batch: Table
    earlier: Series | None
    models: Sequence[Requirement]
    history: Sequence[Table] = ()
    target: str | None = None
