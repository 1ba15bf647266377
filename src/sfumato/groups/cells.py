"""Cells: the distinct combinations of the values of some columns, each with the number of rows that have it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import islice
from operator import lt
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from sfumato.data.frozen import frozen
from sfumato.groups.stats import CodedKeys, GroupStats, Histogram
from sfumato.kernels.arrays import Codes, Ints
from sfumato.kernels.lookup import looked_up, occurring

__all__ = ["Cells", "sorted_groups"]

_PORTION = 1 << 18


@frozen(eq=False)
class Cells:
    """What an engine counts: combinations in the order of their values, missing first, none of them twice.

    A column lists the values that occur, in their order; codes point into the list, -1 where the value is missing.
    """

    columns: tuple[str, ...]
    keys: tuple[CodedKeys, ...]
    sizes: Ints

    @classmethod
    def of(cls, columns: Sequence[str], keys: Sequence[Sequence[Hashable]], sizes: npt.ArrayLike) -> Cells:
        """Return combinations that are distinct and in order, whatever lists of values they come with.

        >>> cells = Cells.of(["Sex", "Age"], [[None, "F", "F"], [30, 9, 31]], [1, 2, 1])
        >>> cells.keys[1].values, cells.keys[1].codes.tolist()
        ((9, 30, 31), [1, 0, 2])
        """
        # Some engines hand out arrays that may not be written to: kernels would be compiled once more for these.
        counts = np.require(sizes, np.int64, ("C", "W"))
        return cls(tuple(columns), tuple(_in_order(CodedKeys.of(held)) for held in keys), counts)

    def __len__(self) -> int:
        return len(self.sizes)

    def rolled_up(self, columns: Sequence[str]) -> Cells:
        """Return the combinations of some of the columns, in any order of theirs, with their number.

        >>> cells = Cells.of(["Sex", "Age"], [["F", "F", "M"], [30, 31, 30]], [1, 2, 3])
        >>> cells.rolled_up(["Age"]).sizes.tolist()
        [4, 2]
        >>> cells.rolled_up(["Sex", "Age"]) is cells
        True
        """
        return self if tuple(columns) == self.columns else self._added_up(columns)

    def _added_up(self, columns: Sequence[str]) -> Cells:
        """Return the combinations of some columns in order, whatever order they are in now, equal ones as one."""
        held = [self.keys[self.columns.index(name)] for name in columns]
        codes = [one.codes for one in held]
        order = np.lexsort(codes[::-1])
        fresh = np.zeros(len(self), bool)
        fresh[:1] = True
        for one in codes:
            fresh[1:] |= one[order[1:]] != one[order[:-1]]
        first = np.flatnonzero(fresh)
        sizes = np.add.reduceat(self.sizes[order], first) if len(first) else np.empty(0, np.int64)
        return Cells.of(columns, [one.take(order[first]) for one in held], sizes)

    def recoded(self, mappings: Mapping[str, Mapping[Hashable, str | None]]) -> Cells:
        """Return the combinations that are left when values of some columns become labels; missing stays missing.

        >>> cells = Cells.of(["Sex", "Age"], [["F", "F", "M"], [30, 31, 30]], [1, 2, 3])
        >>> coarse = cells.recoded({"Age": {30: "[30, 40)", 31: "[30, 40)"}})
        >>> coarse.keys[1].values, coarse.sizes.tolist()
        (('[30, 40)',), [3, 3])
        """
        keys = []
        for name, held in zip(self.columns, self.keys, strict=True):
            if name not in mappings:
                keys.append(held)
                continue
            labels = CodedKeys.of([mappings[name][value] for value in held.values])
            keys.append(CodedKeys(labels.values, np.append(labels.codes, np.int32(-1))[held.codes]))
        return Cells.of(self.columns, keys, self.sizes)._added_up(self.columns)

    def without(self, columns: Sequence[str], keys: Sequence[Sequence[Hashable]]) -> Cells:
        """Return the combinations whose values in ``columns`` equal none of the keys.

        >>> cells = Cells.of(["Sex", "Age"], [["F", "F", "M"], [30, 31, 30]], [1, 2, 3])
        >>> cells.without(["Age"], [[30]]).sizes.tolist()
        [2]
        """
        held = [self.keys[self.columns.index(name)] for name in columns]
        unwanted = set(zip(*keys, strict=True))
        kept = np.flatnonzero([key not in unwanted for key in zip(*held, strict=True)])
        return Cells.of(self.columns, [one.take(kept) for one in self.keys], self.sizes[kept])

    def starts(self, columns: int) -> Ints:
        """Return where the groups begin that agree on the first so many columns.

        >>> Cells.of(["Sex", "Age"], [["F", "F", "M"], [30, 31, 30]], [1, 2, 3]).starts(1).tolist()
        [0, 2]
        """
        fresh = np.zeros(len(self), bool)
        fresh[:1] = True
        for held in self.keys[:columns]:
            fresh[1:] |= held.codes[1:] != held.codes[:-1]
        return np.flatnonzero(fresh)

    def groups(self, columns: int) -> GroupStats:
        """Return the groups that agree on the first so many columns, with histograms of the others."""
        named, counted = self.keys[:columns], self.keys[columns:]
        if not counted:
            return GroupStats(self.columns, named, self.sizes)
        if len(counted) == 1:
            values = [held.values for held in self.keys]
            return sorted_groups(
                self.columns, values, lambda part: [held.codes[part] for held in self.keys], self.sizes
            )
        first = self.starts(columns)
        sizes = np.add.reduceat(self.sizes, first) if len(first) else np.empty(0, np.int64)
        histograms = {}
        group = np.repeat(np.arange(len(first)), np.diff(first, append=len(self)))
        for name, held in zip(self.columns[columns:], counted, strict=True):
            listed, code = _with_missing(held.values, held.codes.astype(np.int64))
            histograms[name] = Histogram.from_pairs(len(first), listed, group, code, self.sizes)
        return GroupStats(self.columns[:columns], tuple(held.take(first) for held in named), sizes, histograms)


def sorted_groups(
    columns: Sequence[str],
    values: Sequence[Sequence[Hashable]],
    portion: Callable[[slice], Sequence[Codes]],
    sizes: Ints,
) -> GroupStats:
    """Return the groups that agree on all columns but the last, with its histogram; combinations are distinct and in order.

    A ``portion`` of them is laid out at a time: of all rows only what the histogram holds stands in memory.
    """
    # Room for as many groups as there are combinations: what is not written to takes none.
    keys = [np.empty(len(sizes), np.int32) for _ in columns[:-1]]
    starts, code = np.empty(len(sizes) + 1, np.int64), np.empty(len(sizes), np.int64)
    found, before = 0, list[np.int32]()
    for begin in range(0, len(sizes), _PORTION):
        *here, last = portion(slice(begin, begin + _PORTION))
        fresh = np.zeros(len(last), bool)
        fresh[0] = not begin or any(held[0] != one for held, one in zip(here, before, strict=True))
        for held in here:
            fresh[1:] |= held[1:] != held[:-1]
        before = [held[-1] for held in here]
        first = np.flatnonzero(fresh)
        room = slice(found, found + len(first))
        for key, held in zip(keys, here, strict=True):
            key[room] = held[first]
        starts[room] = first + begin
        code[begin : begin + _PORTION] = last
        found = room.stop
    starts[found] = len(sizes)
    listed, code = _with_missing(*_used(values[-1], code))
    return GroupStats(
        tuple(columns[:-1]),
        tuple(_in_order(CodedKeys(known, key[:found])) for known, key in zip(values[:-1], keys, strict=True)),
        np.add.reduceat(sizes, starts[:found]) if found else np.empty(0, np.int64),
        {columns[-1]: Histogram(listed, starts[: found + 1], code, sizes)},
    )


def _with_missing(values: Sequence[Hashable], code: Ints) -> tuple[tuple[Hashable, ...], Ints]:
    """Return values and codes in which what is missing, -1, is a value like the others, and the first."""
    if not len(code) or code.min() >= 0:
        return tuple(values), code
    code += 1
    return (None, *values), code


def _in_order(held: CodedKeys) -> CodedKeys:
    """Return the values that occur, in their order."""
    values, codes = _used(held.values, held.codes)
    return held if codes is held.codes else CodedKeys(values, codes)


_C = TypeVar("_C", Codes, Ints)


def _used(listed: Sequence[Hashable], codes: _C) -> tuple[Sequence[Hashable], _C]:
    """Return the values that occur, in their order, and codes into these; the same codes if nothing changes."""
    present = np.flatnonzero(occurring(len(listed), codes)[:-1])
    if isinstance(listed, range) and len(present) == len(listed):
        return listed, codes
    values: list[Any] = [listed[at] for at in present.tolist()]
    if not all(map(lt, values, islice(values, 1, None))):
        order = sorted(range(len(values)), key=values.__getitem__)
        values, present = [values[at] for at in order], present[order]
    elif len(values) == len(listed) and isinstance(listed, tuple):
        return listed, codes
    place = np.full(len(listed) + 1, -1, codes.dtype)
    place[present] = np.arange(len(present))
    return tuple(values), looked_up(place, codes)
