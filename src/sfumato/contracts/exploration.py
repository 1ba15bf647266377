"""What an exploration found: the choices of levels that satisfy a policy, what each costs, and what a stricter policy would."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from math import inf, isfinite

from sfumato.contracts.facts import OptimalFacts
from sfumato.contracts.levels import FinerLevel, Point
from sfumato.data.frozen import frozen

__all__ = ["Exploration", "Height", "Solution"]

Node = tuple[int, ...]


@frozen
class Solution:
    """A choice of levels that satisfies every requirement.

    ``score`` is the metric's value, lower is better. ``left_out`` records in ``groups_left_out`` groups are not published;
    ``groups_kept`` groups are, the smallest with ``smallest_group`` records. ``minimal``: no satisfying choice has a level
    finer and none coarser. ``optimal``: nothing scores better, and that is proven.
    """

    levels: Mapping[str, int]
    score: float
    left_out: int
    groups_left_out: int
    groups_kept: int
    smallest_group: int
    minimal: bool
    optimal: bool

    @property
    def node(self) -> Node:
        """The levels alone, in the order of the columns."""
        return tuple(self.levels.values())


@frozen
class Height:
    """The choices of one height: how many there are, and of how many it is known that they satisfy or do not."""

    height: int
    nodes: int
    satisfied: int
    violated: int


@frozen(kw_only=True)
class Exploration:
    """The satisfying choices of levels of a table, under some requirements and a suppression limit.

    ``solutions`` are the best ones, best first, and all of them if ``every`` was asked for; ``complete`` says whether no
    better one can be missing. ``minimal`` is the frontier: choices with no satisfying choice below them; ``minimal_known``
    says whether it is whole. ``best`` costs at least ``bound``, and is ``proven`` if nothing costs less. ``lattice`` is the
    number of choices there are, ``checks`` how many were counted. ``why`` says for each column of the best what stops a finer
    level; it stays in the house, as an example in it may be finer than what is published. ``curve`` is the best choice for
    each k, or for each suppression limit where no k is asked for. ``heights`` counts the choices by the sum of their
    levels, and ``states`` has every single one where they are few.
    """

    metric: Mapping[str, object]
    records: int
    allowed: int
    columns: tuple[str, ...]
    top: Node
    solutions: tuple[Solution, ...]
    minimal: tuple[Solution, ...]
    bound: float
    proven: bool
    complete: bool
    minimal_known: bool
    lattice: int
    checks: int
    why: tuple[FinerLevel, ...]
    curve: tuple[Point, ...]
    heights: tuple[Height, ...] = field(repr=False)
    states: Mapping[Node, bool] = field(repr=False)

    @property
    def best(self) -> Solution:
        """The best choice found."""
        return self.solutions[0]

    def document(self) -> dict[str, object]:
        """Return everything as plain data that can be written to a file, without the examples of ``why``."""
        return {
            "metric": dict(self.metric),
            "records": self.records,
            "records_that_may_be_left_out": self.allowed,
            "columns": dict(zip(self.columns, self.top, strict=True)),
            "lattice": self.lattice,
            "checks": self.checks,
            "proven": self.proven,
            "bound": self.bound if isfinite(self.bound) else None,
            "complete": self.complete,
            "minimal_known": self.minimal_known,
            "solutions": [_plain(solution) for solution in self.solutions],
            "minimal": [dict(solution.levels) for solution in self.minimal],
            "why": [{key: value for key, value in entry.document().items() if key != "example"} for entry in self.why],
            "curve": [_plain(point) for point in self.curve],
            "heights": [vars(height) for height in self.heights],
        }

    def facts(self) -> OptimalFacts:
        """Return what is known of the best choice, as a search that publishes it tells it."""
        best = self.best
        return OptimalFacts(
            levels=best.levels,
            score=best.score,
            metric=self.metric,
            left_out=best.left_out,
            groups=best.groups_kept + best.groups_left_out,
            groups_kept=best.groups_kept,
            lattice=self.lattice,
            checks=self.checks,
            bound=self.bound if isfinite(self.bound) else None,
            gap=self.gap,
            solutions=(),
            why=self.why,
        )

    @property
    def gap(self) -> float | None:
        """By how much of its score the best could be improved at most; ``None`` if nothing is known."""
        if self.proven:
            return 0.0
        score = self.best.score
        return None if self.bound == -inf or score == 0 else (score - self.bound) / abs(score)


def _plain(entry: Solution | Point) -> dict[str, object]:
    return {key: dict(value) if key == "levels" and value is not None else value for key, value in vars(entry).items()}
