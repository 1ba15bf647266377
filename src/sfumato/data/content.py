r"""The identity of a table by what it holds: the same digest whatever the engine, the format, the order of rows.

A row is a line of canonical texts, tab between them, as PostgreSQL writes them in a copy: backslash, tab, line feed and
carriage return are escaped, and a missing value is ``\N``. Identical rows are counted; a leaf is the SHA-256 of a row and its
count.
Leaves are sorted into 65,536 buckets by their first four hex digits, a bucket's digest is that of its sorted leaves, and the
root is that of names, logical types and buckets in order. A sum of hashes would be shorter and could be forged.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.data.schema import ColumnType
from sfumato.data.text import to_text

__all__ = [
    "MISSING_CELL",
    "bucket_digests",
    "buckets_in_order",
    "cell_text",
    "content_root",
    "drawn_below",
    "file_digest",
    "row_hash",
    "row_leaf",
    "row_text",
]

MISSING_CELL = "\\N"

_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})
_BUCKET_DIGITS = 4
_LEAF = 64


def cell_text(value: Hashable) -> str:
    r"""Write a value so that no two values of a type share a text and nothing in it ends a cell or a row.

    >>> cell_text(3.0), cell_text(None), cell_text("a\tb"), cell_text("\\N")
    ('3', '\\N', 'a\\tb', '\\\\N')
    """
    return MISSING_CELL if value is None else to_text(value).translate(_ESCAPES)


def row_text(cells: Iterable[str]) -> str:
    """Return the line of a row whose cells are texts already."""
    return "\t".join(cells)


def row_leaf(row: str, count: int) -> str:
    """Return the leaf of a row that occurs so often."""
    return _digest(f"{row}\n{count}")


def row_hash(secret: str, row: str) -> str:
    """Return what rows that look alike are ranked by: nobody without the secret can tell which comes first."""
    return _digest(f"{secret}\n{row}")


def drawn_below(share: float) -> str:
    """Return the text below which lies this share of all hashes.

    >>> drawn_below(0.5)
    '8000000000000000'
    """
    return f"{int(min(max(share, 0.0), 1.0) * (1 << 64)):016x}"


def bucket_digests(leaves: Iterable[str]) -> dict[int, str]:
    """Return the digest of each bucket that holds a leaf."""
    listed = np.frombuffer("".join(leaves).encode(), f"S{_LEAF}")
    return buckets_in_order([np.sort(listed).tobytes()])


def buckets_in_order(portions: Iterable[bytes]) -> dict[int, str]:
    """Return the digest of each bucket from sorted leaves that lie one after the other, portion by portion."""
    hashes: dict[bytes, Any] = {}
    for leaves in filter(None, portions):
        first = np.frombuffer(leaves, np.uint8).reshape(-1, _LEAF)[:, :_BUCKET_DIGITS]
        starts = np.flatnonzero(np.append(True, (first[1:] != first[:-1]).any(axis=1))) * _LEAF
        for start, stop in zip(starts.tolist(), [*starts[1:].tolist(), len(leaves)], strict=True):
            bucket = leaves[start : start + _BUCKET_DIGITS]
            hashes.setdefault(bucket, sha256()).update(leaves[start:stop])
    return {int(bucket, 16): held.hexdigest() for bucket, held in hashes.items()}


def content_root(types: Mapping[str, ColumnType], buckets: Mapping[int, str]) -> str:
    """Return the digest of a table from its columns and the digests of its buckets.

    >>> content_root({"Age": ColumnType.INTEGER}, bucket_digests([row_leaf("30", 2)]))[:8]
    'b51751d7'
    """
    header = [row_text([cell_text(name), str(kind)]) for name, kind in types.items()]
    listed = [f"{bucket:04x} {buckets[bucket]}" for bucket in sorted(buckets)]
    return _digest("\n".join([*header, "", *listed]))


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file, read in blocks; that of a folder of parts is over their names and digests, in order."""
    digest = sha256()
    if path.is_dir():
        for part in sorted(path.iterdir()):
            digest.update(f"{part.name} {file_digest(part)}\n".encode())
        return digest.hexdigest()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
