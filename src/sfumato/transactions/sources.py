"""Where baskets come from: sets in memory, sparse matrices, text files of FIMI and SPMF, frames and files with columns."""

from __future__ import annotations

import gzip
from array import array
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.data.text import to_text
from sfumato.engines import read
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Codes, Ints
from sfumato.tables.person_columns import once_for_each
from sfumato.transactions.baskets import compressed_rows

__all__ = ["Coded", "coded", "list_columns", "of_lists", "person_rows", "text_format"]

_ENDINGS = (".dat", ".fimi", ".spmf")
_SEPARATORS = {"fimi": frozenset[bytes](), "spmf": frozenset({b"-1", b"-2"})}


class Coded(NamedTuple):
    """What baskets are made of, before anybody says what their items mean."""

    starts: Ints
    codes: Codes
    items: tuple[str, ...]
    private: frozenset[str] = frozenset()
    persons: tuple[str, ...] | None = None
    tree: None = None
    repeated: int = 0


def coded(source: object, *, person: str | None, item: str | None, format: str | None) -> Coded:  # noqa: A002
    """Return the baskets of a source as codes."""
    if isinstance(source, (str, Path)) and text_format(source, format) is not None:
        return _text_file(Path(source), text_format(source, format))
    if hasattr(source, "tocsr"):
        return _matrix(source)
    if isinstance(source, np.ndarray) and source.ndim == 2 and source.dtype.kind in "biuf":
        owners, columns = np.nonzero(source)
        return _cells(owners.astype(np.int64), columns.astype(np.int64), source.shape[0])
    if isinstance(source, (str, Path, Table)) or item is not None:
        if item is None:
            raise BadRequest("say which column holds the items", parameter="items.column")
        lists = of_lists(source, person, item)
        if lists is not None:
            return lists
        return _long_rows(source if isinstance(source, Table) else read(source, format=format), person, item)
    if isinstance(source, Mapping):
        return _of_sets(list(source.values()), [to_text(key) for key in source])
    if isinstance(source, Iterable):
        return _of_sets(list(source), None)
    raise BadRequest(
        "must be sets, a sparse matrix, a frame or a file", parameter="source", value=type(source).__name__
    )


def of_lists(source: object, person: str | None, item: str) -> Coded | None:
    """Return the baskets of a column of lists, or nothing where it holds something else."""
    lists = _list_column(source, item)
    return None if lists is None else _of_sets(lists, _persons(source, person))


def person_rows(source: object, person: str | None, columns: Sequence[str]) -> Table:
    """Return columns of persons, one row for each basket in order: those beside a column of lists, or of rows of items."""
    if isinstance(source, Table):
        assert person is not None, "rows of items say whose they are"
        return once_for_each(source, person, columns)
    held = {name: _column(source, name) for name in columns}
    for name, values in held.items():
        if values is None:
            raise BadRequest("is not a column", parameter="columns", value=name)
    return read(held)


def text_format(source: object, format: str | None) -> str | None:  # noqa: A002
    """Return ``fimi`` or ``spmf`` where a file has a basket on each line; the latter is told by its first line."""
    if format in _SEPARATORS:
        return format
    if format is not None or not isinstance(source, (str, Path)):
        return None
    name = str(source).removesuffix(".gz")
    return "fimi" if name.endswith(_ENDINGS) or name.endswith("_spmf.txt") else None


def _text_file(path: Path, format: str | None) -> Coded:  # noqa: A002
    try:
        data = path.read_bytes()
        data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
        data.decode("utf-8")
    except FileNotFoundError:
        raise BadRequest("there is no such file", parameter="source", value=str(path)) from None
    except (OSError, EOFError, UnicodeDecodeError):
        raise BadRequest("is not a text file of baskets", parameter="source", value=path.name) from None
    lines = [line for line in data.splitlines() if not line.startswith((b"@", b"#", b"%"))]
    marked = format == "spmf" or any(word in _SEPARATORS["spmf"] for line in lines[:10] for word in line.split())
    marks = _SEPARATORS["spmf" if marked else "fimi"]
    number: dict[bytes, int] = {}
    codes, lengths = array("i"), array("q")  # words are let go line by line: as objects they take ten times the room
    for line in lines:
        held = [number.setdefault(word, len(number)) for word in line.split() if word not in marks]
        codes.extend(held)
        lengths.append(len(held))
    tokens = sorted(number)  # bytes of UTF-8 are in the order of their texts
    place = np.empty(len(tokens), np.int64)
    place[[number[word] for word in tokens]] = np.arange(len(tokens))
    owners = np.repeat(np.arange(len(lines)), np.array(lengths, np.int64))
    placed = place[np.array(codes, np.int64)]
    return _collapsed(owners, placed, len(lines), [word.decode() for word in tokens])


def _of_sets(baskets: Sequence[object], persons: Sequence[str] | None) -> Coded:
    texts: list[list[str]] = []
    for basket in baskets:
        if basket is not None and (isinstance(basket, str) or not isinstance(basket, Iterable)):
            raise BadRequest("a basket must be a set of items", parameter="source", value=type(basket).__name__)
        texts.append([to_text(one) for one in basket or ()])
    names = sorted({name for basket in texts for name in basket})
    number = {name: code for code, name in enumerate(names)}
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    codes = np.fromiter((number[name] for basket in texts for name in basket), np.int64, int(lengths.sum()))
    return _collapsed(np.repeat(np.arange(len(texts)), lengths), codes, len(texts), names, persons)


def _matrix(source: object) -> Coded:
    rows = source.tocsr().tocoo()  # type: ignore[attr-defined]
    there = rows.data != 0
    return _cells(rows.row[there].astype(np.int64), rows.col[there].astype(np.int64), rows.shape[0])


def _cells(owners: Ints, columns: Ints, baskets: int) -> Coded:
    """Return baskets of the columns of a matrix, called by their numbers."""
    used, codes = np.unique(columns, return_inverse=True)
    names = [str(column) for column in used.tolist()]
    order = np.argsort(np.array(names, object)) if names else np.empty(0, np.int64)
    place = np.empty(len(names), np.int64)
    place[order] = np.arange(len(names))
    return _collapsed(owners, place[codes], baskets, [names[at] for at in order.tolist()])


def _long_rows(table: Table, person: str | None, item: str) -> Coded:
    if person is None:
        raise BadRequest("say which column names the persons", parameter="person", available=table.columns)
    for name, key in ((person, "person"), (item, "items.column")):
        if name not in table.types:
            raise BadRequest("is not a column", parameter=key, value=name, available=table.columns)
    if table.missing().get(person):
        raise BadRequest("rows do not say whose they are", column=person, value=table.missing()[person])
    rows = table.as_rows().codes([person, item]).astype(np.int64)
    people, items = (table.dictionary(name) for name in (person, item))
    texts = [to_text(value) for value in items.values]
    order = sorted(range(len(texts)), key=texts.__getitem__)
    place = np.empty(len(texts), np.int64)
    place[order] = np.arange(len(texts))
    there = rows[:, 1] >= 0  # a row without an item is that of a person whose basket may be empty
    names = [texts[at] for at in order]
    return _collapsed(
        rows[there, 0], place[rows[there, 1]], len(people.values), names, [to_text(one) for one in people.values]
    )


def _collapsed(
    owners: Ints, codes: Ints, baskets: int, names: Sequence[str], persons: Sequence[str] | None = None
) -> Coded:
    starts, kept = compressed_rows(owners, codes, baskets, len(names))
    return Coded(
        starts, kept, tuple(names), persons=None if persons is None else tuple(persons), repeated=len(codes) - len(kept)
    )


# ---- columns of lists ----------------------------------------------------------------------------------------------------


def list_columns(source: object) -> tuple[list[str], list[str]]:
    """Return the columns of a frame or a file that can hold lists, and those that do; nothing of any other source."""
    if isinstance(source, (str, Path)):
        path = Path(source)
        if path.suffix in (".parquet", ".pq") and path.is_file():
            import pyarrow.parquet as files

            names = list(files.read_schema(path).names)
        elif path.suffix in (".jsonl", ".ndjson") and path.is_file():
            import json

            with path.open(encoding="utf-8") as lines:
                names = list(json.loads(next((line for line in lines if line.strip()), "{}")))
        else:
            return [], []
    else:
        names = [] if isinstance(source, Table) else _frame_columns(source)
    return names, [name for name in names if _list_column(source, name) is not None]


def _list_column(source: object, item: str) -> list[object] | None:
    """Return the lists of a column, where a frame, a Parquet or a JSON lines file has one of that type."""
    column = _column(source, item)
    if column is None or not any(isinstance(one, (list, tuple, set, frozenset, np.ndarray)) for one in column):
        return None
    return [one.tolist() if isinstance(one, np.ndarray) else one for one in column]


def _persons(source: object, person: str | None) -> list[str] | None:
    column = None if person is None else _column(source, person)
    if person is not None and column is None:
        raise BadRequest("is not a column", parameter="person", value=person)
    return None if column is None else [to_text(one) for one in column]


def _column(source: object, name: str) -> list[object] | None:
    """Return the values of a column where they can be lists; engines know columns of single values."""
    if isinstance(source, (str, Path)):
        return _file_column(Path(source), name)
    if isinstance(source, Mapping):
        return list(source[name]) if name in source else None
    if isinstance(source, Table) or name not in _frame_columns(source):
        return None
    held = source[name]  # type: ignore[index]
    return list(held.to_list() if hasattr(held, "to_list") else held.to_pylist())


def _frame_columns(source: object) -> list[str]:
    """Return the names of the columns of a frame; Arrow calls them otherwise."""
    names = getattr(source, "column_names", None)
    return [str(name) for name in (getattr(source, "columns", ()) if names is None else names)]


def _file_column(path: Path, name: str) -> list[object] | None:
    if path.suffix not in (".parquet", ".pq", ".jsonl", ".ndjson") or not path.is_file():
        return None
    if path.suffix in (".parquet", ".pq"):
        import pyarrow.parquet as files

        schema = files.read_schema(path)
        return files.read_table(path, columns=[name]).column(0).to_pylist() if name in schema.names else None
    import json

    with path.open(encoding="utf-8") as lines:
        return [json.loads(line).get(name) for line in lines if line.strip()]
