"""Attacks that follow persons from release to release: they run on the holder's copies, which tell whose row is whose."""

from __future__ import annotations

from sfumato.contracts.knowledge import Seen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.sequels.attack import SeriesAttack, SeriesKnowledge, SeriesSeen
from sfumato.sequels.series import Series

__all__ = ["PersonAttack"]


class PersonAttack(SeriesAttack):
    """An attack on a series in which a column tells the rows of one person."""

    def unfit(self, seen: Seen, knowledge: SeriesKnowledge) -> str | None:
        """Say why it cannot be tried: also if nobody tells whose row is whose."""
        asked = super().unfit(seen, knowledge)
        if asked is None and isinstance(seen, SeriesSeen) and seen.series.person is None:
            return say("needs.persons_column")
        return asked

    @staticmethod
    def person_of(series: Series) -> str:
        """Return the column of persons; refuse a series without one."""
        if series.person is None:
            raise BadRequest("say which column tells the rows of one person", parameter="person")
        return series.person
