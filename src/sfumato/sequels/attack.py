"""Attacks on a series: what an adversary has who kept every release, and what she knows of her victims' comings and goings."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable
from typing import ClassVar

from sfumato.contracts.attack import Attack, Risk
from sfumato.contracts.knowledge import Knowledge, Names, Seen, knows
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.sequels.series import Series

__all__ = ["SeriesAttack", "SeriesKnowledge", "SeriesSeen"]


@frozen(eq=False, kw_only=True)
class SeriesSeen(Seen):
    """How an adversary reads a series: all its releases; as a table she has the newest one."""

    series: Series


@frozen(kw_only=True, eq=False)
class SeriesKnowledge(Knowledge):
    """What an adversary of a series may know."""

    known: Names = knows((), "the columns that an adversary knows of a victim", said="qid")
    learn: Names = knows((), "the column that an adversary wants to learn", said="sensitive")
    group: str | None = knows(None, "the column that numbers groups", own=True)
    permanent: tuple[Hashable, ...] | None = knows(None, "values that nobody loses", own=True)
    l: int | None = knows(None, "nobody may be linked to one of these with more than 1/l", own=True)


class SeriesAttack(Attack[SeriesKnowledge]):
    """An attack on a whole series; ``about`` are the kinds of series whose releases it understands."""

    about: ClassVar[tuple[str, ...]] = ("sequential", "continuous", "dynamic", "serial")

    def unfit(self, seen: Seen, knowledge: SeriesKnowledge) -> str | None:
        """Say why it cannot be tried: also if releases follow each other in another way than it assumes."""
        kind = seen.series.kind if isinstance(seen, SeriesSeen) else None
        if kind is not None and kind not in self.about:
            return say("needs.kind_of_series", kinds=list(self.about))
        return super().unfit(seen, knowledge)

    @abstractmethod
    def on(self, series: Series, knowledge: SeriesKnowledge, run: Run) -> Risk:
        """Return the risk that all releases together leave to the victims."""

    def run(self, seen: Seen, knowledge: SeriesKnowledge, run: Run) -> Risk:
        """Try it on the series that is seen; a single release is refused."""
        if not isinstance(seen, SeriesSeen):
            raise BadRequest(f"{self.id} compares releases: give a series of them", parameter="release")
        return self.on(seen.series, knowledge, run)
