"""Groups by their published values, as codes: tens of thousands of them are kept without a tuple for each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import overload

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.groups.stats import CodedKeys

__all__ = ["LabelRows"]


@frozen(eq=False)
class LabelRows(Sequence[tuple[str, ...]]):
    """Rows of labels, in order, that are looked up when somebody asks for one.

    >>> rows = LabelRows.of([("b", "x"), ("a", "y"), ("a", "x")])
    >>> list(rows.sorted()), rows[0], len(rows), rows == [("b", "x"), ("a", "y"), ("a", "x")]
    ([('a', 'x'), ('a', 'y'), ('b', 'x')], ('b', 'x'), 3, True)
    """

    columns: tuple[CodedKeys, ...]

    @classmethod
    def of(cls, rows: Iterable[Sequence[str]]) -> LabelRows:
        """Return rows as codes, whatever form they come in; all have the same length."""
        if isinstance(rows, LabelRows):
            return rows
        return cls(tuple(map(CodedKeys.of, zip(*rows, strict=True))))

    def __len__(self) -> int:
        return len(self.columns[0]) if self.columns else 0

    @overload
    def __getitem__(self, index: int) -> tuple[str, ...]: ...
    @overload
    def __getitem__(self, index: slice) -> LabelRows: ...
    def __getitem__(self, index: int | slice) -> tuple[str, ...] | LabelRows:
        if isinstance(index, slice):
            return LabelRows(tuple(held[index] for held in self.columns))
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        return tuple(held[index] for held in self.columns)

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        return zip(*self.columns, strict=True)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Sequence) and len(self) == len(other) and all(map(tuple.__eq__, self, map(tuple, other)))
        )

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(tuple(self))

    def sorted(self) -> LabelRows:
        """Return the rows in the order of their labels."""
        ranks = []
        for held in self.columns:
            place = np.empty(len(held.values), np.int64)
            place[sorted(range(len(held.values)), key=held.values.__getitem__)] = np.arange(len(place))  # type: ignore[arg-type]
            ranks.append(place[held.codes])
        if not ranks:
            return self
        order = np.lexsort(ranks[::-1])
        return LabelRows(tuple(held.take(order) for held in self.columns))
