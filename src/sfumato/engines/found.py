"""Opening a source whose writing nobody described: what its values show is found, told, and can be kept in a policy."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import polars as pl

from sfumato.contracts.engine import Engine, SourceOptions, Table
from sfumato.contracts.identifier import words_of
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.schema import ColumnType
from sfumato.data.text import to_text
from sfumato.engines import open_source
from sfumato.engines.formats import FORMATS, NUMBERS, rewritten
from sfumato.engines.inference import Guess
from sfumato.engines.layout import laid_out
from sfumato.engines.sources import Described, locate

__all__ = ["Found", "decimal_sign", "open_found", "with_decimal_sign"]

# Texts that people write for "not known". Most mean nothing else; those in the second line do in some columns.
_MISSING = (
    "NA",
    "N/A",
    "n/a",
    "#N/A",
    "#NV",
    "NULL",
    "null",
    "None",
    "?",
    "k.A.",
    "k. A.",
    "k.a.",
    "keine Angabe",
    "unbekannt",
    "NaN",
)
# What is no number and no bound of one, as programs write it, is missing where all else in a column is numbers.
_PERHAPS = ("-", "--", ".", "unknown", "Unknown", "nan", "-nan", "inf", "-inf", "Inf", "-Inf", "Infinity", "-Infinity")
_DATED = frozenset(
    {"date", "datum", "dob", "birth", "birthday", "born", "geburtsdatum", "geburtstag", "geb", "aufnahme"}
)
_DAYS = tuple(name for name in FORMATS if name not in NUMBERS and name not in ("excel", "yyyymmdd"))
_FEW = 5
# Days from 1920 to 2080, as Excel counts them.
_SERIAL = (7_306, 66_000)


@frozen
class Found:
    """A table, how it was read, and what of that was found rather than told."""

    table: Table
    options: SourceOptions
    notes: tuple[str, ...] = ()


def open_found(
    source: object,
    engine: str | Mapping[str, object] | Engine | None = None,
    options: SourceOptions | None = None,
    memory: int | None = None,
) -> Found:
    """Open a source; complete the options by what the file and its values show."""
    options = options or SourceOptions()
    if isinstance(source, Table):
        return Found(source, options)
    if isinstance(source, Described):
        options, source = source.completed(options), str(source)
    said = options
    if isinstance(source, (str, Path)):
        options = laid_out(locate(source, options), options)
    table = open_source(source, engine, options, memory)
    if options.missing == SourceOptions().missing:
        tokens = _missing(table)
        if tokens:
            options = replace(options, missing=("", *tokens))
            table = open_source(source, engine, options, memory)
    formats = _formats(table, source, engine, options, memory)
    if formats:
        options = replace(options, formats={**formats, **options.formats})
        table = open_source(source, engine, options, memory)
    return Found(table, options, _notes(said, options, table))


def _notes(said: SourceOptions, found: SourceOptions, table: Table) -> tuple[str, ...]:
    """Say what was found."""
    notes: list[str] = []
    if found.encoding != said.encoding:
        notes.append(say("written.encoding", encoding=found.encoding))
    if found.skip_first != said.skip_first:
        notes.append(say("written.skip_first", count=found.skip_first))
    if found.skip_last != said.skip_last:
        notes.append(say("written.skip_last", count=found.skip_last))
    if found.header is False and said.header is None:
        notes.append(say("written.no_header"))
    if found.rename_columns != said.rename_columns:
        new = [name for name in table.columns if re.fullmatch(r"(.*_)?(column_)?\d+", name)]
        notes.append(say("written.renamed", names=new or [*table.columns]))
    if found.missing != said.missing:
        notes.append(say("written.missing", tokens=[token for token in found.missing if token]))
    for form in dict.fromkeys(found.formats.values()):
        columns = [name for name, one in found.formats.items() if one == form and name not in said.formats]
        if columns:
            notes.append(say("written.format", columns=columns, format=form))
    return tuple(notes)


# ---- decimal signs -------------------------------------------------------------------------------------------------------


def decimal_sign(options: SourceOptions) -> str:
    """Return the sign before the fraction of numbers: a comma if some column is written so."""
    return "," if any(one in NUMBERS and NUMBERS[one].decimal == "," for one in options.formats.values()) else "."


def with_decimal_sign(source: str | Path, found: Found, sign: str) -> dict[str, dict[str, str]]:
    """Return formats and types of columns if numbers have another decimal sign than was found.

    Only columns change whose values hold a point or a comma. One whose values are no numbers with that sign becomes text.
    """
    table, held = found.table, found.options
    kinds = (ColumnType.NUMBER, ColumnType.INTEGER)
    numbers = [name for name in table.columns if table.types[name] in kinds]
    asked = replace(
        held,
        types={**held.types, **dict.fromkeys(numbers, ColumnType.TEXT)},
        formats={name: form for name, form in held.formats.items() if name not in numbers},
    )
    written = open_source(source, None, asked)
    formats, types = dict[str, str](), dict[str, str]()
    for name in table.columns:
        if written.types[name] is not ColumnType.TEXT:
            continue
        texts = pl.Series(written.dictionary(name).values, dtype=pl.String)
        if not len(texts) or not texts.str.contains("[.,]").any():
            continue
        fitting = [form for form in NUMBERS if NUMBERS[form].decimal == sign and _all(texts, form)]
        if fitting:
            formats[name] = fitting[0]
        elif name in numbers:
            types[name] = str(ColumnType.TEXT)
    return {"formats": formats, "types": types}


# ---- missing values ------------------------------------------------------------------------------------------------------


def _missing(table: Table) -> tuple[str, ...]:
    """Return the texts that stand for missing values, among those that are known to be used so.

    A text that may mean something else must stand in the place of a number or a date somewhere. One that does mean something
    else somewhere is left: NA among codes of countries, a dash that is one of few classes.
    """
    held, gaps, meant = set[str](), set[str](), set[str]()
    for name in [name for name, kind in table.types.items() if kind is ColumnType.TEXT]:
        values = {str(value) for value in table.dictionary(name).values}
        tokens = values & {*_MISSING, *_PERHAPS}
        rest = pl.Series(sorted(values - tokens), dtype=pl.String)
        if not tokens or not len(rest):
            continue
        held |= tokens
        if _typed(rest):
            gaps |= tokens
        elif rest.str.contains(r"^[A-Z]{2}$").all():
            meant |= tokens
        elif len(rest) <= _FEW:
            meant |= tokens & {*_PERHAPS}
    sure = (held & {*_MISSING} | gaps) - meant
    return tuple(token for token in (*_MISSING, *_PERHAPS) if token in sure)


def _typed(texts: pl.Series) -> bool:
    guess = Guess()
    guess.see(texts)
    return guess.type() is not ColumnType.TEXT or bool(_ways(texts))


# ---- formats ---------------------------------------------------------------------------------------------------------------


def _formats(
    table: Table,
    source: object,
    engine: str | Mapping[str, object] | Engine | None,
    options: SourceOptions,
    memory: int | None,
) -> dict[str, str]:
    """Return how the values of columns are written, where all of them are written in one of the known ways."""
    open_columns = [name for name in table.columns if name not in options.formats and name not in options.types]
    fitting: dict[str, list[str]] = {}
    for name in open_columns:
        kind = table.types[name]
        if kind is ColumnType.TEXT:
            texts = pl.Series(table.dictionary(name).values, dtype=pl.String)
            if len(texts):
                fitting[name] = _ways(texts)
        elif kind is ColumnType.INTEGER and _DATED & {*words_of(name)}:
            fitting[name] = _numbered_days(table, name)
    fitting = {name: forms for name, forms in fitting.items() if forms}
    certain = {forms[0] for forms in fitting.values() if len(forms) == 1}
    comma = any(NUMBERS[form].decimal == "," for form in certain if form in NUMBERS)
    if not certain & {
        *NUMBERS
    }:  # one way fits as well as another: a file that needs no commas between columns has them inside
        comma = any(forms[0] in NUMBERS for forms in fitting.values()) and _separated_otherwise(source, options)
    out = {name: _chosen(forms, certain, comma) for name, forms in fitting.items()}
    if comma and isinstance(source, (str, Path)):
        # Beside decimal commas a point is a mark of thousands, if it never stands elsewhere.
        doubtful = [name for name in open_columns if table.types[name] is ColumnType.NUMBER]
        if doubtful:
            asked = replace(options, types={**options.types, **dict.fromkeys(doubtful, ColumnType.TEXT)})
            written = open_source(source, engine, asked, memory)
            for name in doubtful:
                texts = pl.Series(written.dictionary(name).values, dtype=pl.String)
                if _all(texts, "1.234,5"):
                    out[name] = "1.234,5"
    return out


def _ways(texts: pl.Series) -> list[str]:
    """Return the ways of writing numbers and days that fit all texts; of fifty the first text leaves a few."""
    first = pl.lit(texts.first(), dtype=pl.String).str.strip_chars()
    shaped = pl.select(first.str.contains(FORMATS[name].pattern).alias(name) for name in (*NUMBERS, *_DAYS))
    return [name for name, fits in shaped.row(0, named=True).items() if fits and _all(texts, name)]


def _all(texts: pl.Series, name: str) -> bool:
    """Tell whether all texts are written in one way; a few are looked at first."""
    head = texts.head(50)
    return not rewritten(head, name).null_count() and not rewritten(texts, name).null_count()


def _numbered_days(table: Table, name: str) -> list[str]:
    """Return the formats in which whole numbers of a column that is called a date are days."""
    values = table.dictionary(name).values
    texts = pl.Series([to_text(value) for value in values], dtype=pl.String)
    if len(texts) and all(isinstance(value, int) and _SERIAL[0] <= value <= _SERIAL[1] for value in values):
        return ["excel"]
    return ["yyyymmdd"] if len(texts) and _all(texts, "yyyymmdd") else []


def _separated_otherwise(source: object, options: SourceOptions) -> bool:
    from sfumato.engines.delimited import inspect

    if not isinstance(source, (str, Path)):
        return False
    place = locate(source, options)
    return place.format in ("csv", "tsv") and inspect(place, options).separator != ","


def _chosen(forms: list[str], certain: set[str], comma: bool) -> str:
    """Return the way of writing that other columns speak for, or that is the most usual."""
    known = [form for form in forms if form in certain]
    if known:
        return known[0]
    if forms[0] in NUMBERS:
        wanted = [form for form in forms if (NUMBERS[form].decimal == ",") == comma]
        return (wanted or forms)[0]
    american = [form for form in forms if form.startswith("mm/")]
    return american[0] if american and not comma else forms[0]
