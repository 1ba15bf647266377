"""What a large table will need, said before the search, and refused where a limit of the policy is below it."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from dataclasses import replace

from sfumato.catalogue import things
from sfumato.contracts.algorithm import Algorithm
from sfumato.contracts.engine import RowTable, Table
from sfumato.data.amounts import amount_text, bytes_of
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest, Unsupported
from sfumato.tables.coarse_rows import coarse_table
from sfumato.tables.prepare import Prepared

__all__ = ["Forecast", "forecast", "refuse_size", "within_limits"]

LARGE = 5_000_000
"""Rows from which a run says what it will need."""

# Codes are four bytes a column, weights eight; a search keeps about three copies.
_COPIES = 3
# What the engine leaves of limits.memory for the compressed table.
_SEARCH_SHARE = 0.35
# What a cell takes while rows are sorted and hashed: 11 to 15 bytes were seen with DuckDB, nine columns, texts and numbers.
_CELL_BYTES = 15
# Rough seconds for a million cells to be read, masked, written, read again and judged on two cores; an order of magnitude.
_MILLION_CELLS = {"polars": 0.4, "duckdb": 0.8, "spark": 2.0}
# An estimate of distinct rows is nearer to their number than by this factor, either way: 8 % were seen with DuckDB.
_ASTRAY = 2


@frozen
class Forecast:
    """What a run will need: rows, about how many of them differ in what is counted, and what follows from both.

    ``searched`` is how many distinct rows a search keeps, ``memory`` the bytes that these take, ``temporary`` those of files
    beside the rows, ``minutes`` the time of everything but the search, on two cores.
    """

    rows: int
    columns: int
    distinct: int
    searched: int
    temporary: int
    minutes: int

    @property
    def memory(self) -> int:
        """Bytes that a search on the distinct rows keeps."""
        return memory_of(self.searched, self.columns)


def memory_of(distinct: int, columns: int) -> int:
    """Return the bytes that a search keeps of so many distinct rows.

    >>> memory_of(1_000_000, 9)
    132000000
    """
    return distinct * (4 * columns + 8) * _COPIES


def forecast(prepared: Prepared) -> Forecast:
    """Return what a table will need; distinct rows are estimated by one look at all of them."""
    names, table, asked = _counted(prepared), prepared.table, prepared.policy.search_on
    cells, distinct = table.rows * len(table.columns), min(table.about(names), table.rows)
    return Forecast(
        table.rows,
        len(names),
        distinct,
        distinct if asked is None else min(distinct, asked.sample),
        _temporary(table.engine, cells, prepared.policy.limits.memory),
        max(round(cells * _MILLION_CELLS.get(table.engine, 1.0) / 60_000_000), 1),
    )


def _temporary(engine: str, cells: int, memory: str | None) -> int:
    """Return the bytes of temporary files: none in memory, all rows once where an engine sorts them in files.

    >>> _temporary("duckdb", 900_000_000, "4GB"), _temporary("duckdb", 9_000_000, "4GB"), _temporary("spark", 9_000_000, "4GB")
    (13500000000, 0, 135000000)
    """
    need = cells * _CELL_BYTES
    kept = _machine() if memory is None else bytes_of(memory)
    return 0 if engine == "polars" or (engine == "duckdb" and kept is not None and need <= kept // 2) else need


def _machine() -> int | None:
    """Return the memory of this machine in bytes, where its system tells."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else None


def within_limits(prepared: Prepared) -> Prepared:
    """Say what a large table will need; refuse one with more distinct rows than the policy lets a search keep.

    Where columns can be counted from a coarser level on without changing what is found, they are, rather than refused.
    """
    limits, rows = prepared.policy.limits, prepared.table.rows
    if rows >= LARGE:
        told = forecast(prepared)
        logging.getLogger("sfumato").warning(
            say(
                "size.forecast",
                rows=rows,
                columns=told.columns,
                distinct=f"{told.distinct:,}",
                memory=amount_text(told.memory),
                temporary=amount_text(told.temporary),
                minutes=told.minutes,
            )
        )
    memory = None if limits.memory is None else bytes_of(limits.memory)
    if prepared.policy.search_on is not None or (limits.distinct_rows is None and memory is None):
        return prepared
    names = _counted(prepared)
    each = memory_of(1, len(names))
    bound = min(
        rows if limits.distinct_rows is None else limits.distinct_rows,
        rows if memory is None else int(memory * _SEARCH_SHARE) // each,
    )
    if bound >= rows:
        return prepared
    distinct, exact = _distinct(prepared.table, names, bound)
    if distinct <= bound:
        return prepared
    from sfumato.tables.coarse_start import coarse_start

    coarser = coarse_start(prepared)
    if coarser is not None:
        fewer, _ = _distinct(coarse_table(coarser.table, coarser.attributes, coarser.start), names, bound)
        if fewer <= bound:
            levels = ", ".join(f"{name} {level}" for name, level in coarser.start.items())
            told_so = say("warning.coarse_start", distinct=distinct, bound=bound, levels=levels)
            return replace(coarser, warnings=(*coarser.warnings, told_so))
    raise BadRequest(
        f"allows {bound:,} distinct rows, and this table has {'' if exact else 'about '}{distinct:,} over the {len(names)} "
        f"columns that are counted ({amount_text(distinct * each)}): search_on a sample, give fewer quasi-identifiers, or "
        "coarser ones",
        parameter="limits.distinct_rows" if bound == limits.distinct_rows else "limits.memory",
        value=limits.distinct_rows if bound == limits.distinct_rows else limits.memory,
    )


def _distinct(table: Table, names: Sequence[str], bound: int) -> tuple[int, bool]:
    """Return how many distinct rows there are, and whether that is no estimate.

    To count nearly distinct rows takes as long as to sort them: only near the bound the number itself is asked for.
    """
    about = min(table.about(names), table.rows)
    near = bound // _ASTRAY <= about <= bound * _ASTRAY
    return (table.distinct(names) if near else about), near


def refuse_size(prepared: Prepared) -> None:
    """Refuse a table that is larger than what the algorithm is meant for, or lies where its rows have no place."""
    algorithm, table = prepared.policy.search(), prepared.table
    most = algorithm.traits.most_rows
    if algorithm.traits.works_on == "rows" and not isinstance(table, RowTable):
        why = f"{algorithm.id} needs rows that have a place in memory; the engine {table.engine} only counts them"
    elif most is not None and table.rows > most:
        why = f"{algorithm.id} is meant for tables of up to {most:,} records, this one has {table.rows:,}"
    else:
        return
    raise Unsupported(why, thing=algorithm.id, alternatives=_serving(prepared))


def _serving(prepared: Prepared) -> list[str]:
    """Return the algorithms that work on counts, at any size, and take what the policy asks for."""
    return [
        one.id
        for one in things("algorithm", "table")
        if issubclass(one, Algorithm)
        and one.traits.works_on == "counts"
        and not one.procedures
        and all(getattr(model.traits, need) for model in prepared.models for need in one.traits.model_needs)
    ]


def _counted(prepared: Prepared) -> list[str]:
    return [name for name in prepared.policy.counted() if name in prepared.table.types]
