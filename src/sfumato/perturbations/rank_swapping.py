"""Rank swapping: every value is exchanged with one that stands near it in the order of the column."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.perturbation import Perturbation, PerturbationTraits, Perturbed
from sfumato.contracts.thing import column as named
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.data.schema import ColumnType
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Ints
from sfumato.perturbations._reading import KEEP, REFUSE, present, refuse_unknown, values

__all__ = ["RankSwapping", "swap_ranks"]

_TRIES = 8


class RankSwapping(Perturbation):
    """Every value is exchanged with one that stands near it in the order of the column.

    The ``n`` values are sorted, equal ones in random order. From the smallest on, each value that was not yet exchanged is
    exchanged with a random one, not yet exchanged either, whose rank differs by at most ``floor(p n / 100)``; if there is
    none, it stays. The values of the column are exactly the same ones, so its distribution is; relations to other columns
    blur with growing ``p``. ``p = 0`` changes nothing.

    Examples
    --------
    >>> from sfumato.engines import from_rows
    >>> table = from_rows(["age"], [(3,), (1,), (4,), (15,), (9,)])
    >>> made = RankSwapping(column="age", p=40).apply(table, np.random.default_rng(7))
    >>> sorted(made.values("age")), made.facts["window"]
    ([1, 3, 4, 9, 15], 2)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 3.3.2. The range printed there is a
    range of ranks.
    Moore, "Controlled data-swapping techniques for masking public use microdata sets", 1996.
    """

    id: ClassVar[str] = "rank-swapping"
    traits: ClassVar[PerturbationTraits] = PerturbationTraits(records="kept", randomness="generator")

    column: str = named("sensitive", doc="column of numbers or dates whose values are exchanged")
    p: float = param(ge=0, le=100, doc="largest difference in rank, in percent of the records")
    missing: str = param(
        default=REFUSE, choices=(REFUSE, KEEP), doc="whether missing values are refused or stay missing"
    )

    def draw(self, table: Table, rng: np.random.Generator) -> Perturbed:
        """Return the column after the exchange."""
        refuse_unknown(table, [self.column], f"{self.id}.column")
        kind = table.types[self.column]
        if not kind.numeric and kind not in (ColumnType.DATE, ColumnType.DATETIME):
            raise BadRequest("needs numbers or dates", column=self.column, parameter=self.id, value=str(kind))
        rows = np.flatnonzero(present(table, [self.column], self.missing, f"{self.id}.missing"))
        held = values(table, self.column)
        shuffled = rng.permutation(rows)
        order = np.array(sorted(shuffled.tolist(), key=held.__getitem__), np.int64)
        window = rank_window(self.p, len(order))
        source = swap_ranks(len(order), window, rng)
        new = list(held)
        for to, origin in zip(order.tolist(), order[source].tolist(), strict=True):
            new[to] = held[origin]
        return Perturbed(
            self,
            {self.column: new},
            table.rows,
            (
                say("keeps.often", column=self.column),
                say("keeps.ranks", window=window),
            ),
            facts={"window": window},
            private={"largest_shift": int(np.abs(source - np.arange(len(order))).max())},
        )


def rank_window(p: float, count: int) -> int:
    """Return ``floor(p count / 100)``; a product that misses a whole number by rounding counts as whole.

    >>> rank_window(20, 10), rank_window(0.7, 1000)
    (2, 7)
    """
    return int(np.floor(round(p * count / 100, 9)))


def swap_ranks(count: int, window: int, rng: np.random.Generator) -> Ints:
    """Return for each rank the rank whose value it takes; no two are further apart than the window.

    Going up, a value that found nobody has no free neighbour left, so partners are looked for above only.
    """
    source = np.arange(count, dtype=np.int64)
    if window == 0:
        return source
    free = np.ones(count, bool)
    chances = rng.random((count, _TRIES))
    for rank in range(count - 1):
        if not free[rank]:
            continue
        reach = min(window, count - 1 - rank)
        for chance in chances[rank]:
            partner = rank + 1 + int(chance * reach)
            if free[partner]:
                break
        else:
            left = np.flatnonzero(free[rank + 1 : rank + 1 + reach])
            if not len(left):
                continue
            partner = rank + 1 + int(left[rng.integers(len(left))])
        source[rank], source[partner] = partner, rank
        free[rank] = free[partner] = False
    return source
