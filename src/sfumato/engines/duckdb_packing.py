"""Columns of few values side by side in whole numbers: rows are sorted, counted and hashed as a number or two each.

A value's number is its place among those of its column, from 1 on; 0 stands for missing. The numbers of neighbouring columns
are laid side by side in 62 bits, first column highest, so that sorting the whole sorts the rows. A column of many values stays
as it is, between two such wholes. A row of nine texts takes about a hundred bytes while DuckDB sorts it, and eight so.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import accumulate, product
from math import prod

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.groups.stats import CodedKeys
from sfumato.kernels.arrays import Ints

__all__ = ["Listed", "Part", "combined", "parts_of"]

_BITS = 62


@frozen
class Listed:
    """A column of few values, as SQL: a row's number among these, its text in the row's line, and the join both need."""

    values: Sequence[Hashable]
    number: str
    cell: str
    join: str = ""

    @property
    def bits(self) -> int:
        """Bits that hold the number of any value, and 0."""
        return len(self.values).bit_length()


@frozen
class Part:
    """Neighbouring columns, by place, as one number; a column of many values stands alone, as it is."""

    columns: tuple[int, ...]
    held: tuple[Listed, ...] = ()

    @property
    def bits(self) -> int:
        """Bits that hold the number."""
        return sum(one.bits for one in self.held)

    def _shifts(self) -> list[int]:
        return [*accumulate((one.bits for one in self.held[:0:-1]), initial=0)][::-1]

    def sql(self) -> str:
        """Return the number of a row."""
        return " + ".join(f"({one.number} << {shift})" for one, shift in zip(self.held, self._shifts(), strict=True))

    def codes(self, numbers: Ints) -> dict[int, CodedKeys]:
        """Return the values of rows, column by column."""
        found = {}
        for at, one, shift in zip(self.columns, self.held, self._shifts(), strict=True):
            wide = numbers >> shift
            wide &= (1 << one.bits) - 1
            wide -= 1
            found[at] = CodedKeys(one.values, wide.astype(np.int32))
        return found

    def pieces(self, most: int) -> Iterator[tuple[Part, int]]:
        """Yield parts of few combinations, and where each begins; at most so many unless a column alone has more."""
        begin, many = 0, 1
        shifts = self._shifts()
        for at, one in enumerate(self.held):
            many *= len(one.values) + 1
            if at > begin and many > most:
                yield Part(self.columns[begin:at], self.held[begin:at]), shifts[at - 1]
                begin, many = at, len(one.values) + 1
        yield Part(self.columns[begin:], self.held[begin:]), 0


def parts_of(listed: Sequence[Listed | None]) -> list[Part]:
    """Lay columns of few values side by side as far as bits reach; the others stand alone."""
    found: list[Part] = []
    for at, held in enumerate(listed):
        if held is None:
            found.append(Part((at,)))
        elif found and found[-1].held and found[-1].bits + held.bits <= _BITS:
            found[-1] = Part((*found[-1].columns, at), (*found[-1].held, held))
        else:
            found.append(Part((at,), (held,)))
    return found


def combined(texts: Sequence[Sequence[str]], between: str) -> tuple[Ints, Iterable[str]]:
    """Return the numbers of all combinations of numbered texts, and the texts of each, joined.

    >>> numbers, lines = combined([["a", "b"], ["x", "y", "z"]], "-")
    >>> numbers.tolist(), [*lines]
    ([0, 1, 2, 4, 5, 6], ['a-x', 'a-y', 'a-z', 'b-x', 'b-y', 'b-z'])
    """
    numbers = np.zeros(prod(map(len, texts)), np.int64)
    bits, inner = 0, 1
    for one in reversed(texts):
        numbers += (np.arange(len(numbers)) // inner % len(one)) << bits
        bits, inner = bits + (len(one) - 1).bit_length(), inner * len(one)
    return numbers, map(between.join, product(*texts))
