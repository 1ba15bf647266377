"""Top-Down Refinement: start from the most masked table, perform the refinement of best score until none is valid."""

from __future__ import annotations

from typing import ClassVar, Literal

from sfumato.algorithms.stepwise._algorithm import RefiningAlgorithm, refining_traits
from sfumato.algorithms.stepwise._suppressing_refinement import SuppressingRefinery
from sfumato.contracts.algorithm import AlgorithmTraits, Task
from sfumato.contracts.metric import SearchMetric
from sfumato.contracts.thing import param
from sfumato.errors import BadRequest
from sfumato.searches.recorded_run import step_metric
from sfumato.searches.refinement import Refinery

__all__ = ["TDR", "Refinery", "TopDownSpecialization"]


class TDR(RefiningAlgorithm):
    """Start from the most masked table, perform the refinement of best score until none is valid.

    Three operations: generalize along a tree, suppress values that have none, cut numbers into intervals grown on the fly.
    A refinement is *valid* if every requirement still holds after it, and *beneficial* if the records that carry the value
    belong to more than one class. Violations never heal under refinement, so an invalid candidate is out for good, and
    the search can stop at any time with a table that satisfies the requirement.

    Where ``limits.suppress_at_most`` of the policy allows it and group sizes decide the requirement, a refinement may leave
    groups that are too small, as long as their records, which are left out, stay within the limit. On Adult two per cent of
    the records lower the error of a classifier by one to three points.

    Adversary: that of the requirements. Cost: linear in the records; each is touched at most once per column and level.

    Examples
    --------
    >>> import sfumato
    >>> from sfumato.datasets import education_work
    >>> data = education_work()
    >>> release = sfumato.anonymize(
    ...     sfumato.from_dataset(data),
    ...     sfumato.Policy.for_dataset(data, requirements=[{"id": "k-anonymity", "k": 4}], algorithm={"id": "tdr"}),
    ... )
    >>> release.verdict.satisfied
    True

    References
    ----------
    Fung, Wang, Yu, "Anonymizing classification data for privacy preservation", 2007, doi:10.1109/TKDE.2007.1015.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, sections 6.2 and 7.2.
    """

    id: ClassVar[str] = "tdr"
    traits: ClassVar[AlgorithmTraits] = refining_traits(
        cost="linear in the number of records for each level of each column", suppresses_records=True
    )

    score: str = param(
        default="auto",
        doc="how a step is valued: a search metric, or auto for igpl with a target column and loss-decrease without",
    )
    require_beneficial: bool = param(default=True, doc="whether a step must be able to tell something about the target")
    split_point: Literal["value", "midpoint"] = param(
        default="value", choices=("value", "midpoint"), doc="whether intervals are cut at a value or between two"
    )

    def metric(self, target: str | None) -> SearchMetric:
        """Return the score to use."""
        name = self.score if self.score != "auto" else ("igpl" if target is not None else "loss-decrease")
        metric: SearchMetric = step_metric(SearchMetric, name, called="search metric", owner=self.id, target=target)
        return metric

    def start(self, task: Task) -> Refinery:
        search = SuppressingRefinery if task.budget else Refinery
        return search(
            task,
            self.metric(task.target),
            require_beneficial=self.require_beneficial,
            midpoint=self.split_point == "midpoint",
            keep_dead=self.trace == "full",
        )


class TopDownSpecialization(TDR):
    """Top-Down Refinement without suppression: every categorical column needs a tree.

    Examples
    --------
    >>> TopDownSpecialization(score="infogain").spec()
    {'id': 'top-down-specialization', 'score': 'infogain'}

    References
    ----------
    Fung, Wang, Yu, "Top-down specialization for information and privacy preservation", 2005, doi:10.1109/ICDE.2005.143.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 5.1.2.5.
    """

    id: ClassVar[str] = "top-down-specialization"

    def start(self, task: Task) -> Refinery:
        """Refuse columns that only suppression could mask."""
        bare = [attribute.name for attribute in task.attributes if attribute.kind == "suppress"]
        if bare:
            raise BadRequest(
                "needs a hierarchy: top-down-specialization does not suppress values (tdr does)", column=bare[0]
            )
        return super().start(task)
