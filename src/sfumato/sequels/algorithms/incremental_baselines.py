"""Plain ways to publish a growing table again, to compare others with: the increment alone, or never finer than before."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Literal

from sfumato.contracts.algorithm import Outcome, Search, SearchTraits, Task
from sfumato.contracts.facts import StepFacts
from sfumato.contracts.model import GroupModel
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.errors import Unsupported
from sfumato.kernels.arrays import Bools
from sfumato.models.k_anonymity import KAnonymity
from sfumato.searches.validity import Step
from sfumato.sequels.algorithms._growth import GrowingRefinery, GrowthValidity, Rule, strictly_above, table_task
from sfumato.sequels.growing import Growing
from sfumato.sequels.models.bcf_anonymity import BCFAnonymity
from sfumato.sequels.task import SeriesTask

__all__ = ["BaselineFacts", "IncrementalBaselines"]


@frozen(eq=False, repr=False, kw_only=True)
class BaselineFacts(StepFacts):
    """How a plain release ended: how many records it shows, and the sum of squared group sizes."""

    records: int
    dm: int


class IncrementalBaselines(Search[SeriesTask]):
    """Publish the increment alone, or everything again and never finer than before: what better ways are compared with.

    ``independent``: only the new records are refined and published, as if there had been nothing before; their groups are
    small, so that values stay general, and counts over several releases are of different granularity. ``monotone``: all records
    are published again, and no value is shown that lies below one of the last release. Both refine top-down by discernibility
    and keep the requirements of tables; of ``bcf-anonymity`` they keep that groups have k records, and no more.

    Adversary: that of the requirements, who sees the last release only. Cost: linear in the records for each level of a column.

    Examples
    --------
    >>> import sfumato
    >>> from sfumato.sequels import Series
    >>> rows = [("UK", "Flu"), ("UK", "HIV"), ("France", "Flu"), ("France", "HIV")]
    >>> old, new = (sfumato.from_rows(["Place", "Disease"], rows) for _ in range(2))
    >>> published = sfumato.from_rows(["Place", "Disease"], [("Europe", value) for _, value in rows])
    >>> series = Series.of([published], qid=["Place"], sensitive="Disease",
    ...                    hierarchies={"Place": {"Europe": ["UK", "France"]}})
    >>> task = SeriesTask(new, series, [KAnonymity(k=2)], [old])
    >>> monotone = IncrementalBaselines(way="monotone").run(task, Run())
    >>> monotone.recodings["Place"].published(), monotone.facts.records, monotone.facts.dm
    (('Europe',), 8, 64)
    >>> alone = IncrementalBaselines(way="independent").run(task, Run())
    >>> alone.recodings["Place"].published(), alone.facts.records, alone.facts.dm
    (('UK', 'France'), 4, 8)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 10.1.
    """

    id: ClassVar[str] = "incremental-baselines"
    traits: ClassVar[SearchTraits] = SearchTraits(
        release="recoded-table",
        optimal=False,
        deterministic=True,
        truthful=True,
        anytime=True,
        cost="linear in the records for each level of each column",
    )

    way: Literal["independent", "monotone"] = param(
        choices=("independent", "monotone"), doc="whether new records are published alone, or all and never finer"
    )
    deadline: float | None = param(default=None, gt=0, doc="stop after this many seconds with the best state reached")

    def run(self, task: SeriesTask, run: Run) -> Outcome:
        """Refine as far as requirements of the table itself allow."""
        models = [
            KAnonymity(k=model.k) if isinstance(model, BCFAnonymity) else _table_model(model) for model in task.models
        ]
        alone = self.way == "independent"
        growing = Growing.of(
            [task.batch] if alone else [*task.history, task.batch],
            None if alone else task.earlier,
            qid=task.qid,
            sensitive=task.protected,
            trees=task.trees,
            extra=[name for model in models for name in model.needs()],
        )
        search = table_task(growing, models, task.target)
        refinery = GrowingRefinery(search, _Monotone(growing, search))
        stopped = refinery.finish(run.within(self.deadline))
        cuts = refinery.cuts()
        sizes = growing.classes(cuts).sizes
        return Outcome(
            recodings=refinery.recoded(cuts),
            trace=refinery.trace,
            stopped=stopped,
            facts=BaselineFacts(
                refinements=len(refinery.taken),
                smallest_group={"|".join(growing.qid): int(sizes.min())},
                records=int(sizes.sum()),
                dm=int((sizes**2).sum()),
            ),
        )


class _Monotone(GrowthValidity):
    """Asks the models of the table, and refuses to go below what the last release shows."""

    def __init__(self, growing: Growing, task: Task) -> None:
        super().__init__(replace(growing, earlier=None), task, Rule(1))
        self.open: list[Bools] = []
        if growing.earlier is not None:
            cuts = growing.earlier.cuts[-1]
            self.open = [strictly_above(tree, cut) for tree, cut in zip(growing.trees, cuts, strict=True)]

    def would_hold(self, step: Step) -> bool:
        """Ask whether the last release shows values below the refined one, and the models."""
        if self.open and not self.open[step.index][step.slot]:
            return False
        return super().would_hold(step)


def _table_model(model: object) -> GroupModel:
    if not isinstance(model, GroupModel):
        name = getattr(model, "id", type(model).__name__)
        raise Unsupported(f"incremental-baselines cannot promise {name}", thing=name)
    return model
