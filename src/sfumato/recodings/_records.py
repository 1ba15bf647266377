"""Records as codes: what recodings of whole records look at, and the labels they give, without a Python object per cell."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from functools import cached_property
from typing import Any, cast
from weakref import ref

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.data.frozen import frozen
from sfumato.data.text import to_text
from sfumato.errors import BadRequest
from sfumato.groups.stats import CodedKeys
from sfumato.kernels.arrays import Bools, Codes, Ints

__all__ = ["Labels", "Records", "Row", "own_labels", "pair_counts", "put_labels", "refuse_columns", "unique_sums"]

Row = tuple[Any, ...]
Labels = Mapping[str, tuple[Codes, Sequence[str | None]]]
Source = tuple[ref[Table], tuple[str, ...]]

_BITS = 62
_COUNTED = 1 << 22


def refuse_columns(table: Table, names: Sequence[str], parameter: str) -> None:
    """Refuse columns that a table does not have."""
    for name in names:
        if name not in table.types:
            raise BadRequest("is not a column of the table", parameter=parameter, value=name, available=table.columns)


@frozen(eq=False)
class Records:
    """Some columns of a table: the distinct values of each, and the codes of its records; -1 stands for missing.

    A record may stand for several that look alike, as many as its weight says; without weights every record of the table is
    there, in its place. ``source`` tells which columns of which table were counted: equal ones are the same records.
    """

    columns: tuple[str, ...]
    values: tuple[Sequence[Hashable], ...]
    codes: Codes
    weights: Ints | None = None
    source: Source | None = None

    @classmethod
    def of(cls, table: Table, columns: Sequence[str]) -> Records:
        """Return every record of a table, in its place."""
        held = {name: table.dictionary(name) for name in columns}
        codes = table.as_rows().codes(columns, held)
        return cls(tuple(columns), tuple(held[name].values for name in columns), codes)

    @classmethod
    def alike(cls, table: Table, columns: Sequence[str]) -> Records:
        """Return the different records of a table, each with the number of those that look so."""
        names = tuple(dict.fromkeys(columns))
        cells = table.counts(names)
        codes = np.column_stack([held.codes for held in cells.keys])
        return cls(names, tuple(held.values for held in cells.keys), codes, cells.sizes, (ref(table), names))

    @classmethod
    def from_rows(cls, columns: Sequence[str], rows: Sequence[Row]) -> Records:
        """Return the records of rows in Python."""
        places: list[dict[Hashable, int]] = [{} for _ in columns]
        codes = [
            [
                -1 if value is None else known.setdefault(value, len(known))
                for known, value in zip(places, row, strict=True)
            ]
            for row in rows
        ]
        return cls(
            tuple(columns), tuple(tuple(known) for known in places), np.array(codes, np.int32).reshape(-1, len(columns))
        )

    def __len__(self) -> int:
        return len(self.codes)

    @cached_property
    def sizes(self) -> Ints:
        """How many records of the table each one stands for."""
        return np.ones(len(self), np.int64) if self.weights is None else self.weights

    def only(self, columns: Sequence[str]) -> Records:
        """Keep some columns of each record."""
        if tuple(columns) == self.columns:
            return self
        at = [self.columns.index(name) for name in columns]
        values = tuple(self.values[place] for place in at)
        return Records(tuple(columns), values, self.codes[:, at], self.weights, self.source)

    @cached_property
    def distinct(self) -> tuple[Ints, Ints]:
        """The first place of each distinct record, in order of codes, and for every record which of them it is."""
        if self.source is not None and self.source[1] == self.columns:
            own = np.arange(len(self))  # counted records are distinct, and in order
            return own, own
        key = np.zeros(len(self), np.int64)
        used = 0
        for values, codes in zip(self.values, self.codes.T, strict=True):
            room = (len(values) + 1).bit_length()
            if used + room > _BITS:
                # Out of bits: the combinations so far are replaced by their rank.
                key = np.unique(key, return_inverse=True)[1]
                used = len(key).bit_length()
            key = (key << room) + codes + 1
            used += room
        _, first, number = np.unique(key, return_index=True, return_inverse=True)
        return first, number

    def row(self, number: int) -> Row:
        """Return the values of one record."""
        return tuple(
            None if code < 0 else values[code]
            for values, code in zip(self.values, self.codes[number].tolist(), strict=True)
        )

    def among(self, rows: Collection[Row]) -> Bools:
        """Tell for each record whether it is one of these rows."""
        first, number = self.distinct
        wanted = set(rows)
        return np.array([self.row(place) in wanted for place in first.tolist()], bool)[number]


def own_labels(records: Records) -> dict[str, tuple[Codes, list[str | None]]]:
    """Return the labels of records that are published as they are."""
    return {
        name: (codes, [to_text(value) for value in values])
        for name, values, codes in zip(records.columns, records.values, records.codes.T, strict=True)
    }


def put_labels(table: Table, records: Records, labels: Labels) -> Table:
    """Return the table with its columns replaced by labels; columns in which nothing changes keep their type."""
    changed = {}
    for name, values, codes in zip(records.columns, records.values, records.codes.T, strict=True):
        if name in labels and _changes(values, codes, *labels[name]):
            changed[name] = labels[name]
    if records.weights is None:
        return table.as_rows().put(changed)
    keys = [CodedKeys(values, codes) for values, codes in zip(records.values, records.codes.T, strict=True)]
    texts = {name: cast(Sequence[str | None], CodedKeys(texts, shown)) for name, (shown, texts) in changed.items()}
    return table.relabel(records.columns, keys, texts) if changed else table


def _changes(values: Sequence[Hashable], codes: Codes, shown: Codes, texts: Sequence[str | None]) -> bool:
    """Tell whether a cell is published as another text than its own."""
    number: dict[str, int] = {}  # a text may be listed twice
    new = [-1 if text is None else number.setdefault(text, len(number)) for text in texts]
    old = [number.get(to_text(value), -2) for value in values]
    # The last entries answer for missing, -1.
    return bool((np.array([*new, -1], np.int32)[shown] != np.array([*old, -1], np.int32)[codes]).any())


def pair_counts(
    codes: Codes, shown: Codes, width: int, sizes: Ints | None = None
) -> tuple[list[tuple[int, int]], Ints]:
    """Return the pairs of a code and a label's code, below ``width``, that occur, and how often each does; both from -1."""
    room = width + 1
    key = (codes.astype(np.int64) + 1) * room + (shown + 1)
    if (int(codes.max(initial=-1)) + 2) * room <= _COUNTED:
        counts = np.bincount(key, sizes)
        found = np.flatnonzero(counts)
        counts = counts[found]
    else:
        found, counts = unique_sums(key, sizes)
    pairs = [(old - 1, new - 1) for old, new in zip(*(part.tolist() for part in divmod(found, room)), strict=True)]
    return pairs, counts.astype(np.int64)


def unique_sums(key: Ints, sizes: Ints | None) -> tuple[Ints, Ints]:
    """Return the different keys in order, and how many records have each."""
    if sizes is None:
        return np.unique(key, return_counts=True)
    order = np.argsort(key)
    ordered = key[order]
    first = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])) if len(key) else np.empty(0, np.int64)
    found = ordered[first]
    del ordered
    return found, np.add.reduceat(sizes[order], first) if len(key) else np.empty(0, np.int64)
