"""Attacks on a series: what an adversary has who kept every release, and what she knows of her victims' comings and goings."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from sfumato.contracts.attack import Attack, Risk
from sfumato.contracts.knowledge import Knowledge, Names, Seen, knows
from sfumato.contracts.run import Run
from sfumato.errors import BadRequest
from sfumato.sequels.series import Series

__all__ = ["SeriesAttack", "SeriesKnowledge", "SeriesSeen"]


@dataclass(frozen=True, eq=False, kw_only=True)
class SeriesSeen(Seen):
    """How an adversary reads a series: all its releases; as a table she has the newest one."""

    series: Series


@dataclass(frozen=True, kw_only=True, eq=False)
class SeriesKnowledge(Knowledge):
    """What an adversary of a series may know."""

    known: Names = knows((), "the columns that an adversary knows of a victim", said="qid")
    learn: Names = knows((), "the column that an adversary wants to learn", said="sensitive")


class SeriesAttack(Attack[SeriesKnowledge]):
    """An attack on a whole series."""

    @abstractmethod
    def on(self, series: Series, knowledge: SeriesKnowledge, run: Run) -> Risk:
        """Return the risk that all releases together leave to the victims."""

    def run(self, seen: Seen, knowledge: SeriesKnowledge, run: Run) -> Risk:
        """Try it on the series that is seen; a single release is refused."""
        if not isinstance(seen, SeriesSeen):
            raise BadRequest(f"{self.id} compares releases: give a series of them", parameter="release")
        return self.on(seen.series, knowledge, run)
