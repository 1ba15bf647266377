"""Where documents come from: texts in memory, folders of text files, JSON lines, a column of a table."""

from __future__ import annotations

import codecs
import json
from collections.abc import Mapping, Sequence
from os.path import exists
from pathlib import Path
from typing import cast

from sfumato.contracts.engine import SourceOptions, Table
from sfumato.data.text import to_text
from sfumato.engines import open_source
from sfumato.engines.sources import Described, make_options
from sfumato.errors import BadRequest
from sfumato.text.documents import Document, Documents, Span
from sfumato.text.file_names import telling_words

__all__ = ["opened"]


def opened(
    source: object,
    *,
    column: str | None,
    person: str | None,
    tagged: bool,
    engine: str | dict[str, object] = "polars",
    options: SourceOptions | None = None,
    memory: int | None = None,
) -> Documents:
    """Return the documents of a source."""
    if isinstance(source, Documents):
        return source
    read = options or make_options({})
    encoding = (source.completed(read) if isinstance(source, Described) else read).encoding
    if isinstance(source, str) and ("\n" in source or "<" in source or source.count(" ") > 8) and not exists(source):
        # A text, not the name of a file; it is not told again, because it tells of a person.
        raise BadRequest("is a text and no file: give a list of texts", parameter="source")
    if isinstance(source, (str, Path)) and Path(source).is_dir():
        return _folder(Path(source), tagged, encoding)
    if isinstance(source, (str, Path)) and Path(source).suffix == ".txt" and column is None:
        return Documents.of({Path(source).name: _text(Path(source), encoding)}, tagged=tagged)
    if isinstance(source, (str, Path)) and Path(source).suffix in (".jsonl", ".ndjson"):
        return _lines(Path(source), column or "text", person, tagged, encoding)
    if column is None and _is_texts(source):
        return Documents.of(cast("Mapping[str, str] | Sequence[str]", source), tagged=tagged)
    table = source if isinstance(source, Table) else open_source(source, engine, options or make_options({}), memory)
    if column is None:
        raise BadRequest("say which column holds the texts", parameter="documents.column", available=table.columns)
    wanted = [column] if person is None else [column, person]
    for name, key in zip(wanted, ("documents.column", "person"), strict=False):
        if name not in table.types:
            raise BadRequest("is not a column", parameter=key, value=name, available=table.columns)
    rows = table.select(wanted).to_rows()
    if person is not None and any(row[1] is None for row in rows):
        raise BadRequest("rows do not say whose they are", column=person)
    return Documents(
        tuple(
            _made(str(at), "" if row[0] is None else to_text(row[0]), tagged, to_text(row[1]) if person else None)
            for at, row in enumerate(rows, start=1)
        )
    )


def _is_texts(source: object) -> bool:
    if isinstance(source, Mapping):
        return all(isinstance(text, str) for text in source.values())
    return isinstance(source, (list, tuple)) and all(isinstance(text, str) for text in source)


def _made(name: str, text: str, tagged: bool, person: str | None, spans: Sequence[Span] = ()) -> Document:
    return Document.tagged(name, text, person) if tagged else Document(name, text, tuple(spans), person)


def _folder(folder: Path, tagged: bool, encoding: str | None) -> Documents:
    paths = sorted(folder.glob("*.txt"))
    if not paths:
        raise BadRequest("holds no text file (*.txt)", parameter="source", value=str(folder))
    out = list[Document]()
    for at, path in enumerate(paths, start=1):
        try:
            out.append(_made(path.name, _text(path, encoding), tagged, None))
        except BadRequest as error:
            if telling_words(path.name):  # a name of a file may be that of a person, and errors are read by many
                at_file = f"file {at} of {len(paths)}, by name"
                raise BadRequest(error.rule, parameter="source", value=at_file) from None
            raise
    return Documents(tuple(out))


def _text(path: Path, encoding: str | None) -> str:
    try:
        known = "utf-8" if encoding is None else codecs.lookup(encoding).name
        return path.read_bytes().decode("utf-8-sig" if known == "utf-8" else known)
    except FileNotFoundError:
        raise BadRequest("there is no such file", parameter="source", value=str(path)) from None
    except LookupError:
        raise BadRequest("is not a known encoding", parameter="encoding", value=encoding) from None
    except (OSError, UnicodeDecodeError):
        raise BadRequest(f"is not a text file in {encoding or 'UTF-8'}", parameter="source", value=path.name) from None


def _lines(path: Path, column: str, person: str | None, tagged: bool, encoding: str | None) -> Documents:
    """Read a document from each line: its text, and its spans as ``[start, end, type]`` where there are any."""
    out, bare = list[Document](), list[int]()
    for at, line in enumerate(
        _text(path, encoding).split("\n"), start=1
    ):  # other signs that end lines may stand in a text
        if not line.strip():
            continue
        try:
            held = json.loads(line)
            text, whose = held[column], None if person is None else to_text(held[person])
            told = held.get("spans", ())
        except (AttributeError, KeyError, TypeError, ValueError):
            raise BadRequest(
                f"line {at} is not a document with {column}" + ("" if person is None else f" and {person}"),
                parameter="source",
                value=path.name,
            ) from None
        if not isinstance(text, str):
            raise BadRequest(f"the text of line {at} is none", parameter="source", value=path.name)
        try:
            spans = [_span(*span) for span in told]
        except TypeError:
            raise BadRequest(
                f"the spans of line {at} are no list of [start, end, type]", parameter="source", value=path.name
            ) from None
        if tagged and spans:
            raise BadRequest(f"line {at} has spans; leave documents.tagged out", parameter="source", value=path.name)
        out.append(_made(str(at), text, tagged, whose, spans))
        bare += [at] if "spans" not in held else []
    if not out:
        raise BadRequest("holds no document", parameter="source", value=path.name)
    if bare and any(document.spans for document in out) and not tagged:
        # Its text would be published as it is: who forgot to look through it must not be taken for one who found nothing.
        raise BadRequest(
            f"line {bare[0]} has no spans and others have; say spans: [] where nothing is told",
            parameter="source",
            value=path.name,
        )
    return Documents(tuple(out))


def _span(start: object, end: object, kind: object) -> Span:
    """Return a span of numbers that are whole, and of a type that is a text."""
    if type(start) is not int or type(end) is not int or not isinstance(kind, str):
        raise TypeError
    return Span(start, end, kind)
