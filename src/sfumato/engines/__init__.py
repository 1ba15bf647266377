"""Where rows live: Polars in memory, DuckDB beyond it, Spark beyond one machine, behind one contract; sources and writers.

``read`` opens any source in an engine; ``from_rows`` makes a table of plain Python rows, ``from_columns`` of whole columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sfumato.contracts.engine import Engine, SourceOptions, Table
    from sfumato.data.schema import ColumnType
    from sfumato.engines.polars_engine import PolarsTable
    from sfumato.kernels.arrays import Ints

_HOMES = {"duckdb": "duckdb", "_duckdb": "duckdb", "pyspark": "spark"}  # frames that stay where they are

__all__ = ["from_columns", "from_rows", "get_engine", "open_source", "read", "side_by_side"]


def get_engine(name: str, **parameters: object) -> Engine:
    """Return an engine by its id."""
    from sfumato.catalogue import build

    engine: Engine = build({"id": name, **parameters}, "engine")
    return engine


def read(
    source: object,
    engine: str | Mapping[str, object] | Engine | None = None,
    *,
    format: str | None = None,  # noqa: A002
    separator: str | None = None,
    encoding: str | None = None,
    missing: str | Sequence[str] = ("",),
    sheet: str | None = None,
    table: str | None = None,
    types: Mapping[str, ColumnType | str] | None = None,
    skip_first: int = 0,
    skip_last: int = 0,
    rename_columns: bool = False,
    header: bool | None = None,
    formats: Mapping[str, str] | None = None,
    memory: int | None = None,
    **misspelt: object,
) -> Table:
    """Open a source: a path, a database address with ``table``, a frame, a mapping of columns or a list of records.

    What the source does not say itself can be given. ``engine`` is an engine, its id or its spec; without one a DuckDB
    relation stays in DuckDB, a frame of Spark in Spark, and everything else goes to Polars. ``memory`` is a bound in bytes for
    engines that can keep one.
    ``skip_first`` and ``skip_last`` are lines around the table, ``header=False`` says that the first line is a record,
    ``rename_columns`` gives doubled or missing names another one,
    ``formats`` says by column how values are written (``dd.mm.yyyy``, ``1.234,5``; see :mod:`sfumato.engines.formats`). An
    option that is none is refused with the nearest ones.
    """
    from sfumato.engines.sources import make_options

    options = make_options(
        {
            "format": format,
            "separator": separator,
            "encoding": encoding,
            "missing": missing,
            "sheet": sheet,
            "table": table,
            "types": types or {},
            "skip_first": skip_first,
            "skip_last": skip_last,
            "rename_columns": rename_columns,
            "header": header,
            "formats": formats or {},
            **misspelt,
        }
    )
    return open_source(source, engine, options, memory)


def open_source(
    source: object,
    engine: str | Mapping[str, object] | Engine | None,
    options: SourceOptions,
    memory: int | None = None,
    temp: int | None = None,
) -> Table:
    """Open a source with options that are put together already; ``memory`` and ``temp`` are bounds in bytes, of the engine."""
    from sfumato.catalogue import build
    from sfumato.contracts.engine import Engine
    from sfumato.engines.sources import Described

    if isinstance(source, Described):
        options = source.completed(options)
    if engine is None:
        engine = _HOMES.get(type(source).__module__.partition(".")[0], "polars")
    opener: Engine = engine if isinstance(engine, Engine) else build(engine, "engine")
    if memory is not None or temp is not None:
        opener = opener.bounded(memory, temp)
    return opener.open(str(source) if isinstance(source, Path) else source, options)


def from_columns(columns: Mapping[str, Ints | Sequence[str | None]]) -> PolarsTable:
    """Return a table in memory of columns that are whole numbers or texts, without a detour that takes room for each value."""
    import numpy as np
    import polars as pl

    from sfumato.engines.polars_engine import PolarsTable

    types = {name: pl.Int64 if isinstance(held, np.ndarray) else pl.String for name, held in columns.items()}
    return PolarsTable.from_frame(pl.DataFrame(dict(columns), schema=types))


def side_by_side(tables: Sequence[Table]) -> PolarsTable:
    """Return the columns of tables with equally many rows, and no name in common, as one table in memory, row by row."""
    import polars as pl

    from sfumato.engines.polars_engine import PolarsTable

    frames = [one.frame() if isinstance(one, PolarsTable) else pl.DataFrame(one.to_native()) for one in tables]
    return PolarsTable.from_frame(pl.concat(frames, how="horizontal"))


def from_rows(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> PolarsTable:
    """Return a table in memory of rows given as sequences, one value per column."""
    import polars as pl

    from sfumato.engines import frames
    from sfumato.engines.polars_engine import PolarsTable

    return PolarsTable.from_frame(pl.DataFrame(frames.from_lists(columns, rows)))
