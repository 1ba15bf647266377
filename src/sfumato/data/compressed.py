"""The compressed table: each distinct row of integer codes once, with the number of records it stands for."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import field, replace
from functools import cached_property

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.kernels.arrays import Codes, Ints

__all__ = ["CompressedTable", "Dictionary", "Weighed"]


@frozen(eq=False)
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


@frozen(eq=False)
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


@frozen(eq=False)
class Weighed:
    """The rows of a compressed table with the sampling weights of their records added up, as these stand for several persons.

    ``table`` has the same rows; its ``weights`` and the counts of its dictionaries are sums of sampling weights, whole numbers
    if all of these are. ``lightest`` and ``heaviest`` are the least and the largest weight of a record. ``people``: the sums
    also say how many persons of the population look like a group.
    """

    table: CompressedTable
    lightest: float
    heaviest: float
    people: bool = False

    @classmethod
    def of(
        cls, rows: CompressedTable, sums: Ints, lightest: float, heaviest: float, *, people: bool = False
    ) -> Weighed:
        """Weigh the rows of a table, given the sum of the sampling weights of each."""
        columns = [*zip(rows.columns, rows.codes.T, strict=True), *zip(rows.extra, rows.extra_codes.T, strict=True)]
        known = dict(rows.dictionaries)
        for name, codes in columns:
            held = np.bincount(codes, weights=sums, minlength=len(known[name])).astype(sums.dtype)
            known[name] = replace(known[name], counts=held)
        table = replace(rows, weights=sums, dictionaries=known, people=None)
        return cls(table, lightest, heaviest, people)

    @property
    def total(self) -> float:
        """How many persons all records stand for."""
        total: float = self.table.weights.sum().item()
        return total

    def most(self, records: int) -> float:
        """Return how many persons so many records stand for at most."""
        return min(records * self.heaviest, self.total)
