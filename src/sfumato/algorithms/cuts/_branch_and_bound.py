"""Branch and bound: open the part of the search space that promises most, leave out parts that cannot hold anything better.

A search space hands out *parts*: sets of solutions, each with a lower bound of what its solutions cost. Opening a part offers
solutions and gives smaller parts. At any time the best solution and the smallest bound of the parts left enclose the
optimum; the search ends when they meet, or when a limit, a deadline or an interruption says so.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen

__all__ = ["Best", "Clock", "Explored", "Parts", "SearchSpace", "Stopped", "explore"]

# So many parts may wait; beyond it the newest come first, which needs no more room than the search is deep.
_WAITING = 200_000

S = TypeVar("S")  # a solution
P = TypeVar("P")  # a part
P_co = TypeVar("P_co", covariant=True)


class Stopped(Exception):
    """Raised by the clock inside a step: the search ends with what it has."""


class Clock:
    """Says when to stop: after a time, after a number of parts opened, or when somebody asks."""

    def __init__(self, run: Run, node_limit: int | None) -> None:
        self.run = run
        self.node_limit = node_limit
        self.nodes = 0
        self.reason: str | None = None

    def check(self) -> None:
        """Raise :class:`Stopped` if it is time; the reason is kept. For use inside long steps."""
        self.reason = self.run.stopping() or self.reason
        if self.reason is not None:
            raise Stopped

    def count(self) -> None:
        """Count one more part, or raise :class:`Stopped` if no more may be opened."""
        self.check()
        if self.node_limit is not None and self.nodes >= self.node_limit:
            self.reason = "node_limit"
            raise Stopped
        self.nodes += 1


@dataclass
class Best(Generic[S]):
    """The cheapest solution so far; with ``ties`` all of equal cost are kept.

    Costs within ``slack`` (a share of the cost) are equal: 0 for whole numbers, more for sums of real numbers.
    """

    cost: float
    solution: S
    ties: bool = False
    slack: float = 0.0
    tied: list[S] = field(default_factory=list)

    def offer(self, cost: float, solution: S) -> bool:
        """Take a solution if it is better; return whether it was."""
        margin = self._margin()
        if cost < self.cost - margin:
            self.cost, self.solution, self.tied = cost, solution, [solution]
            return True
        if self.ties and cost <= self.cost + margin and solution not in self.tied:
            self.tied.append(solution)
        return False

    def _margin(self) -> float:
        # Without slack costs are whole numbers of any length and never meet a real one.
        return self.slack * abs(self.cost) if self.slack else 0

    def worth(self, bound: float) -> bool:
        """Tell whether solutions that cost at least ``bound`` could be of interest."""
        margin = self._margin()
        return bound <= self.cost + margin if self.ties else bound < self.cost - margin


class Parts(Protocol[P_co]):
    """Smaller parts of a part, cheapest bound first, made one by one when their turn comes."""

    @property
    def bounds(self) -> Sequence[float]:
        """Lower bounds, rising."""

    def make(self, index: int) -> P_co:
        """Return one part."""


class SearchSpace(Protocol[P, S]):
    """What can be searched: how to open a part."""

    def open(self, part: P, best: Best[S], clock: Clock) -> Parts[P]:
        """Offer solutions of the part and return what is left of it."""


@frozen
class Explored:
    """How a search ended: no solution costs less than ``lower_bound``."""

    lower_bound: float
    nodes: int
    stopped: str | None


class _Whole(Generic[P]):
    """The one part that is everything."""

    def __init__(self, part: P, bound: float) -> None:
        self.part = part
        self.bounds = [bound]

    def make(self, index: int) -> P:
        return self.part


def explore(space: SearchSpace[P, S], whole: P, bound: float, best: Best[S], clock: Clock) -> Explored:
    """Search until nothing is left that could be better, or the clock says stop.

    ``bound`` is a lower bound for everything. Ties between bounds go to the part that was made first.
    """
    waiting: list[tuple[float, int, Parts[P], int]] = [(bound, 0, _Whole(whole, bound), 0)]
    newest: list[tuple[float, int, Parts[P], int]] = []
    serial = 1
    floor = bound
    entry: tuple[float, int, Parts[P], int] | None = None

    def left() -> float:
        """Return the smallest bound of what is left, never below what was known before."""
        open_bounds = [one[0] for one in newest] + ([waiting[0][0]] if waiting else [])
        open_bounds += [entry[0]] if entry is not None else []
        return max(floor, min([best.cost, *open_bounds]))

    try:
        while waiting or newest:
            entry = newest.pop() if newest else heapq.heappop(waiting)
            if not best.worth(entry[0]):
                entry = None
                continue
            floor = left()
            clock.count()
            parts, index = entry[2], entry[3]
            found = space.open(parts.make(index), best, clock)
            entry = None
            queue = newest if len(waiting) >= _WAITING else None
            for later in ((parts, index + 1), (found, 0)):
                if later[1] < len(later[0].bounds):
                    one = (later[0].bounds[later[1]], serial, *later)
                    serial += 1
                    if queue is None:
                        heapq.heappush(waiting, one)
                    else:
                        queue.append(one)
            clock.run.progress.tick(clock.nodes, f"best {best.cost:,}, no less than {floor:,}")
    except Stopped:
        return Explored(left(), clock.nodes, clock.reason)
    return Explored(best.cost, clock.nodes, None)
