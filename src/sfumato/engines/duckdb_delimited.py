"""Delimited text for DuckDB: all columns are looked at in one pass, and rows kept in another, few texts as their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import polars as pl

from sfumato.contracts.engine import SourceOptions
from sfumato.data.frozen import frozen
from sfumato.data.schema import ColumnType
from sfumato.engines.columns import in_order
from sfumato.engines.delimited import inspect
from sfumato.engines.duckdb_fields import (
    FEW,
    PORTION,
    Entries,
    Field,
    Opened,
    canonical_pairs,
    path_literal,
    spelled_twice,
)
from sfumato.engines.duckdb_session import Session, literal
from sfumato.engines.formats import in_canonical_form
from sfumato.engines.inference import Guess, fits, is_nan, one_spelling, parse, spelled_apart
from sfumato.engines.sources import Source, misfit
from sfumato.errors import BadRequest

__all__ = ["open_delimited"]

_AT_ONCE = 32


def open_delimited(session: Session, place: Source, options: SourceOptions) -> Opened:
    """Look at the texts of all columns in one pass, and keep the rows in another: few texts of a column as their numbers."""
    dialect = inspect(place, options)
    path = dialect.path
    if not dialect.unpacked:
        path = session.folder / "utf8.csv"
        with path.open("wb") as file:
            file.writelines(dialect.utf8())
    keys = [f"c{at}" for at in range(len(dialect.header))]
    columns = ", ".join(f"{key}: 'VARCHAR'" for key in keys)
    kept = "" if "" in options.missing else f", force_not_null=[{', '.join(map(literal, keys))}]"
    packed = "gzip" if dialect.compressed and path == dialect.path else "none"
    rows = (
        f"read_csv({path_literal(path)}, auto_detect=false, header=true, "
        f"delim={literal(dialect.separator)}, quote='\"', escape='\"', strict_mode=true, null_padding=false, "
        f"compression='{packed}', columns={{{columns}}}{kept})"
    )
    named = dict(zip(keys, dialect.header, strict=True))
    asked = [key for key, name in named.items() if name not in options.ignored]
    try:
        seen = _texts_of(session, rows, asked)
        coded = {
            key: found
            for key, texts in seen.items()
            if (found := _enumerated(session, rows, key, texts, named[key], place.where, options)) is not None
        }
        table = session.name()
        joins = [f"LEFT JOIN {one.pairs} p{key} ON p{key}.k = t.{key}" for key, one in coded.items() if one.pairs]
        parts = [coded[key].expression if key in coded else f"t.{key} AS {key}" for key in keys]
        # Numbers of entries are small already: to look for a smaller form of each column costs more than it saves.
        session.run("SET force_compression = 'uncompressed'")
        session.run(f"CREATE TABLE {table} AS SELECT {', '.join(parts)} FROM {rows} t {' '.join(joins)}")
        session.run("RESET force_compression")
    except session.error:
        dialect.check()
        raise
    known = ", ".join(f"count({key})" for key in coded)
    ((count, *counted),) = session.run(f"SELECT count(*){', ' * bool(coded)}{known} FROM {table}")
    if counted != [one.known for one in coded.values()]:
        raise BadRequest("changed while it was read", where=place.where)
    if not options.may_be_empty and not count:
        raise BadRequest("has a header but no rows", where=place.where)
    fields, parts = {}, []
    for key, name in named.items():
        if key in coded:
            fields[name], expression = coded[key].field, key
        elif name in options.ignored:
            fields[name], expression = Field(key, ColumnType.TEXT), key
        else:
            fields[name], expression = _wide(session, table, key, name, place, options)
        parts.append(f"{expression} AS {key}")
    return Opened(f"SELECT {', '.join(parts)}, rowid AS r FROM {table}", fields)


def _texts_of(session: Session, rows: str, keys: Sequence[str]) -> dict[str, pl.DataFrame]:
    """Return the texts ``v`` of columns with their numbers ``n``, of all columns that have few of them, in one pass."""
    few: dict[str, list[pl.DataFrame]] = {key: [] for key in keys}
    sizes = dict.fromkeys(keys, 0)
    for start in range(0, len(keys), _AT_ONCE):
        listed = keys[start : start + _AT_ONCE]
        sets = ", ".join(f"({key})" for key in listed)
        which = " ".join(f"WHEN grouping({key}) = 0 THEN {at}" for at, key in enumerate(listed))
        query = f"SELECT CASE {which} END AS c, coalesce({', '.join(listed)}) AS v, count(*) AS n"
        for table in session.stream(f"{query} FROM {rows} GROUP BY GROUPING SETS ({sets})", PORTION):
            for (at,), portion in cast(pl.DataFrame, pl.from_arrow(table)).group_by("c"):
                key = listed[int(cast(int, at))]
                sizes[key] += len(portion)
                few[key] = [*few[key], portion] if sizes[key] <= FEW else []
    return {key: pl.concat(found) for key, found in few.items() if 0 < sizes[key] <= FEW}


@frozen
class _Enumerated:
    """A column of few texts: its field, how rows get its entries, the table that rewrites texts, and how many are known."""

    field: Field
    expression: str
    pairs: str | None
    known: int


def _enumerated(
    session: Session, rows: str, key: str, texts: pl.DataFrame, name: str, where: str, options: SourceOptions
) -> _Enumerated | None:
    """Find the type of a column from its distinct texts, and their one spelling; none where nothing is known."""
    held = texts.filter(pl.col("v").is_not_null())
    known = held.filter(~pl.col("v").is_in([*options.missing]))
    read, numbers = known["v"].alias(name), known["n"]
    canonical = in_canonical_form(read, name, options, where)
    spelled = read if canonical is None else canonical
    kind = options.types.get(name)
    if kind is None:
        guess = Guess()
        guess.see(spelled.unique())
        kind = guess.type()
    elif len(bad := known.filter(~fits(spelled, kind))):
        number = f"SELECT row_number() OVER () - 1 AS r, {key} FROM {rows}"
        listed = ", ".join(map(literal, bad["v"]))
        ((first,),) = session.run(f"SELECT min(r) FROM ({number}) WHERE {key} IN ({listed})")
        raise misfit(name, kind, int(bad["n"].sum()), where, first)
    if kind.numeric:
        stays = ~is_nan(spelled)
        read, spelled, numbers = read.filter(stays), spelled.filter(stays), numbers.filter(stays)
    distinct = spelled.unique()
    apart, lost = spelled_apart(distinct, kind), len(texts) - len(read)
    if name in options.as_written and (apart or lost > 1):
        kind, known = ColumnType.TEXT, held.filter(pl.col("v") != "")
        read = spelled = distinct = known["v"].alias(name)
        numbers = known["n"]
    elif apart:
        spelled = one_spelling(spelled, kind)
        distinct = spelled.unique()
    if not len(distinct):
        return None
    entries = in_order(distinct, kind)
    made = Entries(session.enumeration(entries), tuple(entries), tuple(parse(entries, kind)))
    field, amount = Field(key, kind, entries=made), int(numbers.sum())
    if read.equals(spelled):
        # A bare cast is done by the reader, which then would not forgive texts that are no entries.
        gone = ", ".join(map(literal, held["v"].filter(~held["v"].is_in(read.implode()))))
        text = f"CASE WHEN t.{key} IN ({gone}) THEN NULL ELSE t.{key} END" if gone else f"t.{key}"
        return _Enumerated(field, f"CAST({text} AS {made.name}) AS {key}", None, amount)
    pairs = session.store(pl.DataFrame({"k": read, "v": spelled}).to_arrow(), v=made.name)
    return _Enumerated(field, f"p{key}.v AS {key}", pairs, amount)


def _wide(
    session: Session, table: str, key: str, name: str, place: Source, options: SourceOptions
) -> tuple[Field, str]:
    """Find the type of a column of many texts, which stay as they are read; return it and the SQL of its known texts."""
    tokens = [literal(token) for token in options.missing if token]
    rows = f"FROM {table} WHERE {key} IS NOT NULL" + (f" AND {key} NOT IN ({', '.join(tokens)})" if tokens else "")
    pairs = canonical_pairs(session, rows, key, name, options, place.where)
    if pairs is not None:
        session.run(f"UPDATE {table} SET {key} = p.v FROM {pairs} AS p WHERE {key} = p.k")
    kind = _type(session, rows, key, name, place, options)
    clauses = [f"{key} IN ({', '.join(tokens)})"] if tokens else []
    clauses += [f"lower({key}) = 'nan'"] if kind.numeric else []
    kept = f"CASE WHEN {' OR '.join(clauses)} THEN NULL ELSE {key} END" if clauses else key
    apart = spelled_twice(session, f"SELECT {kept} AS c FROM {table}", kind)
    lost = f"SELECT count(DISTINCT coalesce({key}, '')) FROM {table} WHERE {kept} IS NULL"
    if name in options.as_written and (apart or session.run(lost)[0][0] > 1):
        return Field(key, ColumnType.TEXT), f"nullif({key}, '')"
    if apart:
        session.run(f"UPDATE {table} SET {key} = CASE WHEN {kept} IS NULL THEN NULL ELSE {Field(key, kind).cell} END")
    return Field(key, kind), kept


def _type(session: Session, rows: str, key: str, name: str, place: Source, options: SourceOptions) -> ColumnType:
    """Find the type of a column of texts, or check the one asked for, over a stream of its distinct texts."""
    asked = options.types.get(name)
    if asked is ColumnType.TEXT:
        return asked
    guess, bad, first = Guess(), 0, list[int]()
    for table in session.stream(f"SELECT {key}, count(*) AS n, min(rowid) AS r {rows} GROUP BY {key}", PORTION):
        portion = cast(pl.DataFrame, pl.from_arrow(table))
        if asked is not None:
            wrong = portion.filter(~fits(portion[key], asked))
            bad += int(wrong["n"].sum())
            first += wrong["r"].to_list()
        elif guess.settled:
            break
        else:
            guess.see(portion[key])
    if asked is not None and bad:
        raise misfit(name, asked, bad, place.where, min(first))
    return asked if asked is not None else guess.type()
