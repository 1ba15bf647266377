"""Where rows live: Polars in memory, DuckDB beyond it, behind one contract; sources and writers of every format.

``read`` opens any source in an engine; ``from_rows`` makes a table of plain Python rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sfumato.contracts.engine import Engine, Table
    from sfumato.engines.polars_engine import PolarsTable

__all__ = ["from_rows", "get_engine", "read"]


def get_engine(name: str, **parameters: Any) -> Engine:
    """Return an engine by its id."""
    from sfumato.catalogue import build

    engine: Engine = build({"id": name, **parameters}, "engine")
    return engine


def read(source: Any, engine: str | Engine = "polars", **options: Any) -> Table:
    """Open a source: a path, a database address with ``table``, a frame, a mapping of columns or a list of records.

    ``options`` are those of :class:`~sfumato.contracts.engine.SourceOptions`, such as ``separator`` or ``types``.
    """
    from sfumato.engines.sources import make_options

    chosen = get_engine(engine) if isinstance(engine, str) else engine
    return chosen.open(source, make_options(options))


def from_rows(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> PolarsTable:
    """Return a table in memory of rows given as sequences, one value per column."""
    import polars as pl

    from sfumato.engines import frames
    from sfumato.engines.polars_engine import PolarsTable

    return PolarsTable.from_frame(pl.DataFrame(frames.from_lists(columns, rows)))
