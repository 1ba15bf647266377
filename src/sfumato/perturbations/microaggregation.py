"""Microaggregation: every number is replaced by the mean or median of a group of records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.contracts.engine import Table
from sfumato.contracts.perturbation import Perturbation, PerturbationTraits, Perturbed
from sfumato.contracts.thing import columns as named
from sfumato.contracts.thing import param
from sfumato.errors import BadRequest
from sfumato.perturbations.reading import KEEP, REFUSE, matrix, present, refuse_repeats, refuse_unknown, values

__all__ = ["Microaggregation", "aggregate", "groups_of_neighbours"]

FloatArray = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Microaggregation(Perturbation):
    """Every number is replaced by the mean or median of a group of at least k records.

    Groups are given by equal values in the columns ``by``, or made for each column on its own: the values are sorted and
    every ``k`` neighbours form a group, the last one holding what is left, fewer than ``2 k``. Means keep the total of every
    group, and so of the column. Each published number stands for at least ``k`` records. Groups of single columns say
    nothing about combinations: a record can still be unique in two columns together.

    Examples
    --------
    >>> from sfumato.engines import from_rows
    >>> table = from_rows(["age"], [(30,), (61,), (34,), (59,), (66,)])
    >>> Microaggregation(columns=("age",), k=2).apply(table, np.random.default_rng(7)).values("age")
    [32.0, 62.0, 32.0, 62.0, 62.0]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 3.3.
    Domingo-Ferrer, Mateo-Sanz, "Practical data-oriented microaggregation for statistical disclosure control", 2002,
    doi:10.1109/69.979982.
    """

    id: ClassVar[str] = "microaggregation"
    traits: ClassVar[PerturbationTraits] = PerturbationTraits(records="kept", randomness="none")

    columns: tuple[str, ...] = named("quasi-identifier", doc="numeric columns that are averaged")
    k: int = param(ge=1, doc="fewest records of a group")
    by: tuple[str, ...] = named("quasi-identifier", default=(), doc="columns whose equal values make a group")
    statistic: str = param(default="mean", choices=("mean", "median"), doc="what stands for a group")
    decimals: int | None = param(
        default=None, ge=0, doc="digits after the decimal point that are published; all if not set"
    )
    missing: str = param(
        default=REFUSE, choices=(REFUSE, KEEP), doc="whether missing values are refused or stay missing"
    )

    def validate(self) -> None:
        """Refuse to group by a column that is averaged."""
        refuse_repeats(self.columns, f"{self.id}.columns")
        both = sorted(set(self.columns) & set(self.by))
        if both:
            raise BadRequest("is averaged and cannot make groups", parameter=f"{self.id}.by", value=both[0])

    def draw(self, table: Table, rng: np.random.Generator) -> Perturbed:
        """Return the averaged columns; nothing is drawn."""
        data = matrix(table, self.columns, f"{self.id}.columns")
        refuse_unknown(table, self.by, f"{self.id}.by")
        given = _groups(table, self.by) if self.by else None
        new: dict[str, npt.NDArray[Any]] = {}
        facts: dict[str, Any] = {"smallest_group": {}, "groups": {}}
        for at, name in enumerate(self.columns):
            rows = present(table, [name], self.missing, f"{self.id}.missing")
            numbers = data[rows, at]
            if len(numbers) < self.k:
                raise BadRequest(
                    f"must be at most the number of values, {len(numbers)}",
                    column=name,
                    parameter=f"{self.id}.k",
                    value=self.k,
                )
            groups = groups_of_neighbours(numbers, self.k) if given is None else _renumbered(given[rows])
            sizes = np.bincount(groups)
            small = int((sizes < self.k).sum())
            if small:
                raise BadRequest(
                    f"{small} of {len(sizes)} groups hold fewer than {self.k} values",
                    column=name,
                    parameter=f"{self.id}.by",
                )
            published = np.full(len(data), np.nan)
            published[rows] = aggregate(numbers, groups, self.statistic)
            new[name] = published if self.decimals is None else np.round(published, self.decimals)
            facts["smallest_group"][name], facts["groups"][name] = int(sizes.min()), len(sizes)
        return Perturbed(self, new, table.rows, self._keeps(), facts=facts)

    def _keeps(self) -> tuple[str, ...]:
        if self.statistic == "median":
            return ("the number of records of each group", "the median of each group")
        exactly = "exactly" if self.decimals is None else "up to rounding"
        return ("the number of records of each group", f"the mean of each group and of each column, {exactly}")


def aggregate(numbers: FloatArray, groups: Ints, statistic: str = "mean") -> FloatArray:
    """Return for each record the mean or median of its group; groups are numbered from 0 without gaps.

    >>> aggregate(np.array([1.0, 2.0, 9.0]), np.array([0, 0, 1])).tolist()
    [1.5, 1.5, 9.0]
    """
    sizes = np.bincount(groups)
    if statistic == "mean":
        # Differences to the overall mean are summed, so that large numbers lose no digits.
        centre = numbers.mean()
        return np.asarray((centre + np.bincount(groups, numbers - centre) / sizes)[groups])
    order = np.lexsort((numbers, groups))
    first = np.cumsum(sizes) - sizes
    low, high = numbers[order[first + (sizes - 1) // 2]], numbers[order[first + sizes // 2]]
    return np.asarray(((low + high) / 2)[groups])


def groups_of_neighbours(numbers: FloatArray, k: int) -> Ints:
    """Return group numbers of k neighbours in sorted order; the last group takes the rest.

    >>> groups_of_neighbours(np.array([5.0, 1.0, 4.0, 2.0, 3.0]), 2).tolist()
    [1, 0, 1, 0, 1]
    """
    groups = np.empty(len(numbers), np.int64)
    last = max(len(numbers) // k - 1, 0)
    groups[np.argsort(numbers, kind="stable")] = np.minimum(np.arange(len(numbers)) // k, last)
    return groups


def _groups(table: Table, by: tuple[str, ...]) -> Ints:
    numbers: dict[tuple[Any, ...], int] = {}
    records = zip(*(values(table, name) for name in by), strict=True)
    return np.array([numbers.setdefault(record, len(numbers)) for record in records], np.int64)


def _renumbered(groups: Ints) -> Ints:
    return np.unique(groups, return_inverse=True)[1].astype(np.int64)
