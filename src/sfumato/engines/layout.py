"""How a file seems to be laid out: its encoding, lines above the header and below the last record, names of columns.

What is found is told and can be kept in a policy; nothing here is decided when a policy is carried out.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice, takewhile
from typing import BinaryIO, cast

from sfumato.contracts.engine import SourceOptions
from sfumato.engines.delimited import BOMS, SEPARATORS, Guard, encoding_of, inspect
from sfumato.engines.sources import Source
from sfumato.errors import BadRequest

__all__ = ["laid_out"]

_LOOKED = 1 << 18
_CHUNK = 1 << 22
_RECORDS = 200
_ABOVE, _BELOW = 40, 5
_TOTALS = frozenset({
    "total", "totals", "sum", "sums", "subtotal", "grand", "overall", "average", "mean", "summe", "summen", "gesamt",
    "gesamtsumme", "gesamtergebnis", "insgesamt", "zwischensumme", "mittelwert", "durchschnitt", "anzahl", "somme", "totale",
    "suma",
})  # fmt: skip


# A number or a date as most files have them.
_MEASURED = re.compile(r"-?[0-9]+(?:[.,][0-9]+)*|[0-9]{4}-[0-9]{2}-[0-9]{2}.*|[0-9]{1,2}[./][0-9]{1,2}[./][0-9]{2,4}")


def laid_out(source: Source, options: SourceOptions) -> SourceOptions:
    """Return options that are completed by what the head and the end of a file show."""
    if source.format in ("csv", "tsv"):
        return _delimited(source, options)
    return _sheet(source, options) if source.format == "xlsx" else options


def _delimited(source: Source, options: SourceOptions) -> SourceOptions:
    with Guard(source.file), gzip.open(source.file, "rb") if source.compressed else source.file.open("rb") as file:
        sample, fits, tail = _looked_through(cast(BinaryIO, file))
    mark = next((name for mark, name in BOMS if sample.startswith(mark)), None)
    if options.encoding is None and mark is None and "utf-8" not in fits:
        options = replace(options, encoding="cp1252" if "cp1252" in fits else "latin-1")
    encoding = encoding_of(sample, options, source.where)
    if not options.skip_first:
        head = sample.decode(encoding, errors="replace").removeprefix("\ufeff")
        options = replace(options, skip_first=_lines_above(head, len(sample) == _LOOKED, source.format, options))
    if options.header is None:
        head = sample.decode(encoding, errors="replace").removeprefix("\ufeff")
        if not _has_names(_cells(head, len(sample) == _LOOKED, source, options)):
            options = replace(options, header=False)
    plain = replace(options, types={}, formats={})
    dialect = inspect(source, replace(plain, rename_columns=True))
    if not options.skip_last:
        lines = tail.decode(encoding, errors="replace").replace("\r", "\n").rstrip("\n").split("\n")
        cells = [next(csv.reader([line], delimiter=dialect.separator), []) for line in lines[-_BELOW:] if line]
        options = replace(options, skip_last=_lines_below(cells, dialect.header))
    try:
        inspect(source, plain)
    except BadRequest:  # what else could be wrong was refused before
        options = replace(options, rename_columns=True)
    return options


def _looked_through(file: BinaryIO) -> tuple[bytes, set[str], bytes]:
    """Return the beginning of a file, the encodings that all of it fits, and its end."""
    decoders = {name: codecs.getincrementaldecoder(name)() for name in ("utf-8", "cp1252")}
    sample = rest = tail = file.read(_LOOKED)
    while decoders:
        for name, decoder in list(decoders.items()):
            try:
                decoder.decode(rest, final=not rest)
            except UnicodeDecodeError:
                del decoders[name]
        if not rest:
            break
        rest = file.read(_CHUNK)
        tail = (tail + rest)[-_LOOKED:]
    for rest in iter(lambda: file.read(_CHUNK), b""):
        tail = (tail + rest)[-_LOOKED:]
    return sample, set(decoders), tail


def _cells(text: str, cut: bool, source: Source, options: SourceOptions) -> list[list[str]]:
    """Return the first records of a file, from where its header should be."""
    separator = inspect(source, replace(options, types={}, formats={}, rename_columns=True)).separator
    lines = io.StringIO(text, newline="").readlines()[options.skip_first :]
    try:
        reader = csv.reader(lines[:-1] if cut else lines, delimiter=separator)
        return [row for row in islice(reader, _RECORDS) if row]
    except csv.Error:
        return []


def _has_names(rows: Sequence[Sequence[str]]) -> bool:
    """Tell whether the first row holds names of columns, or is a record like those below it.

    It is a record if it has a number or a date wherever all others have one, and a word that others have as well; where all
    columns are numbers, if one of its numbers is none that a column would be called by, such as a year.

    >>> _has_names([["age", "sex"], ["34", "f"], ["41", "m"]]), _has_names([["34", "f"], ["41", "m"], ["29", "f"]])
    (True, False)
    >>> _has_names([["region", "2019", "2020"], ["north", "12", "13"], ["south", "7", "9"]])
    True
    """
    first, below = (rows[0], [row for row in rows[1:] if len(row) == len(rows[0])]) if rows else ([], [])
    if len(below) < 2:
        return True
    columns = [[row[at].strip() for row in below if row[at].strip()] for at in range(len(first))]
    measured = [bool(values) and all(map(_MEASURED.fullmatch, values)) for values in columns]
    names = [cell.strip() for cell in first]
    if not any(measured) or not all(
        _MEASURED.fullmatch(name) for name, one in zip(names, measured, strict=True) if one
    ):
        return True
    words = [(name, values) for name, values, one in zip(names, columns, measured, strict=True) if not one]
    if words:
        return not any(name in values for name, values in words)
    return len(set(names)) == len(names) and all(name.isdigit() for name in names)


def _lines_above(text: str, cut: bool, name: str, options: SourceOptions) -> int:
    """Return how many lines stand above the header: those that have too few cells to belong to the table."""
    lines = io.StringIO(text, newline="").readlines()[: _RECORDS + _ABOVE]
    lines = lines[:-1] if cut and len(lines) > 1 else lines
    best = (0, 0, 0)
    for separator in (options.separator,) if options.separator else ("\t",) if name == "tsv" else SEPARATORS:
        try:
            # One line is one record here: above the header nothing is quoted over several lines.
            cells = [next(csv.reader([line], delimiter=separator), []) for line in lines]
        except csv.Error:
            continue
        width, often = next(iter(Counter(map(len, cells)).most_common(1)), (0, 0))
        if width > 1:
            best = max(best, (often, width, _above(cells, width)))
    return best[2]


def _above(cells: Sequence[Sequence[str]], width: int) -> int:
    """Return where the header is: the first line of full width of which at least half the cells are filled."""

    def beside(row: Sequence[str]) -> bool:
        return len(row) < width or (len(row) == width and 2 * sum(bool(cell.strip()) for cell in row) < width)

    found = sum(1 for _ in islice(takewhile(beside, cells), _ABOVE + 1))
    return found if found <= _ABOVE and found < len(cells) and len(cells[found]) == width else 0


def _lines_below(rows: Sequence[Sequence[str]], header: Sequence[str]) -> int:
    """Return how many lines below the last record are totals or remarks."""
    if len(header) < 2:
        return 0
    return sum(1 for _ in takewhile(lambda row: _is_total(row, len(header)), reversed(rows)))


def _is_total(row: Sequence[str], width: int) -> bool:
    """Tell whether a row is no record: it begins with a word for totals, or has hardly a cell."""
    filled = [cell.strip() for cell in row if cell.strip()]
    if len(row) > width or len(filled) == width:
        return False
    words = filled[0].lower().replace(":", " ").split() if filled else []
    return not filled or bool(_TOTALS & {*words[:1]}) or (len(row) < width and len(filled) * 4 <= width + 2)


def _sheet(source: Source, options: SourceOptions) -> SourceOptions:
    from sfumato.engines.spreadsheets import top_and_end

    top, end = top_and_end(source, options, _ABOVE + 1, _BELOW)
    if not options.skip_first and top:
        options = replace(options, skip_first=_above(top, len(top[0])))
    if options.header is None and not _has_names(top[options.skip_first :]):
        options = replace(options, header=False)
    header = top[options.skip_first] if options.skip_first < len(top) else []
    names = (
        [name.strip() for name in header]
        if options.header is not False
        else [f"column_{at}" for at in range(len(header))]
    )
    if not options.skip_last:
        options = replace(options, skip_last=_lines_below(end, names))
    return replace(options, rename_columns=options.rename_columns or len({*names} - {""}) < len(names))
