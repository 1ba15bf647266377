"""Byun's incremental publishing: newcomers wait until differences and intersections of releases leave l sensitive values."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import ClassVar

from sfumato.contracts.algorithm import Outcome, Search, SearchTraits
from sfumato.contracts.engine import Table
from sfumato.contracts.facts import StepFacts
from sfumato.contracts.model import GroupModel, Requirement
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.models.l_diversity_distinct import DistinctLDiversity
from sfumato.sequels.algorithms._growth import GrowingRefinery, GrowthValidity, Rule, table_task
from sfumato.sequels.growing import Growing
from sfumato.sequels.task import SeriesTask

__all__ = ["ByunFacts", "ByunIncremental"]


@frozen(eq=False, repr=False, kw_only=True)
class ByunFacts(StepFacts):
    """Who entered the release and who waits on, in the order of arrival; for the holder alone.

    ``inserted`` and ``delayed`` count the records of the batch, ``entered`` and ``queue`` hold them. ``difference`` are the
    sensitive values of the batch: what a release with it would have more than the one before.
    """

    inserted: int
    delayed: int
    difference: Sequence[Hashable]
    entered: Table
    queue: Table


class ByunIncremental(Search[SeriesTask]):
    """Publish all records again with as many newcomers as leave l sensitive values to every difference and intersection.

    The next release is distinct-l-diverse, and beside every earlier release each pair of comparable classes has at least l
    values in common, and whoever came since has one of at least l values, among all comparable classes. Start from the most
    general release of old and waiting records: it holds if these have l values among them; otherwise all of them wait on. Then
    refine top-down as ``bcf-anonymizer`` does while everything holds. The recodings of the outcome are for the records of
    ``history`` and those that entered.

    Known weaknesses: frequencies of values are ignored, so that one may be likely; nobody may leave; a release may bring
    nothing new; the queue has no bound.

    Adversary: that of ``incremental-attack``. Cost: linear in the records for each level of each column.

    Examples
    --------
    >>> import sfumato
    >>> from sfumato.sequels import Series
    >>> published = sfumato.from_rows(["Job", "Disease"], [("Professional", "Cancer"), ("Professional", "Diabetes")])
    >>> series = Series.of([published], qid=["Job"], sensitive="Disease",
    ...                    hierarchies={"Job": {"Professional": ["Lawyer", "Doctor"]}})
    >>> old = sfumato.from_rows(["Job", "Disease"], [("Lawyer", "Cancer"), ("Doctor", "Diabetes")])
    >>> new = sfumato.from_rows(["Job", "Disease"], [("Lawyer", "HIV")])
    >>> model = DistinctLDiversity(l=2, sensitive="Disease")
    >>> outcome = ByunIncremental().run(SeriesTask(new, series, [model], [old]), Run())
    >>> outcome.facts.inserted, outcome.facts.delayed, outcome.facts.difference
    (0, 1, ['HIV'])

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 10.1.
    Byun, Sohn, Bertino, Li, "Secure anonymization for incremental datasets", 2006, doi:10.1007/11844662_4.
    """

    id: ClassVar[str] = "byun-incremental"
    traits: ClassVar[SearchTraits] = SearchTraits(
        release="recoded-table",
        optimal=False,
        deterministic=True,
        truthful=True,
        anytime=True,
        cost="linear in the records for each level of each column, and in the comparable pairs of classes",
    )

    deadline: float | None = param(default=None, gt=0, doc="stop after this many seconds with the best state reached")

    def run(self, task: SeriesTask, run: Run) -> Outcome:
        """Choose who enters, then refine; ``batch`` holds waiting and new records, oldest first."""
        least, plain = _asked(task.models, task.protected)
        batch = task.batch.as_rows()
        values = list(batch.dictionary(task.protected).values)
        enters = len(values) >= least
        nobody = batch.take([])
        entered, queue = (batch, nobody) if enters else (nobody, batch)
        if not enters and task.earlier is None:
            raise Infeasible(
                f"the first release needs {least} sensitive values",
                measured=len(values),
                bound=least,
                requirement=self.id,
            )
        growing = Growing.of(
            [*task.history, entered],
            task.earlier,
            qid=task.qid,
            sensitive=task.protected,
            trees=task.trees,
            extra=[name for model in plain for name in model.needs()],
        )
        search = table_task(growing, plain, task.target)
        rule = Rule(least, self.id, most=1, backward=False, difference=True)
        refinery = GrowingRefinery(search, GrowthValidity(growing, search, rule))
        stopped = refinery.finish(run.within(self.deadline))
        cuts = refinery.cuts()
        return Outcome(
            recodings=refinery.recoded(cuts),
            trace=refinery.trace,
            stopped=stopped,
            facts=ByunFacts(
                refinements=len(refinery.taken),
                smallest_group={"|".join(growing.qid): int(growing.classes(cuts).sizes.min())},
                inserted=entered.rows,
                delayed=queue.rows,
                difference=values,
                entered=entered,
                queue=queue,
            ),
        )


def _asked(models: Sequence[Requirement], sensitive: str) -> tuple[int, list[GroupModel]]:
    found = [model.l for model in models if isinstance(model, DistinctLDiversity) and model.sensitive == sensitive]
    if not found:
        raise BadRequest(
            "byun-incremental needs the requirement l-diversity-distinct on the sensitive column",
            parameter="requirements",
            available=["l-diversity-distinct"],
        )
    for model in models:
        if not isinstance(model, GroupModel):
            raise Unsupported(f"byun-incremental cannot promise {model.id}", thing=model.id)
    return max(found), [model for model in models if isinstance(model, GroupModel)]
