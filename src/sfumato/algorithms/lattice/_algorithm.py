"""What the published searches over full-domain generalizations share: a metric, a lattice, and an outcome at a node."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from sfumato.algorithms.lattice._release import outcome_at
from sfumato.algorithms.lattice._search import LatticeSearch
from sfumato.catalogue import build
from sfumato.contracts.algorithm import Algorithm, AlgorithmTraits, Outcome, Task
from sfumato.contracts.facts import LatticeFacts
from sfumato.contracts.metric import DataMetric
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.errors import BadRequest

__all__ = ["LatticeAlgorithm", "data_metric", "full_domain_traits"]


def full_domain_traits(*, optimal: bool, cost: str, model_needs: tuple[str, ...] = ()) -> AlgorithmTraits:
    """Return the traits of a search for full-domain generalizations with record suppression."""
    return AlgorithmTraits(
        recoding="full-domain",
        release="recoded-table",
        optimal=optimal,
        deterministic=True,
        truthful=True,
        anytime=False,
        model_needs=model_needs,
        numeric_without_hierarchy=False,
        suppresses_records=True,
        cost=cost,
        works_on="counts",
        most_rows=None,
    )


def data_metric(owner: str, given: object) -> DataMetric:
    """Return the data metric that a parameter names; refuse what is none."""
    if not isinstance(given, (str, Mapping)):
        raise BadRequest("must be the id of a metric, or id and parameters", parameter=f"{owner}.metric", value=given)
    try:
        metric = build(given, "metric")
    except BadRequest as error:
        raise BadRequest(
            f"{error.parameter or 'metric'}: {error.rule}",
            parameter=f"{owner}.metric",
            value=error.value,
            available=error.available,
        ) from None
    if not isinstance(metric, DataMetric):
        raise BadRequest("scores steps of a search, not a release", parameter=f"{owner}.metric", value=metric.id)
    return metric


class LatticeAlgorithm(Algorithm):
    """A search that ends with one node of the lattice, the best by a metric of those it found."""

    weighs_records: ClassVar[bool] = True

    metric: str | Mapping[str, object] = param(
        default="minimal-distortion",
        doc="data metric that decides between satisfying nodes: an id, or id and parameters",
    )

    def validate(self) -> None:
        """Refuse a metric that scores steps instead of releases."""
        data_metric(self.id, self.metric)

    def run(self, task: Task, run: Run) -> Outcome:
        """Search; the generator is not used."""
        metric = data_metric(self.id, self.metric)
        if metric.traits.needs_target and task.target is None:
            raise BadRequest(f"{metric.id} needs a column with the role target", parameter=f"{self.id}.metric")
        search = LatticeSearch(self.reduced(task), metric, run)
        facts = self.explore(search)
        if facts is None:
            search.refuse_infeasible()
        return outcome_at(search, facts)

    def reduced(self, task: Task) -> Task:
        """Return the task as the search sees it."""
        return task

    @abstractmethod
    def explore(self, search: LatticeSearch) -> LatticeFacts | None:
        """Return the levels to publish, if there are any, with what the search found on the way."""
