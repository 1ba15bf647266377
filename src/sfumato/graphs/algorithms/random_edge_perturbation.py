"""Random perturbation: some links are removed at random, and as many that were none are added."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np

from sfumato.contracts.algorithm import Outcome, Search, SearchTraits
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest
from sfumato.graphs.built import GraphFacts, built_graph
from sfumato.graphs.graph import Graph, among
from sfumato.graphs.task import GraphTask
from sfumato.kernels.arrays import Ints

__all__ = ["LinkPosterior", "RandomEdgePerturbation", "drawn_pairs"]


@frozen
class LinkPosterior:
    """What an adversary may believe, averaged over pairs: that a published link was one, and that a pair without one was."""

    link: Fraction
    no_link: Fraction


class RandomEdgePerturbation(Search[GraphTask]):
    """Remove so many links at random, then add as many between pairs that were not linked.

    With n nodes, m links and c of them changed, a published link was true with ``(m - c) / m``, and a pair that is published
    without one was linked with ``c / (n(n - 1)/2 - m)``, averaged over pairs. Degrees change little where they are low, so that
    it is no promise: requirements are checked, and what breaks one is refused.

    Examples
    --------
    >>> RandomEdgePerturbation(links=2).posterior(Graph.of([(0, 1), (1, 2), (2, 3), (3, 4)]))
    LinkPosterior(link=Fraction(1, 2), no_link=Fraction(1, 3))

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 15.3.4.
    Hay, Miklau, Jensen, Weis, Srivastava, "Anonymizing social networks", University of Massachusetts, report 07-19, 2007.
    """

    id: ClassVar[str] = "random-edge-perturbation"
    traits: ClassVar[SearchTraits] = SearchTraits(
        release="edited-graph",
        optimal=False,
        deterministic=True,
        truthful=False,
        anytime=False,
        cost="linear in the number of links",
    )

    links: int | None = param(default=None, ge=0, doc="how many links are removed, and as many added")
    share: float | None = param(
        default=None, ge=0, le=1, doc="the same as a share of the links; a tenth if neither is given"
    )

    def validate(self) -> None:
        """Refuse both at once."""
        if self.links is not None and self.share is not None:
            raise BadRequest("give links or a share, not both", parameter=f"{self.id}.share")

    def changed(self, graph: Graph) -> int:
        """Return how many links are removed; more than there are, or than there is room for, are refused."""
        count = round((0.1 if self.share is None else self.share) * graph.links) if self.links is None else self.links
        free = len(graph) * (len(graph) - 1) // 2 - graph.links
        if count > graph.links or count > free:
            raise BadRequest(
                f"must be at most {min(graph.links, free)}: the graph has {graph.links} links, and {free} pairs without one",
                parameter=f"{self.id}.links",
                value=count,
            )
        return count

    def posterior(self, graph: Graph) -> LinkPosterior:
        """Return what an adversary may believe of links."""
        count, free = self.changed(graph), len(graph) * (len(graph) - 1) // 2 - graph.links
        true = Fraction(graph.links - count, graph.links) if graph.links else Fraction(0)
        return LinkPosterior(true, Fraction(count, free) if free else Fraction(0))

    def perturbed(self, graph: Graph, rng: np.random.Generator) -> Graph:
        """Return the graph with links removed and added."""
        count = self.changed(graph)
        gone = graph.edges[rng.choice(graph.links, count, replace=False)]
        return graph.edited(drawn_pairs(graph, count, rng), gone)

    def run(self, task: GraphTask, run: Run) -> Outcome:
        run.stage("searching")
        graph = self.perturbed(task.graph, run.rng)
        task.refuse_edits(2 * self.changed(task.graph))
        task.refuse_violations(graph, self.id)
        return Outcome(built=built_graph(graph, run.rng), facts=GraphFacts.of(task.graph, graph))


def drawn_pairs(graph: Graph, count: int, rng: np.random.Generator) -> Ints:
    """Return so many different pairs of nodes that are not linked, each set of them as likely as any other."""
    nodes = np.int64(len(graph))
    held = graph.edges[:, 0] * nodes + graph.edges[:, 1]
    free = int(nodes * (nodes - 1) // 2) - len(held)
    if count * 3 > free:  # nearly all are wanted: list them
        ones, others = np.triu_indices(int(nodes), 1)
        keys = np.setdiff1d(ones * nodes + others, held)
        chosen = rng.choice(keys, count, replace=False)
    else:
        chosen = np.empty(0, np.int64)
        while len(chosen) < count:
            ends = np.sort(rng.integers(0, nodes, (2 * (count - len(chosen)) + 8, 2)), axis=1)
            keys = (ends[:, 0] * nodes + ends[:, 1])[ends[:, 0] < ends[:, 1]]
            keys = keys[~among(held, keys)]
            both = np.concatenate((chosen, keys))
            chosen = both[np.sort(np.unique(both, return_index=True)[1])][:count]
    return np.stack((chosen // nodes, chosen % nodes), axis=1)
