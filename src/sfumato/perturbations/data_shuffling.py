"""Data shuffling: confidential values are dealt out anew in an order that other columns explain as well as before."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from statistics import NormalDist
from typing import Any, ClassVar

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.perturbation import Perturbation, PerturbationTraits, Perturbed
from sfumato.contracts.thing import columns as named
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.data.schema import ColumnType
from sfumato.data.text import to_text
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Floats, Ints
from sfumato.perturbations._reading import REFUSE, present, refuse_repeats, refuse_unknown, values

__all__ = ["DataShuffling", "conditional_deviation", "in_order_of", "normal_correlation", "normal_scores"]

_ORDERED = (ColumnType.DATE, ColumnType.DATETIME, ColumnType.BOOLEAN)
_LEAST = 1e-9


class DataShuffling(Perturbation):
    """Confidential values are dealt out anew in an order that the other columns explain as well as before.

    ``columns`` are confidential (X), ``given`` are not (S). (1) Ranks, ties broken at random, become normal scores
    ``Phi^-1((rank - 0.5) / n)``. (2) Rank correlations ``rho`` become correlations ``r = 2 sin(pi rho / 6)`` of a normal
    distribution; where they contradict each other, negative eigenvalues are lifted and the diagonal is set to 1 again.
    (3) ``Y* = R_XS R_SS^-1 S* + e`` with ``e ~ N(0, R_XX - R_XS R_SS^-1 R_SX)``, drawn without looking at X. (4) In each
    column the record with the i-th smallest ``Y*`` gets the i-th smallest value of X.

    So every column keeps its values exactly, relations that rise or fall throughout stay on average, and, given S, who has
    which value tells nothing about X. Columns hold numbers, dates or truth values, or words whose order is given in ``orders``.

    Examples
    --------
    >>> from sfumato.engines import from_rows
    >>> table = from_rows(["age", "pay"], [(30, 10), (61, 90), (34, 20), (59, 80), (66, 70)])
    >>> made = DataShuffling(columns=("pay",), given=("age",)).apply(table, np.random.default_rng(7))
    >>> sorted(made.values("pay"))
    [10, 20, 70, 80, 90]

    References
    ----------
    Muralidhar, Sarathy, "Data shuffling: a new masking approach for numerical data", Management Science 52(5), 2006,
    doi:10.1287/mnsc.1050.0503.
    """

    id: ClassVar[str] = "data-shuffling"
    traits: ClassVar[PerturbationTraits] = PerturbationTraits(records="kept", randomness="generator")

    columns: tuple[str, ...] = named("sensitive", doc="columns whose values are dealt out anew")
    given: tuple[str, ...] = named("quasi-identifier", default=(), doc="columns whose relation to them stays")
    orders: Mapping[str, Sequence[Hashable]] | None = param(
        default=None, doc="for columns of words: all their values, from low to high"
    )

    def validate(self) -> None:
        """Refuse a column that is both dealt out and given, and orders that name a value twice."""
        refuse_repeats(self.columns, f"{self.id}.columns")
        both = sorted(set(self.columns) & set(self.given))
        if both:
            raise BadRequest("is dealt out anew already", parameter=f"{self.id}.given", value=both[0])
        where = f"{self.id}.orders"
        if self.orders is None:
            return
        if not isinstance(self.orders, Mapping):
            raise BadRequest("must map columns to lists of values", parameter=where, value=self.orders)
        for name, order in self.orders.items():
            if name not in (*self.columns, *self.given):
                raise BadRequest("is not one of the columns", parameter=where, value=name)
            if isinstance(order, str) or not isinstance(order, Sequence) or len({*map(to_text, order)}) != len(order):
                raise BadRequest("must list each value once", column=name, parameter=where)
        object.__setattr__(self, "orders", {name: list(order) for name, order in self.orders.items()})

    def draw(self, table: Table, rng: np.random.Generator) -> Perturbed:
        """Return the confidential columns after they were dealt out anew."""
        for names, parameter in ((self.columns, "columns"), (self.given, "given")):
            refuse_unknown(table, names, f"{self.id}.{parameter}")
        every = (*self.columns, *self.given)
        if table.rows < 3:
            raise BadRequest("needs at least 3 records", parameter=self.id, value=table.rows)
        present(table, every, REFUSE, f"{self.id}.columns")
        ranks = np.column_stack([self._ranks(table, name, rng) for name in every])
        drawn = self._drawn(ranks, rng)
        new: dict[str, list[Hashable]] = {}
        changed = np.zeros(table.rows, bool)
        for at, name in enumerate(self.columns):
            held = values(table, name)
            ordered = [held[row] for row in np.argsort(ranks[:, at], kind="stable").tolist()]
            new[name] = _dealt(ordered, drawn[:, at])
            changed |= np.array([old != now for old, now in zip(held, new[name], strict=True)])
        kept = [say("keeps.often", column=name) for name in self.columns]
        if len(every) > 1:
            kept.append(say("keeps.rank_correlations", names=", ".join(every)))
        return Perturbed(self, new, table.rows, tuple(kept), private={"records_changed": int(changed.sum())})

    def _ranks(self, table: Table, name: str, rng: np.random.Generator) -> Ints:
        """Return the rank of each record from 0 on; equal values stand in random order."""
        order = (self.orders or {}).get(name)
        kind = table.types[name]
        if order is None and not kind.numeric and kind not in _ORDERED:
            raise BadRequest(
                "holds words without an order; give one in orders", column=name, parameter=f"{self.id}.orders"
            )
        found: Sequence[Any] = table.dictionary(name).values
        if len(found) < 2:
            raise BadRequest("holds one value only", column=name, parameter=self.id)
        place = {to_text(value): at for at, value in enumerate(order if order is not None else sorted(found))}
        outside = sum(to_text(value) not in place for value in found)
        if outside:
            raise BadRequest(
                f"{outside:,} of its values are not in the order", column=name, parameter=f"{self.id}.orders"
            )
        codes = np.array([place[to_text(value)] for value in values(table, name)], np.int64)
        shuffled = rng.permutation(len(codes))
        ranks = np.empty(len(codes), np.int64)
        ranks[shuffled[np.argsort(codes[shuffled], kind="stable")]] = np.arange(len(codes))
        return ranks

    def _drawn(self, ranks: Ints, rng: np.random.Generator) -> Floats:
        """Return ``Y*``: what the given columns tell of the confidential ones, and independent noise."""
        rows, first = len(ranks), len(self.columns)
        rho = np.corrcoef(ranks, rowvar=False).reshape(ranks.shape[1], -1)
        relation = _positive(2 * np.sin(np.pi * rho / 6))
        explained, rest = np.zeros((rows, first)), relation[:first, :first]
        if self.given:
            weights = np.linalg.solve(relation[first:, first:], relation[first:, :first])
            explained = normal_scores(rows)[ranks[:, first:]] @ weights
            rest = rest - relation[:first, first:] @ weights
        root = np.linalg.cholesky(_lifted((rest + rest.T) / 2))
        return np.asarray(explained + rng.standard_normal((rows, first)) @ root.T)


def normal_scores(count: int) -> Floats:
    """Return ``Phi^-1((rank - 0.5) / count)`` for the ranks from 1 to count.

    >>> normal_scores(3).round(4).tolist()
    [-0.9674, 0.0, 0.9674]
    """
    inverse = NormalDist().inv_cdf
    return np.array([inverse((rank + 0.5) / count) for rank in range(count)])


def normal_correlation(rho: float) -> float:
    """Return the correlation of normal scores that have a rank correlation: ``2 sin(pi rho / 6)``.

    >>> round(normal_correlation(0.8), 6)
    0.813473
    """
    return 2 * math.sin(math.pi * rho / 6)


def conditional_deviation(correlation: float) -> float:
    """Return the standard deviation of one normal score when the other one is known: ``sqrt(1 - r^2)``.

    >>> round(conditional_deviation(normal_correlation(0.8)), 6)
    0.581602
    """
    return math.sqrt(1 - correlation * correlation)


def in_order_of(held: Sequence[Any], scores: Floats | Sequence[float]) -> list[Hashable]:
    """Return the values such that the i-th smallest stands where the i-th smallest score does; ties go by place.

    >>> in_order_of([5, 9, 1, 7], [0.3, -1.2, 2.0, 0.1])
    [7, 1, 9, 5]
    """
    return _dealt(sorted(held), np.asarray(scores, np.float64))


def _dealt(ordered: Sequence[Hashable], scores: Floats) -> list[Hashable]:
    dealt: list[Hashable] = [None] * len(ordered)
    for value, row in zip(ordered, np.argsort(scores, kind="stable").tolist(), strict=True):
        dealt[row] = value
    return dealt


def _positive(relation: Floats) -> Floats:
    """Return the correlation matrix with its negative eigenvalues lifted and a diagonal of ones."""
    lifted = _lifted(relation)
    scale = np.sqrt(np.diag(lifted))
    return np.asarray(lifted / np.outer(scale, scale))


def _lifted(matrix: Floats) -> Floats:
    """Return a symmetric matrix whose eigenvalues are positive: as it is, or with the others lifted to almost nothing."""
    found, vectors = np.linalg.eigh(matrix)
    return matrix if found[0] >= _LEAST else np.asarray((vectors * np.maximum(found, _LEAST)) @ vectors.T)
