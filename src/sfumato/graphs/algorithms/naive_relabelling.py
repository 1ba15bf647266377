"""Naive relabelling as an algorithm: only names are replaced, so requirements must hold already."""

from __future__ import annotations

from typing import ClassVar

from sfumato.contracts.algorithm import Outcome, Search, SearchTraits
from sfumato.contracts.run import Run
from sfumato.graphs.built import GraphFacts, built_graph
from sfumato.graphs.task import GraphTask

__all__ = ["NaiveRelabelling"]


class NaiveRelabelling(Search[GraphTask]):
    """Replace names by numbers and change no link (see ``graph-data-model``); refuse what breaks a requirement.

    Examples
    --------
    >>> from sfumato.graphs import Graph
    >>> from sfumato.graphs.models import KDegreeAnonymity
    >>> graph = Graph.of([("a", "b"), ("b", "c"), ("c", "a")])
    >>> NaiveRelabelling().run(GraphTask(graph, [KDegreeAnonymity(k=3)]), Run()).facts.added
    0

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 15.1.2.
    """

    id: ClassVar[str] = "naive-relabelling"
    traits: ClassVar[SearchTraits] = SearchTraits(
        release="edited-graph",
        optimal=False,
        deterministic=True,
        truthful=True,
        anytime=False,
        cost="linear in the number of links",
    )

    def run(self, task: GraphTask, run: Run) -> Outcome:
        task.refuse_violations(task.graph, self.id)
        return Outcome(built=built_graph(task.graph, run.rng), facts=GraphFacts.of(task.graph, task.graph))
