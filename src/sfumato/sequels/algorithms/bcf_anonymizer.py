"""BCF anonymizer: the next release of a growing table, refined from the most masked one as long as no comparison cracks it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import ClassVar

from sfumato.contracts.algorithm import Outcome, Search, SearchTraits
from sfumato.contracts.facts import StepFacts
from sfumato.contracts.model import GroupModel, Requirement
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.sequels.algorithms._growth import GrowingRefinery, GrowthValidity, Rule, table_task
from sfumato.sequels.classes import SeriesClasses
from sfumato.sequels.growing import Growing
from sfumato.sequels.models.bcf_anonymity import BCFAnonymity, BCFLevels, levels_of
from sfumato.sequels.models.bcf_beyond_anonymity import BCFBeyondAnonymity
from sfumato.sequels.task import SeriesTask

__all__ = ["BCFAnonymizer", "BCFFacts"]


@frozen(eq=False, repr=False, kw_only=True)
class BCFFacts(StepFacts):
    """How the next release came about: its levels beside all releases before, and its discernibility.

    ``levels`` is ``None`` for the first release. ``dm`` is the sum of squared group sizes. ``taken_back`` steps kept every two
    releases safe and not all of them together.
    """

    levels: BCFLevels | None
    dm: int
    taken_back: int = 0


class BCFAnonymizer(Search[SeriesTask]):
    """Make the next release of a growing table as fine as it can be with every forward, cross and backward attack withstood.

    Start with every value generalized to the root. Take the value with the largest ``DM(v) = sum over classes that show v of
    |qid|^2`` (ties: column order, then pre-order of the hierarchy), replace it by its children if FA, CA and BA stay at least
    k beside every earlier release, and drop it for good otherwise, until no value is left. BA, and FA over ``actual`` targets,
    never rise on the way, so what is dropped stays invalid; FA over all ``published`` pairs may rise when a pair that nobody
    matches vanishes, so what was dropped is tried again at the end until no single step is left. If the most masked release
    fails, every release does. With more than one earlier release the result is judged by all releases together, and the last
    steps are taken back until that holds.

    No record is delayed, none is invented: every published value is true of its record. Columns without a hierarchy are shown
    as they are or as ``*``. Requirements of tables that are decided by groups and closed under merging hold for the release
    as well. ``bcf-beyond-anonymity`` is asked about the whole series at every step; a step that it refuses may hold later
    and is tried again at the end.

    Adversary: that of ``bcf-anonymity``. Cost: linear in the records for each level of each column, and in the comparable pairs
    of classes that a step touches.

    Examples
    --------
    >>> import sfumato
    >>> from sfumato.contracts.run import Run
    >>> from sfumato.sequels import Series
    >>> from sfumato.sequels.task import SeriesTask
    >>> before = sfumato.from_rows(["Place", "Disease"], [("UK", "Flu"), ("UK", "Flu"), ("France", "HIV")])
    >>> new = sfumato.from_rows(["Place", "Disease"], [("UK", "HIV"), ("France", "Flu"), ("France", "Flu")])
    >>> published = sfumato.from_rows(["Place", "Disease"], [("Europe", "Flu"), ("Europe", "Flu"), ("Europe", "HIV")])
    >>> series = Series.of([published], qid=["Place"], sensitive="Disease",
    ...                    hierarchies={"Place": {"Europe": ["UK", "France"]}})
    >>> task = SeriesTask(new, series, [BCFAnonymity(k=2)], [before])
    >>> outcome = BCFAnonymizer().run(task, Run())
    >>> outcome.recodings["Place"].published(), outcome.facts.levels.FA, outcome.facts.levels.BA
    (('UK', 'France'), 3, 3)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, sections 10.2.5 and 10.2.6.
    Fung, Wang, Fu, Pei, "Anonymity for continuous data publishing", 2008, doi:10.1145/1353343.1353378.
    """

    id: ClassVar[str] = "bcf-anonymizer"
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
        """Refine until no value is left; the generator is not used."""
        asked, beyond = _asked(task.models)
        plain = [model for model in task.models if isinstance(model, GroupModel)]
        growing = Growing.of(
            [*task.history, task.batch],
            task.earlier,
            qid=task.qid,
            sensitive=task.protected,
            trees=task.trees,
            extra=[name for model in plain for name in model.needs()],
        )
        run = run.within(self.deadline)
        search = table_task(growing, plain, task.target)
        validity = GrowthValidity(growing, search, Rule(asked.k, targets=asked.targets), _beyond(growing, beyond, run))
        refinery = GrowingRefinery(search, validity)
        stopped = refinery.finish(run)
        steps, levels = len(refinery.taken), None
        if growing.earlier is not None:
            steps, levels = _kept(refinery, growing, asked, run)
        cuts = refinery.cuts(steps)
        classes = growing.classes(cuts)
        return Outcome(
            recodings=refinery.recoded(cuts),
            trace=refinery.trace[:steps],
            stopped=stopped,
            facts=BCFFacts(
                refinements=steps,
                smallest_group={"|".join(growing.qid): int(classes.sizes.min())},
                levels=levels,
                dm=int((classes.sizes**2).sum()),
                taken_back=len(refinery.taken) - steps,
            ),
        )


def _asked(models: Sequence[Requirement]) -> tuple[BCFAnonymity, list[BCFBeyondAnonymity]]:
    beyond = [model for model in models if isinstance(model, BCFBeyondAnonymity)]
    found = [model for model in models if isinstance(model, BCFAnonymity)] + [model.anonymity for model in beyond]
    if not found:
        raise BadRequest(
            "bcf-anonymizer needs the requirement bcf-anonymity",
            parameter="requirements",
            available=["bcf-anonymity", "bcf-beyond-anonymity"],
        )
    for model in models:
        if not isinstance(model, (BCFAnonymity, BCFBeyondAnonymity, GroupModel)):
            raise Unsupported(f"bcf-anonymizer cannot promise {model.id}", thing=model.id)
    # Published targets are all that can be, and exact attacks all there are: whoever asks for more decides.
    strict = [one for one in found if one.targets == "published"] or found
    return replace(strict[0], k=max(one.k for one in found)), beyond


def _beyond(growing: Growing, models: Sequence[BCFBeyondAnonymity], run: Run) -> Callable[[SeriesClasses], bool] | None:
    """Return what asks the requirements on values about a whole series; they must hold where nothing is refined, too."""
    if not models or growing.earlier is None:
        return None
    work = run.without_deadline().part()

    def holds(whole: SeriesClasses) -> bool:
        return all(model.holds(whole, work) for model in models)

    if not holds(growing.with_next([[0]] * len(growing.qid))):
        raise Infeasible(
            "even the fully masked next release fails bcf-beyond-anonymity", requirement="bcf-beyond-anonymity"
        )
    return holds


def _kept(refinery: GrowingRefinery, growing: Growing, asked: BCFAnonymity, run: Run) -> tuple[int, BCFLevels]:
    """Return how many of the steps keep what is asked of all releases together, and the levels then.

    For two releases every step was judged exactly. For more, the search compared every two of them; the longest run of steps
    that all releases together allow is found by halving.
    """
    work = run.without_deadline().part()

    def judged(steps: int) -> BCFLevels:
        return levels_of(growing.with_next(refinery.cuts(steps)), asked.targets, asked.attacks, work)

    most = len(refinery.taken)
    found = judged(most)
    if found.satisfies(asked.k):
        return most, found
    least, kept = 0, judged(0)
    if not kept.satisfies(asked.k):
        raise Infeasible(
            f"even the fully masked next release fails bcf-anonymity: all releases together leave {kept.strongest} records",
            measured=kept.strongest,
            bound=asked.k,
            requirement=asked.id,
        )
    while most - least > 1:
        middle = (least + most) // 2
        found = judged(middle)
        if found.satisfies(asked.k):
            least, kept = middle, found
        else:
            most = middle
    return least, kept
