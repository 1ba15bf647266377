r"""The identity of a table by what it holds: the same digest whatever the engine, the format, the order of rows.

A row is a line of canonical texts, tab between them, as PostgreSQL writes them in a copy: backslash, tab, line feed and
carriage return are escaped, and a missing value is ``\N``. Identical rows are counted; a leaf is the SHA-256 of a row and its
count.
Leaves are sorted into 65,536 buckets by their first four hex digits, a bucket's digest is that of its sorted leaves, and the
root is that of names, logical types and buckets in order. A sum of hashes would be shorter and could be forged.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.data.schema import ColumnType
from sfumato.data.text import to_text
from sfumato.data.whole import digits
from sfumato.kernels.arrays import Array, Codes, Ints, Words
from sfumato.kernels.cores import beside

__all__ = [
    "MISSING_CELL",
    "CodedRows",
    "bucket_line",
    "bucket_lines",
    "buckets_in_order",
    "cell_text",
    "cell_texts",
    "coded_buckets",
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
_BUCKET_BITS = 4 * _BUCKET_DIGITS
_LEAVES = 1 << 19  # that are written as digits at once, about
_PARTS = 64  # of all buckets, at most
_RUN = 1 << 23  # bytes of leaves that are sorted at once
_MANY = 10_000  # rows from which a kernel is worth loading
_PORTION = 1 << 18  # rows that are hashed at once
_PADDING = 200  # bytes for a count, and for what ends a message
_WORD = ">u8"  # a leaf is four of them, and their order is that of its hex digits


def cell_text(value: Hashable) -> str:
    r"""Write a value so that no two values of a type share a text and nothing in it ends a cell or a row.

    >>> cell_text(3.0), cell_text(None), cell_text("a\tb"), cell_text("\\N")
    ('3', '\\N', 'a\\tb', '\\\\N')
    """
    return MISSING_CELL if value is None else to_text(value).translate(_ESCAPES)


def cell_texts(values: Sequence[Hashable]) -> Sequence[str]:
    r"""Write all values of a column, and after them what answers for missing, -1.

    >>> cell_texts([3, "a"]), list(cell_texts(range(9, 11)))
    (['3', 'a', '\\N'], ['9', '10', '\\N'])
    """
    if isinstance(values, range) and values.start >= 0:
        return _Numbers(values)
    return [*map(cell_text, values), MISSING_CELL]


class _Numbers(Sequence[str]):
    """The texts of a range and of what is missing, each of which is written when somebody asks for it."""

    def __init__(self, numbers: range) -> None:
        self.numbers = numbers

    def __len__(self) -> int:
        return len(self.numbers) + 1

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return [self[one] for one in range(*at.indices(len(self)))]
        place = range(len(self))[at]
        return MISSING_CELL if place == len(self.numbers) else str(self.numbers[place])


def row_text(cells: Iterable[str]) -> str:
    """Return the line of a row whose cells are texts already."""
    return "\t".join(cells)


def row_leaf(row: str, count: int) -> bytes:
    """Return the leaf of a row that occurs so often."""
    return sha256(f"{row}\n{count}".encode()).digest()


class CodedRows:
    """Rows as numbers of their cells among the texts of each column; the last text of a column answers for -1.

    >>> rows = CodedRows([["a", MISSING_CELL]])
    >>> rows.leaves([np.array([0, -1], np.int32)], np.array([3, 1])) == row_leaf("a", 3) + row_leaf(MISSING_CELL, 1)
    True
    """

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        self._texts = texts

    def leaves(self, codes: Sequence[Codes], counts: Ints) -> bytes:
        """Return the leaves of counted rows one after the other."""
        if len(counts) < _MANY:
            cells = [[known[code] for code in held.tolist()] for known, held in zip(self._texts, codes, strict=True)]
            rows = zip(zip(*cells, strict=True), counts.tolist(), strict=True)
            return b"".join([row_leaf(row_text(row), count) for row, count in rows])
        from sfumato.data.content_kernels import LANES, hash_rows

        held, starts, shift, longest = self._written
        leaves, half = np.empty((len(counts), 8), np.uint32), len(counts) // 2
        beside(
            partial(
                hash_rows,
                np.stack([column[part] for column in codes]),
                held,
                starts,
                shift,
                counts[part],
                np.empty((LANES, longest), np.uint8),
                leaves[part],
            )
            for part in (slice(None, half), slice(half, None))
        )
        return leaves.astype(">u4").tobytes()

    @cached_property
    def _written(self) -> tuple[Array, Ints, Ints, int]:
        """The texts one after the other, where each begins, where those of each column begin, and the room that a row takes."""
        written, sizes = zip(*map(_spelled, self._texts), strict=True)
        lengths = np.concatenate(sizes)
        starts = np.concatenate([[0], np.cumsum(lengths)])
        shift = np.concatenate([[0], np.cumsum([len(known) for known in self._texts])])
        longest = int(np.maximum.reduceat(lengths, shift[:-1]).sum()) + len(self._texts)
        return np.frombuffer(b"".join(written), np.uint8), starts, shift, longest + _PADDING


def _spelled(texts: Sequence[str]) -> tuple[bytes, Ints]:
    """Return texts one after the other, and how many bytes each takes."""
    if isinstance(texts, _Numbers):
        written, sizes = digits(texts.numbers)
        return written.tobytes() + MISSING_CELL.encode(), np.append(sizes, len(MISSING_CELL))
    together = "".join(texts)
    # There may be millions of them: where a letter is a byte, no second object is made of each.
    lengths = map(len, texts if together.isascii() else map(str.encode, texts))
    return together.encode(), np.fromiter(lengths, np.int64, len(texts))


def row_hash(secret: str, row: str) -> str:
    """Return what rows that look alike are ranked by: nobody without the secret can tell which comes first."""
    return _digest(f"{secret}\n{row}")


def drawn_below(share: float) -> str:
    """Return the text below which lies this share of all hashes.

    >>> drawn_below(0.5)
    '8000000000000000'
    """
    return f"{int(min(max(share, 0.0), 1.0) * (1 << 64)):016x}"


def bucket_line(bucket: int, digest: str) -> bytes:
    r"""Return what the root holds of a bucket.

    >>> bucket_line(255, "5e88")
    b'\n00ff 5e88'
    """
    return f"\n{bucket:04x} {digest}".encode()


def bucket_lines(leaves: Iterable[bytes]) -> Iterator[bytes]:
    """Return the lines of the buckets that hold a leaf, in order; leaves come one by one or many in a row.

    They are sorted as they come, a run at a time, and runs are joined some buckets at a time: neither the order of all leaves
    nor their digits ever stand in memory together, which would be more than the table itself.
    """
    runs = [_in_order(np.frombuffer(run, _WORD).reshape(-1, 4).astype(np.uint64)) for run in _runs(leaves)]
    many = sum(map(len, runs))
    written = _lines_by_kernel if many >= _MANY else _lines
    # Few steps: whoever works beside this one is not asked to wait at each of them.
    step = (1 << _BUCKET_BITS) // min(many // _LEAVES + 1, _PARTS)
    edges = np.arange(step, 1 << _BUCKET_BITS, step, dtype=np.uint64) << np.uint64(64 - _BUCKET_BITS)
    for part in zip(*(np.split(run, np.searchsorted(run[:, 0], edges)) for run in runs), strict=True):
        held = _in_order(np.concatenate(part)) if len(part) > 1 else part[0]
        if len(held):
            yield written(held, _starts(held))


def _starts(leaves: Words) -> Ints:
    """Return where the buckets of sorted leaves begin."""
    buckets = leaves[:, 0] >> np.uint64(64 - _BUCKET_BITS)
    return np.flatnonzero(np.append(True, buckets[1:] != buckets[:-1]))


def _lines(leaves: Words, starts: Ints) -> bytes:
    """Return the lines of buckets, one by one."""
    digits = leaves.astype(_WORD).tobytes().hex()
    ends = [*(starts[1:] * _LEAF).tolist(), len(digits)]
    parts = [digits[start:stop] for start, stop in zip((starts * _LEAF).tolist(), ends, strict=True)]
    return b"".join([bucket_line(int(part[:_BUCKET_DIGITS], 16), _digest(part)) for part in parts])


def _lines_by_kernel(leaves: Words, starts: Ints) -> bytes:
    """Return the same without an object for each bucket."""
    from sfumato.data.content_kernels import hash_buckets

    lines = np.empty((len(starts), len(bucket_line(0, "")) + _LEAF), np.uint8)
    edges, half = np.append(starts, len(leaves)), len(starts) // 2
    beside(
        partial(hash_buckets, leaves, edges[part.start : part.stop + 1], lines[part])
        for part in (slice(0, half), slice(half, len(starts)))
    )
    return lines.tobytes()


def coded_buckets(columns: Sequence[tuple[Sequence[Hashable], Codes]], sizes: Ints) -> Iterator[bytes]:
    """Return the lines of the buckets of counted rows; of each column its values, and which of them a row has, or -1.

    >>> [*coded_buckets([(["a"], np.array([0], np.int32))], np.array([3]))] == [*bucket_lines([row_leaf("a", 3)])]
    True
    """
    rows = CodedRows([cell_texts(values) for values, _ in columns])
    portions = (slice(start, start + _PORTION) for start in range(0, len(sizes), _PORTION))
    return bucket_lines(rows.leaves([codes[part] for _, codes in columns], sizes[part]) for part in portions)


def _runs(leaves: Iterable[bytes]) -> Iterator[bytes]:
    """Yield leaves many in a row."""
    held, size = list[bytes](), 0
    for one in leaves:
        held.append(one)
        size += len(one)
        if size >= _RUN:
            yield b"".join(held)
            held, size = [], 0
    if held:
        yield b"".join(held)


def _in_order(leaves: Words) -> Words:
    """Sort leaves, each of four words; hardly ever do two of them share the first."""
    order = np.argsort(leaves[:, 0])
    first = leaves[order, 0]
    return leaves[np.lexsort(leaves.T[::-1]) if (first[1:] == first[:-1]).any() else order]


def buckets_in_order(portions: Iterable[bytes]) -> Iterator[bytes]:
    """Return the line of each bucket from digits of sorted leaves that lie one after the other, portion by portion."""
    begun, digest = b"", sha256()
    for leaves in filter(None, portions):
        first = np.frombuffer(leaves, np.uint8).reshape(-1, _LEAF)[:, :_BUCKET_DIGITS]
        starts = np.flatnonzero(np.append(True, (first[1:] != first[:-1]).any(axis=1))) * _LEAF
        for start, stop in zip(starts.tolist(), [*starts[1:].tolist(), len(leaves)], strict=True):
            bucket, held = leaves[start : start + _BUCKET_DIGITS], leaves[start:stop]
            if bucket != begun:  # else it was begun in the portion before
                if begun:
                    yield bucket_line(int(begun, 16), digest.hexdigest())
                begun, digest = bucket, sha256()
            digest.update(held)
    if begun:
        yield bucket_line(int(begun, 16), digest.hexdigest())


def content_root(types: Mapping[str, ColumnType], buckets: Iterable[bytes]) -> str:
    """Return the digest of a table from its columns and the lines of its buckets, which come in order.

    >>> content_root({"Age": ColumnType.INTEGER}, bucket_lines([row_leaf("30", 2)]))[:8]
    'b51751d7'
    """
    header = [row_text([cell_text(name), str(kind)]) for name, kind in types.items()]
    root = sha256("\n".join([*header, ""]).encode())
    for lines in buckets:
        root.update(lines)
    return root.hexdigest()


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
