"""Combinations that an engine counted, as texts: spelled when somebody asks, and put together while they are numbers."""

from __future__ import annotations

from collections.abc import Collection, Hashable, ItemsView, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache

import numpy as np

from sfumato.data.schema import ColumnType
from sfumato.data.text import written_text
from sfumato.data.whole import as_values
from sfumato.groups.cells import Cells
from sfumato.groups.distinct import renumbered
from sfumato.groups.stats import CodedKeys
from sfumato.kernels.arrays import Codes, Ints
from sfumato.recounts import Key, Shared

__all__ = ["CountedTexts"]

_PORTION = 1 << 16
_GROUPS = 1 << 20  # that are compared at once
_FEW = 8  # rows of a group that is looked for among others
_WIDE = 1 << 62
_NARROW = 1 << 20


class CountedTexts(Mapping[Key, int]):
    """Counted combinations by their texts, in the order of values.

    Numbers are spelled as ``types`` would write them.

    >>> cells = Cells.of(["group", "ill"], [[1, 1, 2, 2], ["a", "b", "a", "b"]], [1, 2, 1, 2])
    >>> held = CountedTexts(cells, {})
    >>> held["1", "b"], held.shared(1).contents, list(held.shared(1).which)
    (2, [{('a',): 1, ('b',): 2}], [0, 0])
    """

    def __init__(self, cells: Cells, types: Mapping[str, ColumnType]) -> None:
        self._cells = cells
        self._columns = [
            _Column(keys, types.get(name) is ColumnType.NUMBER)
            for name, keys in zip(cells.columns, cells.keys, strict=True)
        ]

    def __len__(self) -> int:
        return len(self._cells)

    def __iter__(self) -> Iterator[Key]:
        return iter(_Names(self._columns, len(self)))

    def items(self) -> ItemsView[Key, int]:
        return _Items(self)

    def counts(self) -> Iterator[int]:
        """Yield the numbers alone."""
        for start in range(0, len(self), _PORTION):
            yield from self._cells.sizes[start : start + _PORTION].tolist()

    def __getitem__(self, key: Key) -> int:
        return self._by_key[key]

    @cached_property
    def _by_key(self) -> Mapping[Key, int]:
        return dict(self.items())

    def shared(self, known: int) -> Shared[Key, Mapping[Key, int]] | None:
        """Group by the first so many columns; nothing where two of their values would be spelled alike.

        Small groups that hold the same share it: they are compared by numbers, many at once, and spelled once.
        """
        named, read = self._columns[:known], self._columns[known:]
        widths = [*(len(one.keys.values) + 1 for one in read), int(self._cells.sizes.max(initial=0)) + 1]
        if np.prod(np.array(widths, float)) >= _WIDE or not all(one.told_apart for one in named):
            return None
        first = self._cells.starts(known)
        which, kinds = np.empty(len(first), np.int32), dict[tuple[int, ...], int]()
        for start in range(0, len(first), _GROUPS):
            begin = np.append(first[start : start + _GROUPS + 1], len(self))[: _GROUPS + 1]
            rows = slice(int(begin[0]), int(begin[-1]))
            packed = _packed([*(one.keys.codes[rows] for one in read), self._cells.sizes[rows] - 1], widths)
            _place(which[start : start + _GROUPS], packed, begin - begin[0], kinds)
        contents = _contents(kinds, read, widths)
        names = _Names([one.taken(first) for one in named], len(first))
        return Shared(names, contents, which.data)


class _Items(ItemsView[Key, int]):
    _mapping: CountedTexts

    def __iter__(self) -> Iterator[tuple[Key, int]]:
        return zip(self._mapping, self._mapping.counts(), strict=True)


class _Column:
    """The values of a column, and how they are written."""

    def __init__(self, keys: CodedKeys, real: bool) -> None:
        self.keys, self.real = keys, real

    @cached_property
    def texts(self) -> list[str | None]:
        """What is written of each value; the last one answers for missing, -1."""
        values: Sequence[Hashable] = self.keys.values
        return [*(map(written_text, map(float, values)) if self.real else map(written_text, values)), None]  # type: ignore[arg-type]

    @property
    def told_apart(self) -> bool:
        """Whether no two values are written alike; whole numbers never are, unless they are written as fractions."""
        whole = not self.real and _types(self.keys.values) <= {int}
        return whole or len({*self.texts}) == len(self.texts)

    def taken(self, places: Ints) -> _Column:
        """Return the values at some places."""
        found = _Column(self.keys.take(places), self.real)
        if "texts" in self.__dict__:
            found.__dict__["texts"] = self.texts
        return found

    def same(self, other: _Column) -> bool:
        """Tell whether the same is written in the same places, as far as that is seen without writing it."""
        mine, theirs = self.keys, other.keys
        # One, true and 1.0 are equal and not written alike: values of several types are left to their texts.
        of_one_type = self.real == other.real and len(_types(mine.values) | _types(theirs.values)) <= 1
        return (
            of_one_type
            and np.array_equal(mine.codes, theirs.codes)
            and as_values(mine.values) == as_values(theirs.values)
        )


def _types(values: Sequence[Hashable]) -> set[type]:
    return {int} if isinstance(values, range) else {*map(type, values)}


class _Names(Collection[Key]):
    """Combinations of texts, one after the other."""

    def __init__(self, columns: Sequence[_Column], many: int) -> None:
        self._columns, self._many = columns, many

    def __len__(self) -> int:
        return self._many

    def __contains__(self, key: object) -> bool:
        return any(one == key for one in self)

    def __iter__(self) -> Iterator[Key]:
        if not self._columns:
            yield from [()] * self._many
        for start in range(0, len(self) if self._columns else 0, _PORTION):
            codes = [column.keys.codes[start : start + _PORTION].tolist() for column in self._columns]
            texts = (column.texts.__getitem__ for column in self._columns)
            yield from zip(*(map(text, held) for text, held in zip(texts, codes, strict=True)), strict=True)

    def __eq__(self, other: object) -> bool:
        """Tell whether others are called the same, as far as that is seen without spelling them."""
        if not isinstance(other, _Names) or len(self) != len(other) or len(self._columns) != len(other._columns):
            return False
        return all(mine.same(theirs) for mine, theirs in zip(self._columns, other._columns, strict=True))

    __hash__ = None  # type: ignore[assignment]


# ---- rows as numbers -----------------------------------------------------------------------------------------------------


def _packed(columns: Sequence[Codes | Ints], widths: Sequence[int]) -> Ints:
    """Return what rows have in columns of codes from -1 on as one number each."""
    key = np.zeros(len(columns[0]), np.int64)
    for codes, width in zip(columns, widths, strict=True):
        key *= width
        key += codes
        key += 1
    return key


def _unpacked(kind: int, widths: Sequence[int]) -> list[int]:
    """Return the codes of one such number."""
    codes = []
    for width in reversed(widths):
        kind, code = divmod(kind, width)
        codes.append(code - 1)
    return codes[::-1]


def _place(out: Codes, packed: Ints, begin: Ints, kinds: dict[tuple[int, ...], int]) -> None:
    """Say of each group, which begins where ``begin`` says, which of the contents it has; new ones are added."""
    lengths = np.diff(begin)
    for length in np.unique(lengths[lengths <= _FEW]).tolist():
        at = np.flatnonzero(lengths == length)
        rows = packed[begin[at][:, None] + np.arange(length)]
        first, alike = _distinct(rows)
        found = [kinds.setdefault(tuple(held), len(kinds)) for held in rows[first].tolist()]
        out[at] = np.array(found, np.int32)[alike]
    for one in np.flatnonzero(lengths > _FEW).tolist():
        out[one] = kinds.setdefault(tuple(packed[begin[one] : begin[one + 1]].tolist()), len(kinds))


def _distinct(rows: Ints) -> tuple[Ints, Ints]:
    """Return the first place of each row, and which of the distinct rows stands at each place."""
    width = int(rows.max()) + 1
    if width > _NARROW:
        found, width = renumbered(rows.ravel())
        rows = found.reshape(rows.shape)
    key, wide = np.zeros(len(rows), np.int64), 1
    for column in rows.T:
        if wide * width > _WIDE:
            key, wide = renumbered(key)
        key = key * width + column
        wide *= width
    _, first, alike = np.unique(key, return_index=True, return_inverse=True)
    return first, alike


def _contents(
    kinds: Iterable[tuple[int, ...]], read: Sequence[_Column], widths: Sequence[int]
) -> list[Mapping[Key, int]]:
    """Return what rows say that were packed as numbers, as texts with their number; rows that are written alike are one."""

    @lru_cache(_PORTION)
    def spelled(kind: int) -> tuple[Key, int]:
        *codes, many = _unpacked(kind, widths)
        return tuple(column.texts[code] for column, code in zip(read, codes, strict=True)), many + 1

    contents = list[Mapping[Key, int]]()
    for held in kinds:
        inside: dict[Key, int] = {}
        for key, many in map(spelled, held):
            inside[key] = inside.get(key, 0) + many
        contents.append(inside)
    return contents
