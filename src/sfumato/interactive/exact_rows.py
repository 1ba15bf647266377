"""Answered sums over the rational numbers, as long as there are few: what the quick count modulo a prime is checked by."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from sfumato.data.frozen import frozen
from sfumato.kernels.arrays import Ints

__all__ = ["ExactRows"]

Row = Mapping[int, Fraction]


@frozen
class ExactRows:
    """Rows in reduced echelon form by their pivots; each maps columns to what is not zero there."""

    rows: Mapping[int, Row]

    def __len__(self) -> int:
        return sum(map(len, self.rows.values()))

    def after(self, parted: Mapping[int, int], asked: Ints) -> ExactRows:
        """Return the rows when columns were parted (old to new) and the sum over the columns that are asked was answered."""
        rows = {
            pivot: {**row, **{parted[at]: row[at] for at in row if at in parted}} for pivot, row in self.rows.items()
        }
        left = {int(column): Fraction(1) for column in asked}
        for pivot, row in rows.items():
            if pivot in left:
                left = _minus(left, row, left[pivot])
        if not left:
            return ExactRows(rows)
        pivot = min(left)
        new = {column: value / left[pivot] for column, value in left.items()}
        return ExactRows(
            {**{at: _minus(row, new, row[pivot]) if pivot in row else row for at, row in rows.items()}, pivot: new}
        )

    def told(self, sizes: Ints) -> list[int]:
        """Return the columns of one record each whose value follows from the answers."""
        return [pivot for pivot, row in self.rows.items() if len(row) == 1 and sizes[pivot] == 1]


def _minus(row: Row, other: Row, times: Fraction) -> dict[int, Fraction]:
    out = dict(row)
    for column, value in other.items():
        left = out.pop(column, Fraction(0)) - times * value
        if left:
            out[column] = left
    return out
