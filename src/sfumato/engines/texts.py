"""The canonical text of a value: the one form in which every engine writes it.

Booleans are ``true`` and ``false``, dates ISO 8601, numbers the shortest text that reads back the same.
"""

from __future__ import annotations

import polars as pl

__all__ = ["as_text"]


def as_text(values: pl.Series) -> pl.Series:
    """Return values as texts; missing stays missing."""
    if values.dtype == pl.String:
        return values
    if isinstance(values.dtype, pl.Datetime):
        # %.f writes a fraction only where there is one.
        return values.dt.to_string("%Y-%m-%dT%H:%M:%S%.f")
    if values.dtype == pl.Date:
        return values.dt.to_string("%Y-%m-%d")
    return values.cast(pl.String)
