"""Conclude from all views what somebody's value can be, whatever the table behind them was."""

from __future__ import annotations

from typing import ClassVar

from sfumato.contracts.attack import AttackTraits, Details, Risk, spread
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.views.attack import ViewAttack, ViewKnowledge
from sfumato.views.models.sp_view_kanon_check import SPViewKAnonymity
from sfumato.views.view_set import ViewSet

__all__ = ["ViewCoverAttack", "ViewCoverDetails"]


@frozen(eq=False)
class ViewCoverDetails(Details):
    """How many persons have a cover, how many of them a single value, and the smallest cover."""

    persons: int
    certain: int
    smallest: int | None


class ViewCoverAttack(ViewAttack):
    """Find the fewest values among which somebody's must be in every table that gives these views.

    The risk of a person is one over the size of her smallest association cover (see ``sp-view-kanon-check``); whoever has none
    is not a victim. The first known column names persons, the first one to learn holds the values.

    Adversary: recipients who put all views together, know their queries and that all are of one table.

    Examples
    --------
    >>> one = {"Name": ["Ann", "Bob", "Cal"], "Job": ["Cook", "Cook", "Lawyer"]}
    >>> two = {"Job": ["Cook", "Cook", "Lawyer"], "Ill": ["a", "b", "c"]}
    >>> views = ViewSet.of_answers({"V1": one, "V2": two})
    >>> ViewCoverAttack().on_views(views, ViewKnowledge(known=("Name",), learn=("Ill",)), Run()).per_victim.tolist()
    [0.5, 0.5, 1.0]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 8.2.
    """

    id: ClassVar[str] = "view-cover-attack"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"attribute"}),
        knowledge="every view and its query",
        needs=frozenset({"qid", "sensitive"}),
        victims="records",
    )
    adversary: ClassVar[str] = say("adversary.sp-view-kanon-check")

    def on_views(self, views: ViewSet, knowledge: ViewKnowledge, run: Run) -> Risk:
        """Count the smallest cover of everybody who has one."""
        if not knowledge.known or not knowledge.learn:
            raise BadRequest(f"{self.id} needs a column that names persons, and one to learn", parameter="qid")
        run.stage("looking for covers")
        covers = SPViewKAnonymity(k=1, identifier=knowledge.known[0], sensitive=knowledge.learn[0]).covers(views)
        beliefs = 1 / covers.sizes
        highest, mean = spread(beliefs)
        details = ViewCoverDetails(
            persons=len(covers), certain=int((covers.sizes == 1).sum()), smallest=covers.smallest
        )
        reading = say(
            "reading.view_cover", persons=details.persons, certain=details.certain, highest=highest, mean=mean
        )
        return Risk(attack=self.id, per_victim=beliefs, highest=highest, mean=mean, reading=reading, details=details)
