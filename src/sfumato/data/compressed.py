"""The compressed table: each distinct row of integer codes once, with the number of records it stands for."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from sfumato.kernels.arrays import Codes, Ints

__all__ = ["CompressedTable", "Dictionary"]


@dataclass(frozen=True, eq=False)
class Dictionary:
    """The distinct values of one column in their order (numbers and dates by size, texts by code point), with counts.

    Codes are positions in ``values``. Missing values have no code; ``missing`` counts them.
    """

    column: str
    values: tuple[Hashable, ...]
    counts: Ints
    missing: int = 0

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True, eq=False)
class CompressedTable:
    """Distinct rows over ``columns`` and ``extra`` as codes, with weights; row order is by code, so it says nothing.

    ``codes`` is ``rows x columns`` (the quasi-identifiers), ``extra_codes`` is ``rows x extra`` (target and sensitive
    columns, whose histograms the search may need). Every count in a search is a sum of ``weights``. Rows may be some of a
    table of ``part_of`` records. ``people`` counts persons of a population beside the records; rows of those who are not in
    the table have the weight 0.
    """

    columns: tuple[str, ...]
    codes: Codes
    weights: Ints
    dictionaries: Mapping[str, Dictionary]
    extra: tuple[str, ...] = ()
    extra_codes: Codes = field(default_factory=lambda: np.empty((0, 0), np.int32))
    part_of: int | None = None
    people: Ints | None = None

    def __len__(self) -> int:
        return len(self.weights)

    @cached_property
    def records(self) -> int:
        """Number of records that the rows stand for."""
        return int(self.weights.sum())

    @property
    def table_records(self) -> int:
        """Number of records of the whole table, whose values the dictionaries count."""
        return self.records if self.part_of is None else self.part_of
