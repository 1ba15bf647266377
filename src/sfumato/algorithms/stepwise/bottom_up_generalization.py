"""Bottom-Up Generalization: start from the raw table, perform the generalization of best score until all is met."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isinf
from typing import ClassVar, Literal

from sfumato.algorithms.stepwise._coarsening import Candidate, Coarsener
from sfumato.algorithms.stepwise.tdr import TDR
from sfumato.contracts.algorithm import Algorithm, AlgorithmTraits, Outcome, Task
from sfumato.contracts.facts import CoarseningFacts, CurvePoint, TakenBack
from sfumato.contracts.metric import CoarseningMetric
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.contracts.trace import CoarseningStep
from sfumato.data.messages import say
from sfumato.errors import BadRequest, Infeasible
from sfumato.searches.columns import TaxonomyColumn
from sfumato.searches.recorded_run import step_metric
from sfumato.searches.refinement import Refinery

__all__ = ["BottomUpGeneralization", "Coarsener"]


class BottomUpGeneralization(Algorithm):
    """Start from the raw table, perform the generalization of best score until every requirement holds.

    A generalization ``{c} -> p`` replaces all values c that occur below a node p by p; it may come once all of them are
    children of p. The score is the information about the class that it loses for each unit of anonymity it gains, where
    the gain is ``min(A after, k) - A`` for k-anonymity, ``A`` being the size of the smallest group. Under other requirements
    that are kept under merging the gain is how far the worst group moves towards the bound; under several it is the average
    over those whose quasi-identifier holds the column. A generalization with a gain is *critical*. If none is, the one that
    loses least is taken.

    Only a generalization that merges every smallest group with another one can be critical, and the index of distinct rows
    shows at most one such for each column, so no more are tried (``pruned``).

    The sequence of generalizations is a product of its own: ``release.private.facts["curve"]`` lists, for every prefix, the
    smallest group and what is left of the data; ``explore`` continues it beyond the requirement and ``stop_at`` chooses
    another of its points. The first point that meets the requirements is published otherwise. It need not be minimal, since
    an early step may turn out to have been unnecessary: ``post_refine`` takes back what is not needed. Columns need a
    hierarchy; texts without one are masked as a whole, numbers without one are refused.

    Adversary: that of the requirements. Cost: a step tries at most one generalization for each column, and a trial costs
    the distinct rows that it would merge.

    Examples
    --------
    >>> import sfumato
    >>> table = sfumato.from_rows(["Sex", "Class"], [("M", "Y"), ("M", "N"), ("F", "Y")])
    >>> policy = {
    ...     "columns": {
    ...         "Sex": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": {"ANY": ["M", "F"]}}},
    ...         "Class": {"role": "target"},
    ...     },
    ...     "requirements": [{"id": "k-anonymity", "k": 2}],
    ...     "algorithm": {"id": "bottom-up-generalization"},
    ... }
    >>> release = sfumato.anonymize(table, policy)
    >>> [(point["value"], point["smallest_group"]) for point in release.private.facts["curve"]]
    [(None, 1), ('ANY', 3)]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, sections 5.1.2.4 and 6.5.
    Wang, Yu, Chakraborty, "Bottom-up generalization: a data mining solution to privacy protection", 2004,
    doi:10.1109/ICDM.2004.10110.
    """

    id: ClassVar[str] = "bottom-up-generalization"
    traits: ClassVar[AlgorithmTraits] = AlgorithmTraits(
        recoding="cut",
        release="recoded-table",
        optimal=False,
        deterministic=True,
        truthful=True,
        anytime=False,
        model_needs=("closed_under_merge",),
        numeric_without_hierarchy=False,
        suppresses_records=False,
        cost="distinct rows, for each column and each generalization performed",
        works_on="counts",
        most_rows=None,
    )

    score: str = param(
        default="auto",
        doc="how a step is valued: a coarsening metric, or auto for ilpg with a target column and distortion-per-gain "
        "without",
    )
    pruned: bool = param(
        default=True, doc="whether only steps that can be critical are tried; the result is the same either way"
    )
    post_refine: bool = param(
        default=False, doc="whether generalizations that turn out not to be needed are taken back at the end"
    )
    max_generalizations: int | None = param(default=None, ge=0, doc="give up after this many steps")
    stop_at: int | None = param(
        default=None,
        ge=0,
        doc="publish the state after this many steps instead of the first that meets the requirements",
    )
    explore: int | None = param(
        default=None, ge=1, doc="follow the sequence beyond the requirements, until every group has this many records"
    )
    trace: Literal["steps", "full"] = param(
        default="steps", choices=("steps", "full"), doc="whether the trace also lists the candidates not taken"
    )

    def metric(self, target: str | None) -> CoarseningMetric:
        """Return the score to use."""
        name = self.score if self.score != "auto" else ("ilpg" if target is not None else "distortion-per-gain")
        metric: CoarseningMetric = step_metric(
            CoarseningMetric, name, called="coarsening metric", owner=self.id, target=target
        )
        return metric

    def start(self, task: Task) -> Coarsener:
        """Return the search in its raw state."""
        return Coarsener(task, self.metric(task.target), pruned=self.pruned)

    def run(self, task: Task, run: Run) -> Outcome:
        """Generalize until the requirements hold; the generator is not used."""
        sequence = _Sequence(self, task)
        sequence.follow(run)
        cuts = sequence.chosen()
        facts = CoarseningFacts(
            generalizations=sequence.published_at,
            satisfied_at=sequence.satisfied_at,
            curve=sequence.curve,
            smallest_group=sequence.smallest,
            examined=sequence.examined,
        )
        recodings = sequence.search.recodings(cuts)
        if self.post_refine:
            refinery = _at(task, cuts)
            taken_back: list[TakenBack] = []
            refinery.run(
                run, on_step=lambda _, one: taken_back.append(TakenBack(attribute=one.attribute, value=one.value))
            )
            run.checkpoint()
            for column, found in zip(sequence.search.columns, refinery.columns, strict=True):
                if isinstance(found, TaxonomyColumn):
                    recodings[column.name] = column.recoding(column.shown_as(found.cut))
                else:
                    recodings[column.name] = refinery.recodings()[column.name]
            facts = replace(facts, taken_back=taken_back, smallest_group=refinery.facts().smallest_group)
        covered = {index for qid in sequence.search.indexes for index in qid}
        free = [column.name for index, column in enumerate(sequence.search.columns) if index not in covered]
        warnings = [say("warning.uncovered", names=", ".join(free))] if free else []
        return Outcome(recodings=recodings, trace=sequence.trace, warnings=warnings, facts=facts)


class _Sequence:
    """The sequence of generalizations as it is followed: trace, curve, and the point that is published."""

    def __init__(self, asked: BottomUpGeneralization, task: Task) -> None:
        self.asked = asked
        self.task = task
        self.search = asked.start(task)
        self.trace: list[CoarseningStep] = []
        self.curve: list[CurvePoint] = []
        self.examined: list[int] = []
        self.satisfied_at: int | None = None
        self.published_at: int | None = None
        self.smallest: dict[str, int] = {}
        self._cuts: Sequence[Sequence[int]] = ()
        self._total = 0.0

    def follow(self, run: Run) -> None:
        """Perform generalizations until a point to publish is found and nothing more is to be explored."""
        asked, search = self.asked, self.search
        step: Candidate | None = None
        while True:
            self._look(step)
            if self._done() or search.steps == asked.max_generalizations:
                return
            candidates = search.candidates()
            step = search.best(candidates)
            if step is None:
                return
            self.examined.append(search.examined)
            search.apply(step.index, step.node)
            tried = [_told(candidate) for candidate in candidates] if asked.trace == "full" else None
            self.trace.append(replace(_told(step), after=self._sizes(), candidates=tried))
            run.tick(search.steps, f"{sum(i.rows for i in search.indexes.values()):,} groups")
            if run.on_step is not None:
                run.on_step(search)

    def _look(self, step: Candidate | None) -> None:
        search, sizes = self.search, self._sizes()
        self._total += 0.0 if step is None else step.cost
        if self.satisfied_at is None and search.met():
            self.satisfied_at = search.steps
            if self.asked.explore is not None:
                search.aim_higher(self.asked.explore)
        self.curve.append(
            CurvePoint(
                step=search.steps,
                attribute=None if step is None else step.attribute,
                value=None if step is None else step.value,
                smallest_group=min(sizes.values()),
                groups=max(index.rows for index in search.indexes.values()),
                cost=self._total,
                information=search.information(),
                detail=search.detail(),
                satisfied=self.satisfied_at is not None,
            )
        )
        wanted = self.satisfied_at if self.asked.stop_at is None else self.asked.stop_at
        if self.published_at is None and wanted == search.steps:
            self.published_at, self.smallest, self._cuts = search.steps, sizes, search.cuts()

    def _done(self) -> bool:
        if self.satisfied_at is None or self.published_at is None:
            return False
        return self.asked.explore is None or self.curve[-1].smallest_group >= self.asked.explore

    def _sizes(self) -> dict[str, int]:
        return {"|".join(qid): least for qid, least in self.search.smallest().items()}

    def chosen(self) -> Sequence[Sequence[int]]:
        """Return the cuts to publish; refuse a point that does not exist or does not meet the requirements."""
        steps = self.search.steps
        if self.satisfied_at is None:
            raise self._unmet(
                f"after {steps} generalizations, the most that are allowed, the requirements do not hold", -1
            )
        if self.published_at is None:
            raise BadRequest(
                f"the sequence was followed for {steps} generalizations only",
                parameter=f"{self.asked.id}.stop_at",
                value=self.asked.stop_at,
            )
        if self.published_at < self.satisfied_at:
            raise self._unmet(
                f"the requirements do not hold after {self.published_at} generalizations, but only from "
                f"{self.satisfied_at} on",
                self.published_at,
            )
        return self._cuts

    def _unmet(self, text: str, point: int) -> Infeasible:
        return Infeasible(
            f"{text}; the smallest group has {self.curve[point].smallest_group} records",
            measured=self.curve[point].smallest_group,
            bound=max(model.least_size() for model in self.task.models),
        )


def _told(step: Candidate) -> CoarseningStep:
    return CoarseningStep(
        attribute=step.attribute,
        value=step.value,
        cost=step.cost,
        gain=step.gain,
        score=None if isinf(step.score) else step.score,
        critical=step.critical,
    )


def _at(task: Task, cuts: Sequence[Sequence[int]]) -> Refinery:
    """Return a top-down search that has come to the given cuts; every state above a satisfying one satisfies too."""
    refinery = Refinery(task, TDR().metric(task.target), require_beneficial=False)
    for index, (column, cut) in enumerate(zip(refinery.columns, cuts, strict=True)):
        tree = column.attribute.tree
        if tree is None:
            # Values without a tree are masked together or not at all.
            for code in range(len(column.values)) if tuple(cut) != (0,) else ():
                refinery.apply(index, code)
            continue
        shown, open_nodes = set(cut), [0]
        while open_nodes:
            node = open_nodes.pop()
            if node not in shown and column.children[node] > 0:
                refinery.apply(index, node)
                open_nodes.extend(tree.children[node])
    return refinery
