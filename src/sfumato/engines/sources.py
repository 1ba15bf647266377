"""What a source is: the format behind a path or an address, and whether it can be opened at all.

The suffix decides, unless the caller names the format. Problems of the file itself (missing, a folder, empty) are refused
here, so that every engine says the same.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from sfumato.contracts.engine import SourceOptions
from sfumato.data.frozen import frozen
from sfumato.data.schema import ColumnType
from sfumato.engines.parts import files, is_parts
from sfumato.errors import BadRequest, Unsupported

__all__ = [
    "FORMATS",
    "STATISTICAL",
    "UNWRITTEN",
    "Described",
    "Source",
    "check_columns",
    "format_of",
    "locate",
    "make_options",
    "misfit",
    "named_columns",
    "refuse_spelled_apart",
    "refuse_without_arrow",
    "row_told",
]

FORMATS: Mapping[str, tuple[str, ...]] = {
    "csv": (".csv", ".txt"),
    "tsv": (".tsv", ".tab"),
    "parquet": (".parquet", ".pq"),
    "arrow": (".arrow", ".feather", ".ipc"),
    "jsonl": (".jsonl", ".ndjson"),
    "xlsx": (".xlsx", ".xls", ".xlsb", ".ods"),
    "sqlite": (".sqlite", ".sqlite3", ".db"),
    "duckdb": (".duckdb", ".ddb"),
    "spss": (".sav", ".zsav", ".por"),
    "stata": (".dta",),
    "sas": (".sas7bdat", ".xpt"),
}
STATISTICAL = frozenset({"spss", "stata", "sas"})
"""Formats of statistical packages."""
UNWRITTEN = STATISTICAL | {"duckdb"}
"""Formats that are read and never written."""
_SUFFIXES = {suffix: name for name, suffixes in FORMATS.items() for suffix in suffixes}
_PACKED = frozenset({"csv", "tsv", "jsonl"})


@frozen
class Source:
    """A place that holds rows. ``where`` names it in messages and never holds a password."""

    format: str
    where: str
    path: Path | None = None
    uri: str | None = None
    compressed: bool = False

    @property
    def file(self) -> Path:
        """The path of a source that is a file."""
        if self.path is None:
            raise BadRequest("is not a file", where=self.where)
        return self.path


class Described(str):
    """A path or an address together with how it is written; what is said here counts before what a policy says."""

    __slots__ = ("said",)
    said: Mapping[str, Any]

    @classmethod
    def of(cls, place: str, said: Mapping[str, Any]) -> Described:
        """Return a place and what is said of it, checked as far as no file is needed."""
        make_options(said)
        out = cls(place)
        out.said = said
        return out

    def completed(self, options: SourceOptions) -> SourceOptions:
        """Return options with what is said put over them."""
        made = make_options(self.said)
        said = {name: getattr(made, name) for name in self.said}
        return replace(options, **{**said, "formats": {**options.formats, **made.formats}})


def format_of(path: Path, given: str | None = None) -> tuple[str, bool]:
    """Return the format of a file name and whether it is packed with gzip."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    compressed = bool(suffixes) and suffixes[-1] == ".gz"
    if compressed:
        suffixes.pop()
    name = given if given is not None else _SUFFIXES.get(suffixes[-1] if suffixes else "")
    if name is None:
        raise BadRequest(
            "suffix does not tell the format; name it with `format`",
            where=str(path),
            value=path.suffix,
            available=_SUFFIXES,
        )
    if name not in FORMATS:
        raise BadRequest("is not a known format", parameter="format", value=name, available=FORMATS, where=str(path))
    if compressed and name not in _PACKED:
        raise BadRequest(
            "only these formats may be packed with gzip", where=str(path), value=name, available=sorted(_PACKED)
        )
    return name, compressed


def locate(source: str | Path, options: SourceOptions) -> Source:
    """Return the source behind a path or an address, checked as far as no row is read."""
    text = str(source)
    if text.startswith(("postgresql://", "postgres://")):
        parts = urlsplit(text)
        refuse_without_arrow("reading a database")
        return Source("postgresql", f"postgresql://{parts.hostname or ''}{parts.path}", uri=text)
    path = Path(text.removeprefix("sqlite:///")) if text.startswith("sqlite:///") else Path(text)
    name, compressed = ("sqlite", False) if text.startswith("sqlite:///") else (None, False)
    where = str(path)
    try:
        if not path.exists():
            raise BadRequest("there is no such file", where=where)
        if path.is_dir():
            if not is_parts(path) or options.format not in (None, "parquet"):
                raise BadRequest("is a folder, not a file, and holds no Parquet files", where=where)
            files(path)  # anything else in the folder is refused
            refuse_without_arrow("reading parquet")
            return Source("parquet", where, path=path)
        if name is None:
            name, compressed = format_of(path, options.format)
        with path.open("rb") as file:
            if not file.read(1) and not (options.may_be_empty and name == "jsonl"):  # lines of JSON have no header
                raise BadRequest("is empty", where=where)
    except OSError as error:
        raise BadRequest(f"cannot be read ({error.strerror or type(error).__name__})", where=where) from None
    if name not in ("csv", "tsv", "jsonl"):
        refuse_without_arrow(f"reading {name}")
    return Source(name, where, path=path, compressed=compressed)


def refuse_without_arrow(what: str) -> None:
    """Refuse what needs PyArrow where there is none: text files are read, published and verified without it."""
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise Unsupported(
            f"{what} needs PyArrow (pip install pyarrow)", thing="pyarrow", alternatives=["csv", "tsv"]
        ) from None


def row_told(first: int | None, count: int = 2) -> str:
    """Return the end of a refusal that says in which row a bad cell stands, of several the first; never what is in it.

    >>> row_told(0), row_told(6, 1), row_told(None)
    (', the first one in row 1 of the data', ', in row 7 of the data', '')
    """
    return "" if first is None else f", {'the first one ' if count > 1 else ''}in row {first + 1:,} of the data"


def misfit(name: str, kind: ColumnType, count: int, where: str, first: int | None = None) -> BadRequest:
    """Return the refusal of a column that holds values outside the type asked for; ``first`` is the place of one, from 0 on."""
    return BadRequest(
        f"{count} value{' is' if count == 1 else 's are'} not of the type {kind.value} that was asked for"
        + row_told(first, count),
        column=name,
        where=where,
    )


def make_options(given: Mapping[str, Any]) -> SourceOptions:
    """Build reading options from plain values, such as those of a policy or of a call."""
    known = [declared.name for declared in fields(SourceOptions)]
    for name in given:
        if name not in known:
            raise BadRequest("is not an option of reading", parameter=name, value=name, available=known)
    values = dict(given)
    if "missing" in values:
        tokens = values["missing"]
        values["missing"] = (tokens,) if isinstance(tokens, str) else tuple(tokens)
    if "types" in values:
        values["types"] = {name: _type(name, kind) for name, kind in values["types"].items()}
    for name in ("skip_first", "skip_last"):
        if not isinstance(values.get(name, 0), int) or values.get(name, 0) < 0:
            raise BadRequest("must be a number of lines", parameter=name, value=values[name])
    if not isinstance(values.get("header"), bool | None):
        raise BadRequest("must be true or false", parameter="header", value=values["header"])
    return SourceOptions(**values)


def _type(name: str, kind: str) -> ColumnType:
    try:
        return ColumnType(kind)
    except ValueError:
        raise BadRequest(
            "is not a type", column=name, parameter="types", value=kind, available=[known.value for known in ColumnType]
        ) from None


def refuse_spelled_apart(source: Source, names: Iterable[str]) -> None:
    """Refuse lines of JSON that write one number in several ways in one of some columns; no engine keeps how they do."""
    wanted, seen = set(names), dict[tuple[str, float], str]()
    with gzip.open(source.file, "rt") if source.compressed else source.file.open(encoding="utf-8") as file:
        for line in file:
            record = json.loads(line, parse_int=_Spelled, parse_float=_Spelled) if line.strip() else {}
            for name in wanted & record.keys():
                text = record[name]
                if isinstance(text, _Spelled) and seen.setdefault((name, float(text)), text) != text:
                    raise BadRequest(
                        "writes one number in several ways: rows that count as alike look different",
                        column=name,
                        where=source.where,
                    )


class _Spelled(str):
    """A number as it is written."""

    __slots__ = ()


def named_columns(names: Sequence[str | None], where: str, options: SourceOptions) -> list[str]:
    """Return the names of columns as they stand in a header, checked; those that are missing or doubled renamed if asked for.

    Without a header the names are those that columns get then.

    >>> named_columns(["a", "", "a", "a_2"], "", SourceOptions(rename_columns=True))
    ['a', 'column_2', 'a_3', 'a_2']
    >>> named_columns(["34", "Lawyer"], "", SourceOptions(header=False))
    ['column_1', 'column_2']
    """
    given = (
        [name or "" for name in names]
        if options.header is not False
        else [f"column_{at + 1}" for at in range(len(names))]
    )
    if options.rename_columns:
        given = [name.strip() for name in given]
        taken, out = set(given), list[str]()
        for at, name in enumerate(given, 1):
            tried = (f"{name}_{number}" for number in range(2, len(given) + 2)) if name else iter([f"column_{at}"])
            if not name or name in out:
                name = next((new for new in tried if new not in taken), f"{name}_column_{at}")
                taken.add(name)
            out.append(name)
        given = out
    check_columns(given, where, options)
    return given


def check_columns(names: list[str], where: str, options: SourceOptions) -> None:
    """Refuse columns without a name, names that occur twice, and types given for columns that are not there."""
    for position, name in enumerate(names, 1):
        if not name:
            raise BadRequest(f"column {position} of {len(names)} has no name", where=where)
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise BadRequest("column names occur more than once", where=where, value=twice)
    for parameter, asked in (("types", options.types), ("format", options.formats)):
        for name in asked:
            if name not in names:
                raise BadRequest("is not a column", parameter=parameter, value=name, available=names, where=where)
