"""l+-Optimize: the best cut through every tree that bounds what can be inferred, proven best, or the best with its gap."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from sfumato.algorithms.cuts._branch_and_bound import Best, Clock, Explored, Stopped, explore
from sfumato.algorithms.cuts._cut_enumeration import Cuts, CutSpace
from sfumato.catalogue import build, find, ids
from sfumato.contracts.algorithm import Algorithm, AlgorithmTraits, Outcome, Task
from sfumato.contracts.facts import CutFacts
from sfumato.contracts.metric import DataMetric
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.errors import BadRequest

__all__ = ["LPlusOptimize"]

# Costs that differ by less than this share are equal: sums of real numbers depend on the order of their terms.
_SLACK = 1e-12


class LPlusOptimize(Algorithm):
    """The cheapest cut through every tree under which no sensitive value can be inferred with too much confidence.

    Made for confidence bounding (l+-diversity): every template ``<QID -> s, h>`` must hold. Any requirement that is kept when
    groups are merged will do. A solution is one cut per tree; no record is left out. Cuts are enumerated from the roots down:
    each is reached in one way, by deciding node after node whether it is specialized. If cuts break a requirement, so do
    all finer ones; the cost of the finest cuts that a part can reach is a lower bound for the part, because the metric
    never rises under specialization. Metrics that may rise are refused.

    The search can stop at any time. The private facts then enclose the optimum: ``cost``, ``lower_bound``, ``gap`` (the share
    of the cost between them, 0 if proven), ``nodes`` (parts opened), ``cuts`` by column, ``search_space`` (combinations of
    cuts); ``optima`` lists all best cuts if asked.

    Cost: exponential in the number of inner nodes in the worst case.

    Examples
    --------
    >>> import sfumato
    >>> job = {"ANY": [{"Professional": ["Engineer", "Lawyer"]}, {"Artist": ["Dancer", "Writer"]}]}
    >>> table = sfumato.from_rows(
    ...     ["Job", "Disease"],
    ...     [("Engineer", "Flu"), ("Lawyer", "HIV"), ("Dancer", "Flu"), ("Dancer", "HIV"), ("Writer", "Flu")],
    ... )
    >>> release = sfumato.anonymize(
    ...     table,
    ...     {
    ...         "columns": {
    ...             "Job": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": job}},
    ...             "Disease": {"role": "sensitive"},
    ...         },
    ...         "requirements": [{"id": "confidence-bounding", "sensitive": "Disease", "value": "HIV", "h": 0.5}],
    ...         "algorithm": {"id": "l-plus-optimize"},
    ...     },
    ... )
    >>> release.private.facts["cuts"], release.private.facts["cost"]
    ({'Job': ['Professional', 'Dancer', 'Writer']}, 9)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 5.2.1.
    Liu, Wang, "On optimal anonymization for l+-diversity", 2010.
    """

    id: ClassVar[str] = "l-plus-optimize"
    traits: ClassVar[AlgorithmTraits] = AlgorithmTraits(
        recoding="cut",
        release="recoded-table",
        optimal=True,
        deterministic=True,
        truthful=True,
        anytime=True,
        model_needs=("closed_under_merge",),
        numeric_without_hierarchy=False,
        suppresses_records=False,
        cost="exponential in the number of inner nodes of the trees in the worst case, linear in the records for each part",
        works_on="counts",
        most_rows=None,
    )

    metric: str | Mapping[str, object] = param(
        default="discernibility", doc="data metric to make as small as can be: an id, or id and parameters"
    )
    deadline: float | None = param(default=None, gt=0, doc="stop after this many seconds with the best found")
    node_limit: int | None = param(default=None, ge=0, doc="stop after opening this many parts of the search space")
    list_optima: bool = param(default=False, doc="whether to list all best cuts; slower, for small tables")

    def validate(self) -> None:
        """Refuse metrics that may rise when values get more specific."""
        self.measure()

    def measure(self) -> DataMetric:
        """Return the metric to use."""
        parameter = f"{self.id}.metric"
        given: Any = self.metric
        name = given.get("id") if isinstance(given, Mapping) else given
        if name not in ids("metric"):
            raise BadRequest("is not a metric", parameter=parameter, value=name, available=_monotone())
        try:
            metric = build(given, "metric")
        except BadRequest as error:
            raise BadRequest(f"{error.parameter}: {error.rule}", parameter=parameter, value=error.value) from None
        if not isinstance(metric, DataMetric) or not metric.rises_under_merge():
            raise BadRequest(
                "may rise when values get more specific, so nothing bounds it from below",
                parameter=parameter,
                value=metric.id,
                available=_monotone(),
            )
        return metric

    def run(self, task: Task, run: Run) -> Outcome:
        """Find the cheapest cuts; the generator is not used."""
        metric = self.measure()
        if metric.traits.needs_target and task.target is None:
            raise BadRequest(
                f"{metric.id} needs a column with the role target", parameter=f"{self.id}.metric", value=metric.id
            )
        space = CutSpace(task, metric, parameter=f"{self.id}.metric")
        roots: Cuts = ()
        best = Best(space.cost(space.coarsest()), roots, ties=self.list_optima, slack=_SLACK, tied=[roots])
        whole = space.everything()
        floor = space.cost(space.finest(whole))
        clock = Clock(run.within(self.deadline), self.node_limit)
        try:
            space.dive(best, clock)
        except Stopped:
            found = Explored(min(floor, best.cost), 0, clock.reason)
        else:
            found = explore(space, whole, floor, best, clock)
        return self._outcome(task, space, best, found)

    def _outcome(self, task: Task, space: CutSpace, best: Best[Cuts], found: Explored) -> Outcome:
        cost = best.cost
        proven = found.stopped is None or found.lower_bound >= cost
        bound = cost if proven else found.lower_bound
        gap = 0.0 if proven else (cost - bound) / cost
        warnings = []
        if not proven:
            warnings.append(say("warning.cost_unproven", metric=space.metric.id, cost=cost, bound=bound, gap=gap))
        if self.list_optima and found.stopped is not None:
            warnings.append(say("warning.cuts_lacking"))
        return Outcome(
            recodings=space.recodings(best.solution),
            optimal=proven,
            warnings=warnings,
            stopped=found.stopped if self.list_optima or not proven else None,
            facts=CutFacts(
                cost=cost,
                lower_bound=bound,
                gap=gap,
                nodes=found.nodes,
                cuts=space.solved(best.solution, task.qids),
                search_space=space.size(),
                optima=[space.solved(tied, task.qids) for tied in sorted(best.tied)] if self.list_optima else None,
            ),
        )


def _monotone() -> list[str]:
    """Return the metrics that never rise when values get more specific."""
    known = [(name, find(name, "metric")) for name in ids("metric")]
    return [
        name
        for name, kind in known
        if issubclass(kind, DataMetric) and kind.traits.monotone_under_merge and kind.traits.better == "lower"
    ]
