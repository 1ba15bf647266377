"""What a large table will need, said before the search, and refused where a limit of the policy is below it."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from sfumato.catalogue import things
from sfumato.contracts.algorithm import Algorithm
from sfumato.contracts.engine import RowTable
from sfumato.data.amounts import amount_text, bytes_of
from sfumato.data.messages import say
from sfumato.errors import BadRequest, Unsupported
from sfumato.tables.prepare import Prepared

__all__ = ["Forecast", "forecast", "refuse_beyond_limits", "refuse_size"]

LARGE = 5_000_000
"""Rows from which a run says what it will need."""

_LOOKED_AT = 20_000
# Codes are four bytes a column, weights eight; a search keeps about three copies.
_COPIES = 3
# What the engine leaves of limits.memory for the compressed table.
_SEARCH_SHARE = 0.35


@dataclass(frozen=True)
class Forecast:
    """Rows, about how many of them differ in what is counted, and the memory that these take; ``None`` if nobody can tell."""

    rows: int
    columns: int
    distinct: int | None

    @property
    def memory(self) -> int | None:
        """Bytes that a search on the distinct rows keeps."""
        return None if self.distinct is None else memory_of(self.distinct, self.columns)


def memory_of(distinct: int, columns: int) -> int:
    """Return the bytes that a search keeps of so many distinct rows.

    >>> memory_of(1_000_000, 9)
    132000000
    """
    return distinct * (4 * columns + 8) * _COPIES


def forecast(prepared: Prepared) -> Forecast:
    """Return what a table will need, from a look at some rows.

    The number of distinct rows is guessed as sqrt(N / n) times those that occur once among n rows, plus the others: no guess is
    better at worst (Charikar, Chaudhuri, Motwani, Narasayya, "Towards estimation error guarantees for distinct values", 2000,
    doi:10.1145/335168.335230, section 3).
    """
    names, rows = _counted(prepared), prepared.table.rows
    (seen,) = prepared.table.look(_LOOKED_AT, [names])
    if not seen.rows:
        return Forecast(rows, len(names), None)
    once = seen.distinct - seen.repeated
    return Forecast(rows, len(names), min(rows, round((rows / seen.rows) ** 0.5 * once) + seen.repeated))


def refuse_beyond_limits(prepared: Prepared) -> None:
    """Say what a large table will need; refuse one with more distinct rows than the policy lets a search keep."""
    limits, rows = prepared.policy.limits, prepared.table.rows
    if rows >= LARGE:
        told = forecast(prepared)
        about = "?" if told.distinct is None else f"{told.distinct:,}"
        need = "?" if told.memory is None else amount_text(told.memory)
        logging.getLogger("sfumato").warning(
            say("size.forecast", rows=rows, columns=told.columns, distinct=about, memory=need)
        )
    memory = None if limits.memory is None else bytes_of(limits.memory)
    if prepared.policy.search_on is not None or (limits.distinct_rows is None and memory is None):
        return
    names = _counted(prepared)
    each = memory_of(1, len(names))
    bound = min(
        rows if limits.distinct_rows is None else limits.distinct_rows,
        rows if memory is None else int(memory * _SEARCH_SHARE) // each,
    )
    if bound >= rows:
        return
    distinct = prepared.table.distinct(names)
    if distinct > bound:
        raise BadRequest(
            f"allows {bound:,} distinct rows, and this table has {distinct:,} over the {len(names)} columns that are counted "
            f"({amount_text(distinct * each)}): search_on a sample, give fewer quasi-identifiers, or coarser ones",
            parameter="limits.distinct_rows" if bound == limits.distinct_rows else "limits.memory",
            value=limits.distinct_rows if bound == limits.distinct_rows else limits.memory,
        )


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
