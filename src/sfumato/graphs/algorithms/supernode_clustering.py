"""Super-node clustering: nodes are grouped, and only sizes of groups and numbers of links are published."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from sfumato.contracts.algorithm import Outcome, Search, SearchTraits
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.errors import BadRequest, Infeasible
from sfumato.graphs.algorithms._annealing_kernels import anneal
from sfumato.graphs.graph import Graph
from sfumato.graphs.refinement import compact
from sfumato.graphs.releases.supernode_graph import SupernodeFacts, SupernodeGraph
from sfumato.graphs.supernodes import Supernodes
from sfumato.graphs.task import GraphTask
from sfumato.kernels.arrays import Ints

__all__ = ["SupernodeClustering"]

_SMALL = 64


class SupernodeClustering(Search[GraphTask]):
    """Group nodes so that few graphs fit what is told of the groups: simulated annealing over the number of possible worlds.

    Every super-node has k nodes or more, which nothing of the structure tells apart. The fewer graphs W fit the sizes and the
    numbers of links, the more is left to analysts: utility is ``1 / |W|``. Proposals move a node, exchange two, split a
    super-node or join two; the best partition that was met is published. Small graphs begin with one super-node, larger ones
    with runs of nodes that lie near each other.

    Adversary: may know everything of the structure around her victim.

    Examples
    --------
    >>> graph = Graph.of([("a", "b"), ("b", "c"), ("c", "a"), ("d", "e"), ("e", "f"), ("f", "d")])
    >>> found = SupernodeClustering().clustered(graph, 3, np.random.default_rng(1))
    >>> found.worlds, found.sizes.tolist()
    (1, [3, 3])

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, sections 15.2.2 and 15.3.2.
    Hay, Miklau, Jensen, Towsley, Weis, "Resisting structural re-identification in anonymized social networks", 2008,
    doi:10.14778/1453856.1453873.
    """

    id: ClassVar[str] = "supernode-clustering"
    traits: ClassVar[SearchTraits] = SearchTraits(
        release="supernode-graph",
        optimal=False,
        deterministic=True,
        truthful=True,
        anytime=False,
        cost="proposals x (degree + super-nodes)",
    )

    proposals: int = param(default=20, ge=1, doc="proposals in an epoch, for each node")
    heat: float = param(default=2.0, gt=0, doc="temperature at the beginning")
    cooling: float = param(default=0.9, gt=0, lt=1, doc="what the temperature is multiplied with after each epoch")
    epochs: int = param(default=60, ge=1, doc="epochs at most")

    def run(self, task: GraphTask, run: Run) -> Outcome:
        known = ("k-degree-anonymity", "k-candidate-anonymity", "k-neighborhood-anonymity", "k-automorphism")
        k = max(task.largest("k", self.id, known), task.alike)
        run.stage("searching")
        found = self.clustered(task.graph, k, run.rng)
        facts = SupernodeFacts(nodes=len(task.graph), supernodes=len(found.sizes), log_worlds=found.log_worlds)
        return Outcome(built=SupernodeGraph.build(found, run.rng), facts=facts)

    def clustered(self, graph: Graph, k: int, rng: np.random.Generator) -> Supernodes:
        """Return super-nodes of k nodes or more."""
        nodes = len(graph)
        if nodes < k:
            raise Infeasible(f"k={k} is larger than the number of nodes, {nodes}", measured=nodes, bound=k)
        first = np.zeros(nodes, np.int64)
        if nodes > _SMALL:
            first[_walked(graph)] = np.minimum(np.arange(nodes) // k, nodes // k - 1)
        member, _ = anneal(
            graph.starts,
            graph.targets,
            first,
            k,
            max(self.proposals * nodes, 2000),
            self.heat,
            self.cooling,
            self.epochs,
            rng,
        )
        return Supernodes.of_members(graph, compact(member).astype(np.int64))

    def optimum(self, graph: Graph, k: int) -> tuple[int, int, list[Supernodes]]:
        """Return how many partitions there are, the fewest possible worlds and all partitions with them; for small graphs."""
        if len(graph) > 10:
            raise BadRequest("must have at most 10 nodes to try every partition", parameter="graph", value=len(graph))
        every = [Supernodes.of_members(graph, one) for one in _partitions(len(graph), k)]
        fewest = min(one.worlds for one in every)
        return len(every), fewest, [one for one in every if one.worlds == fewest]


def _partitions(nodes: int, k: int) -> Iterator[Ints]:
    """Yield every partition into parts of k or more, as the part of each node, parts in the order of their first node."""

    def onward(held: list[int]) -> Iterator[list[int]]:
        if len(held) == nodes:
            if min(held.count(part) for part in set(held)) >= k:
                yield held
            return
        for part in range(max(held, default=-1) + 2):
            yield from onward([*held, part])

    for found in onward([]):
        yield np.array(found, np.int64)


def _walked(graph: Graph) -> Ints:
    """Return the nodes breadth first, from those with most links."""
    seen = np.zeros(len(graph), np.bool_)
    out: list[int] = []
    for first in np.argsort(-graph.degrees, kind="stable").tolist():
        if seen[first]:
            continue
        seen[first] = True
        at, begin = len(out), [first]
        out += begin
        while at < len(out):
            near = graph.neighbours(out[at])
            fresh = near[~seen[near]]
            seen[fresh] = True
            out += fresh.tolist()
            at += 1
    return np.array(out, np.int64)
