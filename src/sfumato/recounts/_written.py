"""Published files as texts: what is written in each cell, read without any of the code that wrote it."""

from __future__ import annotations

import csv
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from fractions import Fraction
from itertools import groupby, repeat
from operator import eq, itemgetter
from pathlib import Path
from typing import Protocol, TypeVar, cast, runtime_checkable

from sfumato.errors import BadRequest
from sfumato.recounts._level import Groups, Key, Number, Text, total
from sfumato.recounts._shared import Shared, each

__all__ = ["Part", "Written", "grouped", "listed", "refuse_unfit", "sized", "text"]


class Part(Protocol):
    """One published table, as far as it is needed here."""

    @property
    def columns(self) -> Sequence[str]:
        """Return what its columns are called."""

    def counts(self, columns: Sequence[str]) -> Mapping[Key, int]:
        """Return how many rows have each combination of texts in some columns; see :class:`Shares`."""


@runtime_checkable
class Shares(Protocol):
    """Counted combinations that can be put together as groups without a look at each of them."""

    def shared(self, known: int) -> Shared[Key, Mapping[Key, int]] | None:
        """Group by the first so many columns; nothing where that takes a look."""


class Written:
    """A written file; what was asked is kept, rows are not."""

    def __init__(self, path: Path, columns: Sequence[str], form: str, separator: str | None = None) -> None:
        if form not in _READERS:
            raise BadRequest("is not a format that can be read as it is written", value=form, available=_READERS)
        self._columns = tuple(columns)
        self._path, self._form, self._separator = path, form, "\t" if form == "tsv" else separator or ","
        self._kept: dict[tuple[str, ...], Mapping[Key, int]] = {}

    @property
    def columns(self) -> Sequence[str]:
        """Return what its columns are called."""
        return self._columns

    def counts(self, columns: Sequence[str]) -> Mapping[Key, int]:
        """Return how many rows have each combination of texts in some columns."""
        asked = tuple(columns)
        for name in asked:
            if name not in self._columns:
                raise BadRequest("is not a column of the table", value=name, available=self._columns)
        if asked not in self._kept:
            self._kept[asked] = Counter(_READERS[self._form](self._path, self._separator, asked))
        return self._kept[asked]


def grouped(part: Part, known: Sequence[str], read: Sequence[str]) -> Groups:
    """Group the rows of a part by what an adversary knows; count what else is read in each group."""
    counted = part.counts([*known, *read])
    shared = counted.shared(len(known)) if isinstance(counted, Shares) else None
    if shared is not None:
        return shared
    return _together((texts[: len(known)], texts[len(known) :], count) for texts, count in counted.items())


def sized(part: Part, known: Sequence[str]) -> Mapping[Key, Number]:
    """Return how many rows of a part have each combination of texts in some columns."""
    groups = grouped(part, known, ())
    return groups.each(total) if isinstance(groups, Shared) else part.counts(known)


def listed(part: Part, known: Sequence[str], read: Sequence[str], count: str) -> Groups:
    """Group rows that stand for as many records as one of their columns says; what says nothing stands for nobody."""
    counted = part.counts([*known, *read, count])
    shared = counted.shared(len(known)) if isinstance(counted, Shares) else None
    # A group of rows that say nothing is none: only whoever looks at each row sees that.
    if shared is not None and not any(texts[-1] is None for rows in shared.contents for texts in rows):
        return shared.each(_stated_in)
    sums = _together(
        (texts[: len(known)], texts[len(known) : -1], _stated(texts[-1]) * many)
        for texts, many in counted.items()
        if texts[-1] is not None
    )
    if all(
        isinstance(many, int) for inside in {id(one): one for one in sums.values()}.values() for many in inside.values()
    ):
        return cast(Groups, sums)
    return {group: {key: _plain(many) for key, many in inside.items()} for group, inside in sums.items()}


def _stated_in(rows: Mapping[Key, int]) -> Mapping[Key, Number]:
    """Add up what the last texts of the rows of a group state."""
    sums: dict[Key, int | Fraction] = {}
    for texts, many in rows.items():
        sums[texts[:-1]] = sums.get(texts[:-1], 0) + _stated(str(texts[-1])) * many
    return {key: _plain(many) for key, many in sums.items()}


def refuse_unfit(groups: Groups, sizes: Mapping[Key, Number]) -> None:
    """Refuse counts of groups that do not add up to the stated sizes."""
    if isinstance(groups, Shared) and isinstance(sizes, Shared) and groups.names == sizes.names:
        # The same groups in the same order: none of them has to be looked up, and none has to be spelled.
        fit = all(map(eq, each(groups, total), sizes.values()))
    else:
        fit = len(groups) == len(sizes) and all(total(groups.get(key, {})) == many for key, many in sizes.items())
    if not fit:
        raise BadRequest("groups have other counts in the one table than in the other")


_FEW = 8
_PORTION = 1 << 20
_N = TypeVar("_N", int, int | Fraction)


def _together(rows: Iterable[tuple[Key, Key, _N]]) -> Mapping[Key, Mapping[Key, _N]]:
    """Add up rows of (group, what is read, number).

    There may be millions of small groups, and far fewer ways in which they are filled: groups that hold the same share it. That
    is known when all rows of a group have come, so a group whose rows do not lie together keeps what it holds for itself.
    """
    out: dict[Key, dict[Key, _N]] = {}
    alike: dict[tuple[tuple[Key, _N], ...], dict[Key, _N]] = {}
    apart: set[Key] = set()
    for group, lying in groupby(rows, itemgetter(0)):
        inside = out.get(group, {})
        if group in out and group not in apart:
            inside = dict(inside)
            apart.add(group)
        for _, key, many in lying:
            inside[key] = inside[key] + many if key in inside else many
        shared = group not in apart and len(inside) <= _FEW
        out[group] = alike.setdefault(tuple(inside.items()), inside) if shared else inside
    return out


def _stated(text: str) -> int | Fraction:
    """Return the number that a text states, exactly."""
    return int(text) if text.isdecimal() else Fraction(text)


def _plain(many: int | Fraction) -> Number:
    return int(many) if many.denominator == 1 else float(many)


# ---- formats: the texts of some columns, row by row ----------------------------------------------------------------------


def _delimited(path: Path, separator: str, columns: Sequence[str]) -> Iterator[Key]:
    before = csv.field_size_limit(sys.maxsize)
    try:
        with path.open(encoding="utf-8", newline="") as file:
            header = next(csv.reader(file, delimiter=separator))
            places = [_place(header, name) for name in columns]
            taken = itemgetter(*places) if len(places) > 1 else lambda row: tuple([row[at] for at in places])
            # Where nothing is quoted a line is a row: those that are alike are taken apart once.
            lines: Mapping[str, int] = {} if _quotes(path) else Counter(file)
            rows = map(taken, csv.reader(lines or file, delimiter=separator))
            for texts, many in zip(rows, lines.values() or repeat(1), strict=False):
                yield from repeat(texts if all(texts) else tuple([text or None for text in texts]), many)
    finally:
        csv.field_size_limit(before)


def _quotes(path: Path) -> bool:
    """Tell whether a text has a quotation mark, between which a row may go on in the next line."""
    with path.open("rb") as file:
        return any(b'"' in portion for portion in iter(lambda: file.read(_PORTION), b""))


def _place(header: Sequence[str], name: str) -> int:
    if name not in header:
        raise BadRequest("is not written as it is certified: the first line does not name the column", column=name)
    return header.index(name)


def _parquet(path: Path, separator: str, columns: Sequence[str]) -> Iterator[Key]:
    import pyarrow.parquet as pq

    for part in sorted(path.glob("*.parquet")) if path.is_dir() else [path]:
        for batch in pq.ParquetFile(part).iter_batches(columns=list(columns)):
            yield from _texts([batch.column(name).to_pylist() for name in columns])


def _arrow(path: Path, separator: str, columns: Sequence[str]) -> Iterator[Key]:
    import pyarrow as pa

    with pa.ipc.open_file(path) as file:
        for at in range(file.num_record_batches):
            batch = file.get_batch(at)
            yield from _texts([batch.column(name).to_pylist() for name in columns])


def _texts(columns: Sequence[Sequence[object]]) -> Iterator[Key]:
    return zip(*([value if type(value) is str else text(value) for value in held] for held in columns), strict=True)


def _objects(path: Path, separator: str, columns: Sequence[str]) -> Iterator[Key]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            yield tuple(text(record[name]) for name in columns)


def _stored(path: Path, separator: str, columns: Sequence[str]) -> Iterator[Key]:
    named = ", ".join('"' + name.replace('"', '""') + '"' for name in columns)
    import sqlite3

    connection = sqlite3.connect(path)
    try:
        for row in connection.execute(f"SELECT {named} FROM data"):
            yield tuple(map(text, row))
    finally:
        connection.close()


def _sheet(path: Path, separator: str, columns: Sequence[str]) -> Iterator[Key]:
    """A cell without text is left out of its row; letters say in which column a cell stands."""
    letters: list[str] = []
    from xml.etree.ElementTree import iterparse
    from zipfile import ZipFile

    with ZipFile(path) as book, book.open("xl/worksheets/sheet1.xml") as sheet:
        for _, row in iterparse(sheet):
            if not row.tag.endswith("}row"):
                continue
            cells = {str(cell.get("r")).rstrip("0123456789"): "".join(cell.itertext()) for cell in row}
            if letters:
                yield tuple([cells.get(letter) or None for letter in letters])
            else:
                places = {name: letter for letter, name in cells.items()}
                letters = [places[name] for name in columns]
            row.clear()


_READERS: Mapping[str, Callable[[Path, str, Sequence[str]], Iterator[Key]]] = {
    "csv": _delimited,
    "tsv": _delimited,
    "parquet": _parquet,
    "arrow": _arrow,
    "jsonl": _objects,
    "sqlite": _stored,
    "xlsx": _sheet,
}


def text(value: object) -> Text:
    """Return how a value is written; a number that is none counts as missing."""
    if value is None or value != value:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if isinstance(value, date) else str(value)
