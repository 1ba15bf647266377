"""Delimited text: how a file is written (encoding, separator, header), and what is wrong with it, by line.

The engines parse with their own fast readers. This file looks at the head of the file first, and reads it slowly with the
:mod:`csv` module only to name the first fault, or where a fast reader gives up on a file that is sound. The grammar is RFC
4180: quotes are doubled, a quoted field may hold separators and line ends. Lines without any text between records are
skipped where there are several columns; with a single column they are a missing value.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import zlib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
import numpy.typing as npt

from sfumato.contracts.engine import SourceOptions
from sfumato.data.frozen import frozen
from sfumato.engines.sources import Source, named_columns
from sfumato.errors import BadRequest

__all__ = ["BOMS", "SEPARATORS", "Delimited", "Guard", "encoding_of", "inspect"]

_SAMPLE = 1 << 18
_CHUNK = 1 << 22
SEPARATORS = (",", ";", "\t", "|")
BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


@frozen
class Delimited:
    """A delimited file and how it is written; ``return_only`` means that lines end with a bare carriage return.

    Readers are given a header always: where the file has none (``headed``), one is put in front of its text.
    """

    path: Path
    compressed: bool
    encoding: str
    separator: str
    header: tuple[str, ...]
    return_only: bool = False
    skip_first: int = 0
    skip_last: int = 0
    headed: bool = True

    @property
    def unpacked(self) -> bool:
        """Whether a reader of UTF-8 that unpacks files can take this one as it is."""
        return self.encoding == "utf-8" and self.headed and not (self.skip_first or self.skip_last)

    @property
    def plain(self) -> bool:
        """Whether a reader of UTF-8 can take the file as it is."""
        return self.unpacked and not self.compressed

    # ---- bytes -------------------------------------------------------------------------------------------------------

    def _raw(self) -> BinaryIO:
        return cast(BinaryIO, gzip.open(self.path, "rb") if self.compressed else self.path.open("rb"))

    def utf8(self) -> Iterator[bytes]:
        """Yield the text from the header to the last record as UTF-8, in portions."""
        portions = self._between(self._portions()) if self.skip_first or self.skip_last else self._portions()
        return portions if self.headed else self._with_header(portions)

    def _with_header(self, portions: Iterator[bytes]) -> Iterator[bytes]:
        yield (self.separator.join(self.header) + ("\r" if self.return_only else "\n")).encode()
        first = next(portions, b"")
        yield first.removeprefix(codecs.BOM_UTF8)
        yield from portions

    def _between(self, portions: Iterator[bytes]) -> Iterator[bytes]:
        """Leave out the lines before the header and those after the last record; the end is held back until it is known."""
        end, rest, above = b"\r" if self.return_only else b"\n", b"", self.skip_first
        for portion in portions:
            rest += portion
            while above and end in rest:
                rest, above = rest.partition(end)[2], above - 1
            if not above and len(rest) > _SAMPLE:
                yield rest[:-_SAMPLE]
                rest = rest[-_SAMPLE:]
        for _ in range(self.skip_last):
            rest = rest.rstrip(b"\r\n").rpartition(end)[0] + end
        yield rest

    def _portions(self) -> Iterator[bytes]:
        with self._guarded(), self._raw() as file:
            if self.encoding == "utf-8":
                yield from iter(lambda: file.read(_CHUNK), b"")
                return
            decoder = codecs.getincrementaldecoder(self.encoding)()
            offset = 0
            while True:
                chunk = file.read(_CHUNK)
                offset += len(chunk)
                try:
                    yield decoder.decode(chunk, final=not chunk).encode()
                except UnicodeError as error:
                    at = offset - len(chunk) + getattr(error, "start", 0)
                    raise BadRequest(
                        f"byte {at} is not {self.encoding}", parameter="encoding", where=str(self.path)
                    ) from None
                if not chunk:
                    return

    def _guarded(self) -> Guard:
        return Guard(self.path)

    def trailing_blank_lines(self, data: bytes | None = None) -> int:
        """Return how many lines without any text end the file."""
        if data is None:
            with self._guarded(), self.path.open("rb") as file:
                file.seek(0, io.SEEK_END)
                file.seek(max(0, file.tell() - _SAMPLE))
                data = file.read()
        tail = data[-_SAMPLE:].replace(b"\r\n", b"\n")
        tail = tail.replace(b"\r", b"\n") if self.return_only else tail
        return max(0, len(tail) - len(tail.rstrip(b"\n")) - 1)

    def count_separators(self, data: bytes | None = None) -> int:
        """Count the separators outside quotes, over the bytes of the whole file."""
        total, inside = 0, False
        portions = iter((data,)) if data is not None else self.utf8()
        for portion in portions:
            block: npt.NDArray[np.uint8] = np.frombuffer(portion, np.uint8)
            hits = block == ord(self.separator)
            quotes = block == ord('"')
            if inside or quotes.any():
                quoted = np.logical_xor.accumulate(quotes)
                hits &= quoted == inside
                inside ^= bool(quoted[-1])
            total += int(np.count_nonzero(hits))
        return total

    # ---- the slow, exact way -----------------------------------------------------------------------------------------

    def records(self) -> Iterator[list[str]]:
        """Yield the records below the header with :mod:`csv`; the first fault is refused with its line."""
        width = len(self.header)
        where = str(self.path)
        reader = csv.reader(self._text(), delimiter=self.separator, strict=True)
        above = self.skip_first - (not self.headed)  # the header in front is no line of the file
        line = 1 + above
        try:
            for number, record in enumerate(reader):
                if not record and width == 1:
                    record = [""]
                if record and len(record) != width:
                    raise BadRequest(
                        f"line {line} has {len(record)} field{'' if len(record) == 1 else 's'}, "
                        f"the {'header' if self.headed else 'first record'} has {width}",
                        where=where,
                    )
                if number and record:
                    yield record
                line = reader.line_num + 1 + above
        except csv.Error as error:
            problem = "has text after a closing quote" if "expected after" in str(error) else f"is malformed ({error})"
            problem = "opens a quote that is never closed" if "end of data" in str(error) else problem
            raise BadRequest(f"line {line} {problem}", where=where) from None

    def _text(self) -> Iterator[str]:
        decoder = codecs.getincrementaldecoder("utf-8-sig")()
        rest = ""
        position = 0
        for chunk in self.utf8():
            pending = len(decoder.getstate()[0])
            try:
                rest += decoder.decode(chunk)
            except UnicodeDecodeError as error:
                raise _not_utf8(str(self.path), position - pending + error.start) from None
            position += len(chunk)
            lines = _lines(rest, "\r" if self.return_only else "\n")
            # The last line may go on in the next portion.
            rest = lines.pop() if lines else ""
            yield from lines
        if rest:
            yield rest

    def check(self) -> None:
        """Read the whole file the slow way and refuse its first fault."""
        for _ in self.records():
            pass


class Guard:
    """Turns what the operating system says about a file into a refusal that names it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, (OSError, EOFError, zlib.error)):
            reason = getattr(error, "strerror", None) or "it is damaged"
            raise BadRequest(f"cannot be read ({reason})", where=str(self.path)) from None


def _lines(text: str, end: str) -> list[str]:
    """Split after each line end of the file; any other is part of a field."""
    lines = text.split(end)
    last = lines.pop()
    return [line + end for line in lines] + [last]


def _not_utf8(where: str, offset: int) -> BadRequest:
    return BadRequest(
        f"byte {offset} is not UTF-8; if the file is in a Windows encoding, say `encoding: cp1252`", where=where
    )


def inspect(source: Source, options: SourceOptions) -> Delimited:
    """Look at the head of a delimited file and return how it is written."""
    path, where = source.file, source.where
    with Guard(path), gzip.open(path, "rb") if source.compressed else path.open("rb") as file:
        sample = file.read(_SAMPLE)
    encoding = encoding_of(sample, options, where)
    cut = len(sample) == _SAMPLE
    try:
        decoder = codecs.getincrementaldecoder("utf-8-sig" if encoding == "utf-8" else encoding)()
        text = decoder.decode(sample, final=not cut)
    except UnicodeError as error:
        at = getattr(error, "start", 0)
        if encoding == "utf-8" and options.encoding is None:
            raise _not_utf8(where, at) from None
        raise BadRequest(f"byte {at} is not {encoding}", parameter="encoding", where=where) from None
    if not text.strip():
        raise BadRequest("is empty", where=where)
    return_only = "\r" in text and "\n" not in text
    for _ in range(options.skip_first):
        text = text.partition("\r" if return_only else "\n")[2]
    if not text.strip():
        raise BadRequest("has no more lines", parameter="skip_first", value=options.skip_first, where=where)
    separator = _separator(text, cut, source.format, options, where)
    try:
        header = next(record for record in csv.reader(io.StringIO(text, newline=""), delimiter=separator) if record)
    except csv.Error as error:
        raise BadRequest(f"line 1 is malformed ({error})", where=where) from None
    if text.startswith(("\n", "\r")):
        raise BadRequest("line 1 is blank; the header must come first", where=where)
    header = named_columns(header, where, options)
    return Delimited(
        path,
        source.compressed,
        encoding,
        separator,
        tuple(header),
        return_only,
        options.skip_first,
        options.skip_last,
        options.header is not False,
    )


def encoding_of(sample: bytes, options: SourceOptions, where: str) -> str:
    """Return how a text file is encoded: as it is told, or as its first bytes say; refuse what is no encoding of texts."""
    if options.encoding is not None:
        try:
            name = codecs.lookup(options.encoding).name
            b"a".decode(name, "replace")  # some codecs turn bytes into bytes, and are none for texts
        except LookupError:
            raise BadRequest(
                "is not a known encoding",
                parameter="encoding",
                value=options.encoding,
                available=["utf-8", "utf-16", "cp1252", "latin-1"],
                where=where,
            ) from None
        return "utf-8" if name in ("utf-8", "utf-8-sig", "ascii") else name
    return next((name for mark, name in BOMS if sample.startswith(mark)), "utf-8")


def _separator(text: str, cut: bool, name: str, options: SourceOptions, where: str) -> str:
    given = options.separator
    if given is not None:
        if len(given) != 1 or given in '"\r\n' or not given.isascii():
            raise BadRequest(
                "must be one character, no quote or line end", parameter="separator", value=given, where=where
            )
        return given
    if name == "tsv":
        return "\t"
    widths: dict[str, list[int]] = {}
    for candidate in SEPARATORS:
        try:
            reader = csv.reader(io.StringIO(text, newline=""), delimiter=candidate)
            found = [len(record) for record in islice(reader, 60) if record]
        except csv.Error:
            continue
        widths[candidate] = found[:-1] if cut and len(found) < 60 and len(found) > 1 else found
    if not widths:
        return ","
    # A separator that cuts every line into the same number of fields beats one that cuts the header finer.
    best = max(
        widths, key=lambda candidate: (widths[candidate][0] > 1, len(set(widths[candidate])) == 1, widths[candidate][0])
    )
    return best if widths[best][0] > 1 else ","
