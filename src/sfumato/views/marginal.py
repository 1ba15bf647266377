"""Marginals: how many records have each combination of values in a few columns, some of them cut into bins."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import field
from itertools import pairwise, product

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.data.frozen import frozen
from sfumato.data.schema import ColumnType
from sfumato.data.text import number_text
from sfumato.data.words import counted
from sfumato.engines import from_rows
from sfumato.errors import BadRequest
from sfumato.groups.distinct import distinct_rows
from sfumato.kernels.arrays import Ints

__all__ = ["COUNT", "Marginal", "MarginalQuery", "bin_labels", "marginal"]

COUNT = "count"
"""What a published marginal calls the number of records."""


@frozen
class MarginalQuery:
    """Which columns a marginal counts, and how finely.

    ``bins`` are rising edges of half-open bins ``[edge, next edge)``; ``labels`` maps values of a column to more general ones.
    ``units`` are written behind the edges of a bin, such as K for thousands. ``empty`` tells whether combinations that nobody
    has are listed: of one column all bins and labels are, of several columns none, if it is not said.
    """

    columns: tuple[str, ...]
    bins: Mapping[str, Sequence[float]] = field(default_factory=dict)
    labels: Mapping[str, Mapping[Hashable, str]] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    name: str = ""
    empty: bool | None = None

    def __post_init__(self) -> None:
        """Refuse a marginal of nothing, and bins that do not rise."""
        if not self.columns or len(set(self.columns)) < len(self.columns):
            raise BadRequest("needs columns, each once", parameter="marginals", value=self.columns)
        for column in (*self.bins, *self.labels):
            if column not in self.columns:
                raise BadRequest(
                    "is not a column of the marginal", parameter="bins", value=column, available=self.columns
                )
        for column, edges in self.bins.items():
            if len(edges) < 2 or any(one >= other for one, other in pairwise(edges)):
                raise BadRequest("needs rising edges: bins must not overlap", parameter="bins", column=column)
            if column in self.labels:
                raise BadRequest("has bins and labels; give one", parameter="bins", column=column)

    @property
    def title(self) -> str:
        """What it is called."""
        return self.name or "-".join(self.columns)


@frozen(eq=False, repr=False)
class Marginal:
    """A counted marginal: rows of codes into ``values``, the published values of each column in order, with their numbers."""

    query: MarginalQuery
    values: tuple[tuple[Hashable, ...], ...]
    codes: Ints
    counts: Ints

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it counts."""
        return self.query.columns

    def __repr__(self) -> str:
        return f"Marginal({', '.join(self.columns)}: {len(self.counts):,} combinations)"

    def rows(self) -> list[tuple[Hashable, ...]]:
        """Return each combination followed by its number, in the order of values."""
        return [
            (*(held[code] for held, code in zip(self.values, row, strict=True)), count)
            for row, count in zip(self.codes.tolist(), self.counts.tolist(), strict=True)
        ]

    def least(self, sensitive: str) -> int:
        """Return the smallest number of persons in a cell that holds any, summed over the sensitive column."""
        kept = [at for at, name in enumerate(self.columns) if name != sensitive]
        number = distinct_rows(self.codes[:, kept])[1] if kept else np.zeros(len(self.codes), np.int64)
        sizes = np.bincount(number, self.counts)
        return int(sizes[sizes > 0].min()) if sizes.any() else 0

    def table(self) -> Table:
        """Return the marginal as it is published."""
        return from_rows((*self.columns, COUNT), self.rows())


def bin_labels(edges: Sequence[float], *, whole: bool, unit: str = "") -> tuple[str, ...]:
    """Return what half-open bins are called; of whole numbers both ends are inside.

    >>> bin_labels([31, 36, 41], whole=True, unit="K"), bin_labels([0, 0.5, 1], whole=False)
    (('[31K-35K]', '[36K-40K]'), ('[0-0.5)', '[0.5-1)'))
    """
    last = 1 if whole else 0
    end = "]" if whole else ")"
    return tuple(f"[{number_text(low)}{unit}-{number_text(high - last)}{unit}{end}" for low, high in pairwise(edges))


def marginal(table: Table, query: MarginalQuery) -> Marginal:
    """Count a marginal: the projection of a table on some columns with its duplicates (book section 8.3).

    Counts of every marginal add up to the number of records. A value outside all bins, and one without a label, are refused.
    """
    cells = table.counts(query.columns)
    values: list[tuple[Hashable, ...]] = []
    columns: list[Ints] = []
    for name, held in zip(query.columns, cells.keys, strict=True):
        labels, place = _published(name, held.values, query, table.types[name])
        if len(held.codes) and held.codes.min() < 0:
            if name in query.bins:
                raise BadRequest("has missing values, which are in no bin", column=name, parameter="bins")
            labels, place = (None, *labels), np.append(place + 1, 0)
        values.append(labels)
        columns.append(np.append(place, 0)[held.codes] if len(place) == len(held.values) else place[held.codes])
    codes, number = distinct_rows(np.column_stack(columns).astype(np.int64))
    counts = np.bincount(number, weights=cells.sizes, minlength=len(codes)).astype(np.int64)
    listed = len(query.columns) == 1 if query.empty is None else query.empty
    if listed:
        every = np.array(list(product(*(range(len(held)) for held in values))), np.int64)
        held_codes, place = distinct_rows(np.concatenate([every, codes]))
        full = np.zeros(len(held_codes), np.int64)
        np.add.at(full, place[len(every) :], counts)
        codes, counts = held_codes, full
    return Marginal(query, tuple(values), codes, counts)


def _published(
    name: str, held: Sequence[Hashable], query: MarginalQuery, kind: ColumnType
) -> tuple[tuple[Hashable, ...], Ints]:
    """Return the published values of a column in order, and the place of each of its values among them."""
    if name in query.bins:
        if not kind.numeric:
            raise BadRequest("is no number and cannot be cut into bins", column=name, parameter="bins")
        edges = np.asarray(query.bins[name], np.float64)
        numbers = np.array([float(value) for value in held], np.float64)  # type: ignore[arg-type]
        place = np.searchsorted(edges, numbers, side="right") - 1
        outside = int(np.count_nonzero((place < 0) | (numbers >= edges[-1])))
        if outside:
            raise BadRequest(
                f"{counted(outside, 'value is', 'values are')} in no bin: bins must cover all values",
                column=name,
                parameter="bins",
            )
        whole = kind is ColumnType.INTEGER and bool((edges == np.round(edges)).all())
        return bin_labels(query.bins[name], whole=whole, unit=query.units.get(name, "")), place.astype(np.int64)
    if name in query.labels:
        mapping = query.labels[name]
        lacking = sum(value not in mapping for value in held)
        if lacking:
            raise BadRequest(
                f"{counted(lacking, 'value has', 'values have')} no label", column=name, parameter="labels"
            )
        labels = tuple(sorted(set(mapping.values())))
        number = {label: at for at, label in enumerate(labels)}
        return labels, np.array([number[mapping[value]] for value in held], np.int64)
    return tuple(held), np.arange(len(held))
