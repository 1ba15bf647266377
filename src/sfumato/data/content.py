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
    "line_leaf",
    "row_hash",
    "row_leaf",
    "row_text",
]

MISSING_CELL = "\\N"

_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})
_BUCKET_DIGITS = 4
_LEAF = 64
_WORD = ">u8"  # a leaf is four of them, and their order is that of its hex digits


def cell_text(value: Hashable) -> str:
    r"""Write a value so that no two values of a type share a text and nothing in it ends a cell or a row.

    >>> cell_text(3.0), cell_text(None), cell_text("a\tb"), cell_text("\\N")
    ('3', '\\N', 'a\\tb', '\\\\N')
    """
    return MISSING_CELL if value is None else to_text(value).translate(_ESCAPES)


def row_text(cells: Iterable[str]) -> str:
    """Return the line of a row whose cells are texts already."""
    return "\t".join(cells)


def row_leaf(row: str, count: int) -> bytes:
    """Return the leaf of a row that occurs so often."""
    return line_leaf(f"{row}\n{count}".encode())


def line_leaf(line: bytes) -> bytes:
    """Return the leaf of a row with its count behind it."""
    return sha256(line).digest()


def row_hash(secret: str, row: str) -> str:
    """Return what rows that look alike are ranked by: nobody without the secret can tell which comes first."""
    return _digest(f"{secret}\n{row}")


def drawn_below(share: float) -> str:
    """Return the text below which lies this share of all hashes.

    >>> drawn_below(0.5)
    '8000000000000000'
    """
    return f"{int(min(max(share, 0.0), 1.0) * (1 << 64)):016x}"


def bucket_digests(leaves: Iterable[bytes]) -> dict[int, str]:
    """Return the digest of each bucket that holds a leaf; leaves come one by one or many in a row."""
    listed = np.frombuffer(b"".join(leaves), _WORD).reshape(-1, 4)
    order = np.argsort(listed[:, 0].astype(np.uint64))
    first = listed[order, 0]
    if (first[1:] == first[:-1]).any():
        order = np.lexsort(listed.T[::-1])
    held, buckets = listed[order].tobytes(), first >> np.uint64(64 - 4 * _BUCKET_DIGITS)
    starts = np.flatnonzero(np.append(True, buckets[1:] != buckets[:-1])) if len(buckets) else buckets
    ends = [*(starts[1:] * (_LEAF // 2)).tolist(), len(held)]
    # Bucket by bucket, so that the digits of all leaves never stand in memory together.
    return {
        bucket: sha256(held[start:stop].hex().encode()).hexdigest()
        for bucket, start, stop in zip(buckets[starts].tolist(), (starts * (_LEAF // 2)).tolist(), ends, strict=False)
    }


def buckets_in_order(portions: Iterable[bytes]) -> dict[int, str]:
    """Return the digest of each bucket from sorted leaves that lie one after the other, portion by portion."""
    hashes: dict[bytes, Any] = {}
    for leaves in filter(None, portions):
        first = np.frombuffer(leaves, np.uint8).reshape(-1, _LEAF)[:, :_BUCKET_DIGITS]
        starts = np.flatnonzero(np.append(True, (first[1:] != first[:-1]).any(axis=1))) * _LEAF
        for start, stop in zip(starts.tolist(), [*starts[1:].tolist(), len(leaves)], strict=True):
            bucket, held = leaves[start : start + _BUCKET_DIGITS], leaves[start:stop]
            if bucket in hashes:  # begun in the portion before
                hashes[bucket].update(held)
            else:
                hashes[bucket] = sha256(held)
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
