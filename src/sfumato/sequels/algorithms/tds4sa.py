"""Top-Down Specialization for Sequential Anonymization: the next release, refined as far as the join allows."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Literal

from sfumato.contracts.algorithm import Outcome, Search, SearchTraits
from sfumato.contracts.metric import SearchMetric
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.searches.recorded_run import refine, step_metric
from sfumato.sequels.algorithms._join_refinement import JoinRefinery
from sfumato.sequels.task import SeriesTask

__all__ = ["TDS4SA", "JoinRefinery"]


class TDS4SA(Search[SeriesTask]):
    """Start from the most general next release, perform the specialization of best score until the join forbids every other.

    Given the releases so far, which are frozen, and records with new columns, the *sequential anonymization* problem is to
    generalize the next release on X so that X does not tell Y on the join of all releases, and to keep it useful;
    it contains k-anonymization and is NP-hard. This search begins with every column of X at its root and takes, while one is
    valid, the step ``v -> children(v)`` with the highest ``Score(v) = Gain(v) / (PrivLoss(v) + 1)``. The gain is read off the
    new release alone; ``PrivLoss(v)`` is ``L_Y(X_v) - L_Y(X)`` or ``A_Y(X) - A_Y(X_v)`` on the join, 0 if it is negative or
    ``weigh_loss`` is off. Ties go to the first column of X, then to the first node. Every state on the way is safe.

    The join is never written out. Records of the earlier releases are counted by join attributes and values on X and Y (Tree1);
    groups of the new release know which of these classes they go with, and a step counts again what it touches. Each record
    is moved once for each level of each column.

    If a join attribute lies outside X, or records match nobody, refining can make the series safer: what is published is safe
    all the same, but a refused step is asked again after every other, and that no further step is possible is no theorem.
    Any number of earlier releases is put together class by class (section 9.4).

    Adversary: that of the requirement on the join. Cost: linear in the records for each level of each column, plus the values
    on X that occur on the join.

    Examples
    --------
    >>> from sfumato.engines import read
    >>> from sfumato.sequels.models import XYPrivacyJoin
    >>> from sfumato.sequels.series import Series
    >>> first = {"Sex": ["M", "M", "F", "F"], "Zip": ["Z1", "Z2", "Z1", "Z2"]}
    >>> then = {"Sex": ["M", "M", "F", "F"], "Job": ["Cook", "Clerk", "Cook", "Clerk"], "Test": ["HIV", "Flu", "Flu", "Flu"]}
    >>> earlier = Series.of([first], qid=["Zip"], hierarchies={"Job": {"ANY": ["Cook", "Clerk"]}})
    >>> def safest(h):
    ...     model = XYPrivacyJoin(h=h, x=("T2.Job", "T1.Zip"), y=("T2.Test",), values=("HIV",))
    ...     return TDS4SA().run(SeriesTask(read(then), earlier, [model]), Run()).recodings["Job"].cut
    >>> safest(0.5), safest(0.25)
    (('Cook', 'Clerk'), ('ANY',))

    References
    ----------
    Wang, Fung, "Anonymizing sequential releases", 2006, doi:10.1145/1150402.1150449.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, sections 9.1.3, 9.3 and 9.4.
    """

    id: ClassVar[str] = "tds4sa"
    aliases: ClassVar[tuple[str, ...]] = ("sequential-anonymization", "seq-multi-release")
    traits: ClassVar[SearchTraits] = SearchTraits(
        release="recoded-table",
        optimal=False,
        deterministic=True,
        truthful=True,
        anytime=True,
        cost="linear in the records for each level of each column, plus the values on X that occur on the join",
    )

    score: str = param(
        default="auto",
        doc="how a step is valued: a search metric, or auto for igpl with a target column and loss-decrease without",
    )
    weigh_loss: bool = param(default=True, doc="whether what a step costs on the join counts in its score")
    unmatched: Literal["refuse", "leave"] = param(
        default="refuse", choices=("refuse", "leave"), doc="what to do if records match nobody of another release"
    )
    max_refinements: int | None = param(default=None, ge=0, doc="stop after this many steps")
    deadline: float | None = param(default=None, gt=0, doc="stop after this many seconds with the best state reached")
    trace: Literal["steps", "full"] = param(
        default="steps", choices=("steps", "full"), doc="whether the trace also lists the candidates not taken"
    )

    def metric(self, target: str | None) -> SearchMetric:
        """Return the score to use."""
        name = self.score if self.score != "auto" else ("igpl" if target is not None else "loss-decrease")
        metric: SearchMetric = step_metric(SearchMetric, name, called="search metric", owner=self.id, target=target)
        return metric

    def start(self, task: SeriesTask) -> JoinRefinery:
        """Return the search in its most general state."""
        return JoinRefinery(task, self.metric(task.target), unmatched=self.unmatched, weigh=self.weigh_loss)

    def run(self, task: SeriesTask, run: Run) -> Outcome:
        """Refine until no valid candidate is left; the generator is not used."""
        search = self.start(task)
        found = refine(
            search, run.within(self.deadline), full=self.trace == "full", max_refinements=self.max_refinements
        )
        return replace(found, warnings=[*found.warnings, *search.notes])
