"""The audit of scores: a step that is taken late shows what its holder could have bid before, and did not.

Everybody knows classes, record numbers and how each value parted, so that everybody can count what a step was worth in any
earlier round. It was allowed there: a requirement that refinement can only break held after it, among finer groups, later.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.words import printable
from sfumato.kernels.arrays import Ints
from sfumato.parties.mashup.refinery import HolderRefinery, Parting
from sfumato.searches.refinement import quantized

__all__ = ["Taken", "Underbid", "underbids"]

Willing = Callable[[float, float], bool]
"""Whether a holder that gave and got so much is expected to bid."""


@frozen(eq=False)
class Taken:
    """A step that was taken: in which round, by whom, and how the value parted."""

    round: int
    holder: str
    parting: Parting


@frozen
class Underbid:
    """A step that its holder took late: in ``round`` it was worth more than what won there, and was not bid."""

    holder: str
    attribute: str
    value: str
    round: int
    taken: int
    worth: float
    winner: str
    winning: float

    def words(self) -> str:
        """Say who bid less than it could."""
        return say(
            "party.underbid",
            holder=self.holder,
            attribute=self.attribute,
            value=printable(self.value),
            round=self.round,
            taken=self.taken,
            worth=self.worth,
            winner=self.winner,
            winning=self.winning,
        )


def underbids(
    state: HolderRefinery, steps: Sequence[Taken], holders: Sequence[str], willing: Willing
) -> list[Underbid]:
    """Return the first round in which each late step would have won, unless its holder was free not to bid there.

    With ``Score_t(v)`` what a step on v was worth among the groups of round t: its holder bid less than it could if
    ``Score_t(v)`` exceeds the score of the step that won round t. The last binary digits are forgiven. Only values that are
    refined in the end are seen.
    """
    history = _History(state)
    given = dict.fromkeys(holders, 0.0)
    found: dict[tuple[int, int], Underbid] = {}
    for at, step in enumerate(steps):
        won = history.worth(step.parting)
        if won is None:
            return []  # classes do not decide what a step is worth: nobody else can count it
        for later in steps[at + 1 :]:
            key = (later.parting.index, later.parting.born)
            gave = given[later.holder]
            if key in found or not history.born(*key) or not willing(gave, sum(given.values()) - gave):
                continue
            worth = history.worth(later.parting)
            assert worth is not None
            if _steps(state, worth) > _steps(state, won) + 1:
                name = state.columns[key[0]].name
                found[key] = Underbid(
                    later.holder, name, later.parting.value, step.round, later.round, worth, step.holder, won
                )
        given[step.holder] += won
        history.take(step.parting)
    return list(found.values())


def _steps(state: HolderRefinery, score: float) -> int:
    return int(quantized(np.array([score * state.unit]))[0])


class _History:
    """The groups of a joint search, gone through once more from the beginning."""

    def __init__(self, state: HolderRefinery) -> None:
        self.state, records = state, len(state.task.table)
        self.shown = [np.zeros(records, np.int32) for _ in state.columns]
        self.values = [1] * len(state.columns)
        self.groups = {qid: np.zeros(records, np.int64) for qid in state.partitions}
        self.sizes = {qid: np.array([records]) for qid in state.partitions}
        self._gains: dict[tuple[int, int], float | None] = {}

    def born(self, index: int, value: int) -> bool:
        """Tell whether a value is there already."""
        return value < self.values[index]

    def worth(self, parting: Parting) -> float | None:
        """Return the score that a step has now."""
        rows = np.flatnonzero(self.shown[parting.index] == parting.born)
        key = (parting.index, parting.born)
        if key not in self._gains:
            gain = self.state.gain(parting, rows)
            self._gains[key] = None if gain is None else float(gain[0])
        gained = self._gains[key]
        if gained is None:
            return None
        touched = [qid for qid in self.groups if parting.index in qid]
        loss = sum(self._smallest(qid) - self._smallest(qid, parting, rows) for qid in touched) / len(touched)
        return float(self.state.metric.score(np.array([gained]), np.array([loss]))[0])

    def _smallest(self, qid: tuple[int, ...], parting: Parting | None = None, rows: Ints | None = None) -> int:
        """Return the smallest group, or what it would be after a step: groups part as a whole, records of one are alike."""
        sizes = self.sizes[qid]
        if parting is None or rows is None:
            return int(sizes[sizes > 0].min())
        inside = self.groups[qid][rows]
        left = sizes.copy()
        left[inside] = 0
        parts = np.bincount(inside * len(parting.children) + parting.parts)
        return int(np.concatenate([left[left > 0], parts[parts > 0]]).min())

    def take(self, parting: Parting) -> None:
        """Take a step."""
        index, ways = parting.index, len(parting.children)
        rows = np.flatnonzero(self.shown[index] == parting.born)
        self.shown[index][rows] = self.values[index] + parting.parts
        self.values[index] += ways
        for qid in self.groups:
            if index not in qid:
                continue
            groups, sizes = self.groups[qid], self.sizes[qid]
            _, made, counts = np.unique(groups[rows] * ways + parting.parts, return_inverse=True, return_counts=True)
            sizes[groups[rows]] = 0
            groups[rows] = len(sizes) + made.reshape(-1)
            self.sizes[qid] = np.concatenate([sizes, counts])
