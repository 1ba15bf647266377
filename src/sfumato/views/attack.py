"""Attacks on views: what recipients have who put their answers together."""

from __future__ import annotations

from abc import abstractmethod

from sfumato.contracts.attack import Attack, Risk
from sfumato.contracts.knowledge import Knowledge, Names, Seen, knows
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.views.view_set import ViewSet

__all__ = ["ViewAttack", "ViewKnowledge", "ViewSeen"]


@frozen(eq=False, kw_only=True)
class ViewSeen(Seen):
    """How colluding recipients read what they were given: all views; as a table they have the first."""

    views: ViewSet


@frozen(kw_only=True, eq=False)
class ViewKnowledge(Knowledge):
    """What colluding recipients may know."""

    known: Names = knows((), say("known.view_columns"), said="qid")
    learn: Names = knows((), say("known.view_learn"), said="sensitive")


class ViewAttack(Attack[ViewKnowledge]):
    """An attack on all views together."""

    @abstractmethod
    def on_views(self, views: ViewSet, knowledge: ViewKnowledge, run: Run) -> Risk:
        """Return the risk that the views leave to the persons behind them."""

    def run(self, seen: Seen, knowledge: ViewKnowledge, run: Run) -> Risk:
        """Try it on the views that are seen; a single table is refused."""
        if not isinstance(seen, ViewSeen):
            raise BadRequest(f"{self.id} reads several views of one table", parameter="release")
        return self.on_views(seen.views, knowledge, run)
