"""Which nodes of a lattice to count next: those that are likely to settle most others, by what the counted ones tell.

How many records a node leaves out follows roughly from its levels, one after the other. That is learned while nodes are
counted, and decides only which node comes next: a wrong guess costs time and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, log
from typing import TYPE_CHECKING

import numpy as np

from sfumato.algorithms.lattice._cost import AttributeCost, Tally
from sfumato.algorithms.lattice._forecast_kernels import apart, best_guess, count_below, expected
from sfumato.kernels.arrays import Floats, Ints
from sfumato.searches.lattice import Node

if TYPE_CHECKING:
    from sfumato.algorithms.lattice._space import Space

__all__ = ["Forecast"]

_STEPS = 4  # numbers of records left out that are told apart
_RECENT = 20  # errors that say how sure a guess is
_SURE = 0.15  # what a guess is wrong by at least, in log odds
_TRUST = 1.0  # against a level that deviates from what its entropy says
_CANDIDATES = 512
_LARGE = 1 << 16  # nodes of a lattice that takes long to look over
_FEW = 12  # places that are chosen at once in a smaller one
_OFTEN = 16  # choices after which the steps are laid out anew


class _Shares:
    """Shares of records that nodes leave out: log odds that add up over attributes, learned by ridge regression.

    The prior is a straight line in the bits that a record shows; each level deviates from it as far as counted nodes say.
    Several shares are learned from the same nodes; ``error`` speaks of the first.
    """

    def __init__(self, bits: Floats, records: int, shares: int) -> None:
        self.records = records
        self.shape = bits.shape
        self.bits = bits / max(float(bits.max(axis=1).sum()), 1e-9)
        self.square = np.diag([1e-3, 1e-3, *np.full(bits.size, _TRUST)])
        self.right = np.zeros((2 + bits.size, shares))
        self.found: Floats | None = None
        self.error = 1.0
        self._starts = 2 + np.arange(len(bits)) * bits.shape[1]
        self._squares: list[float] = []

    def learn(self, node: Node, left_out: Sequence[int]) -> None:
        """Take note of what a node leaves out."""
        own = self._starts + node
        features = np.zeros(len(self.right))
        features[0] = 1.0
        features[1] = self.bits.reshape(-1)[own - 2].sum()
        features[own] = 1.0
        odds = np.array([log_odds(count, self.records) for count in left_out])
        if self.found is not None:
            self._squares = [*self._squares[1 - _RECENT :], float(features @ self.found[:, 0] - odds[0]) ** 2]
            self.error = max(_SURE, (sum(self._squares) / len(self._squares)) ** 0.5)
        self.square += features[:, None] * features
        self.right += features[:, None] * odds

    def lines(self) -> list[Floats]:
        """Return for each share what each level of each attribute contributes to its log odds."""
        solved = np.asarray(np.linalg.solve(self.square, self.right), np.float64)
        self.found = solved
        out = []
        for found in solved.T:
            own = found[2:].reshape(self.shape) + found[1] * self.bits
            own[0] += found[0]
            out.append(own)
        return out


def log_odds(count: float, records: int) -> float:
    """Return the log odds of a share, kept away from none and all.

    >>> log_odds(50, 100)
    0.0
    """
    share = min(max(count / records, 0.5 / records), 1 - 0.5 / records)
    return log(share / (1 - share))


class Forecast:
    """What nodes that are not yet counted leave out, what they cost and how many others they settle."""

    def __init__(self, space: Space, cost: AttributeCost) -> None:
        search = space.search
        self.space = space
        self.records, self.budget = search.task.table.records, search.budget
        # Where a node below may keep a group that fails, two numbers are learned: what must go below, too, and what fails.
        self.shares = _Shares(cost.shown_bits, self.records, 1 if search.judge.shrinking else 2)
        self.base = space.laid_out(cost.shares())
        self.rate = space.laid_out(cost.leaving_shares)
        self.counted = np.zeros(space.size, bool)
        self._steps: tuple[float, int, Floats, Ints] = (inf, 0, np.zeros(0), np.zeros(0, np.int64))

    def learn(self, place: int, tally: Tally) -> None:
        """Take note of a counted node."""
        self.counted[place] = True
        self.shares.learn(tally.node, (tally.lasting, tally.left_out)[: self.shares.right.shape[1]])

    def next(self) -> list[int]:
        """Return the places to count next: the one that should cost least, and those that should settle most."""
        space = self.space
        if not self.counted.any():
            return [int(np.rint(space.top * share).astype(np.int64) @ space.strides) for share in (0.5, 0.25, 0.75)]
        lines = self.shares.lines()
        failing = space.laid_out(lines[-1])
        best = space.search.best
        score = inf if best is None else best.score
        may = inf if self.budget >= self.records else log_odds(self.budget + 0.5, self.records)
        wish = best_guess(space.floors, failing, self.base, self.rate, float(self.records), may, score)
        if wish >= 0:
            return [wish]  # the better the best, the more a node settles
        lasting = failing if len(lines) == 1 else space.laid_out(lines[0])
        needs, step = self._laid()
        # In a large lattice what is far below the best counts for more: whoever stops early then has a smaller gap.
        weights = (space.floors < inf).astype(np.float64)
        if space.size > _LARGE and space.limit < inf:
            weights = np.where(space.floors < inf, 1.0 - space.floors / space.limit, 0.0)
        below = count_below(weights, step, len(needs), space.strides, np.array(space.shape, np.int64))
        odds = np.array([log_odds(need, self.records) for need in needs])
        # A node known to be valid leaves out no more than it may.
        over = int(np.searchsorted(needs, self.budget, side="right")) if space.search.judge.upward else len(needs)
        error, counted = self.shares.error, self.counted
        gains = expected(weights, below, lasting, odds, error, counted, space.known, over)
        return self._chosen(np.asarray(gains, np.float64))

    def _laid(self) -> tuple[Floats, Ints]:
        """Return a few numbers of records, and the first of them that settles each node if a node above leaves out as many."""
        space = self.space
        limit, asked, needs, step = self._steps
        if limit == space.limit and asked % _OFTEN:
            self._steps = (limit, asked + 1, needs, step)
            return needs, step
        need = np.full(space.size, self.budget + 1.0)
        if space.limit < inf:
            np.minimum(need, np.maximum((space.limit - self.base) / np.maximum(self.rate, 1e-300), 0.5), out=need)
        needs = np.unique(np.quantile(need[space.floors < inf], (1 + np.arange(_STEPS)) / _STEPS))
        step = np.minimum(np.searchsorted(needs, need), len(needs) - 1)
        self._steps = (space.limit, 1, needs, step)
        return needs, step

    def _chosen(self, gains: Floats) -> list[int]:
        """Return the places that should settle most; what two of them settle is counted once."""
        space = self.space
        most = 32 if space.size > _LARGE else _FEW
        places = np.flatnonzero(2 * gains >= gains.max())  # less than half of the best is not worth a guess
        if len(places) > _CANDIDATES:
            places = np.sort(places[np.argsort(-gains[places], kind="stable")[:_CANDIDATES]])
        return [int(place) for place in apart(gains, space.floors, places, space.strides, most)]
