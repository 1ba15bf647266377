"""What metrics read of recoded records, counted cell by cell from raw rows and their labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Cells", "first_that_holds"]

Row = tuple[Any, ...]


def first_that_holds(point: Sequence[int], low: Sequence[Sequence[int]], high: Sequence[Sequence[int]]) -> int:
    """Return the first box with ``low <= point < high`` on every side, -1 if there is none."""
    for number, (below, above) in enumerate(zip(low, high, strict=True)):
        if all(a <= value < b for value, a, b in zip(point, below, above, strict=True)):
            return number
    return -1


@dataclass
class Cells:
    """Raw rows, what is published of each (``None`` if the record is left out), and the scale of each column."""

    rows: Sequence[Row]
    shown: Sequence[Row | None]
    scales: Mapping[str, Any]

    def pairs(self, at: int) -> Counter[tuple[float, int, int, int]]:
        """Return (covered, levels climbed, levels to the root, records) of each distinct pair of value and label."""
        scale = list(self.scales.values())[at]
        kept = Counter((row[at], new[at]) for row, new in zip(self.rows, self.shown, strict=True) if new is not None)
        return Counter(
            (scale.covered(label), *scale.climbs(value, label), count) for (value, label), count in kept.items()
        )

    def cover(self, at: int) -> dict[Row, float]:
        """Return how many values the label of each group stands for; of numbers, those that occur."""
        scale = list(self.scales.values())[at]
        values = {row[at] for row in self.rows}
        return {
            new: float(sum(scale.holds(new[at], value) for value in values))
            if scale.continuous
            else scale.covered(new[at])
            for new in self.shown
            if new is not None
        }

    def raw_groups(self) -> Counter[tuple[Row | None, int]]:
        """Return the group, ``None`` for those left out, and the number of records of each distinct raw record in it."""
        parted = Counter(zip(self.rows, self.shown, strict=True))
        return Counter((new, count) for (_, new), count in parted.items())
