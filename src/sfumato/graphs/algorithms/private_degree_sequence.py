"""Private degree sequence: degrees with noise, put right by their order, and a synthetic graph that has them."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.algorithm import Outcome, SearchTraits
from sfumato.contracts.built import Built
from sfumato.contracts.mechanism import Mechanism
from sfumato.contracts.model import Audit, MechanismModel
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.graphs.graph import Graph
from sfumato.graphs.models.edge_differential_privacy import EdgeDifferentialPrivacy
from sfumato.graphs.releases.synthetic_graph import SyntheticGraph
from sfumato.graphs.task import GraphTask
from sfumato.kernels.arrays import Floats, Ints
from sfumato.perturbations.opendp_noise import OpenDPLaplace

__all__ = ["PrivateDegreeSequence", "graph_with_degrees", "rising_fit"]


class PrivateDegreeSequence(Mechanism[GraphTask]):
    """Add noise to the sorted degrees, put them in order again, and publish a random graph with such degrees.

    One link changes two degrees by one, so the sorted sequence changes by 2 in the sum of absolute values: discrete Laplace
    noise of scale ``2 / epsilon`` (drawn by OpenDP) makes it epsilon-private for links. The nearest rising sequence in the sum
    of squares removes most of the noise again at no cost. The graph links nodes of largest degree first (Havel and Hakimi) and
    exchanges ends of links at random. The number of nodes is told. No seed repeats the noise.

    Examples
    --------
    >>> rising_fit(np.array([1.0, 3.0, 2.0, 4.0])).tolist()
    [1.0, 2.5, 2.5, 4.0]
    >>> PrivateDegreeSequence(epsilon=1.0).promised(EdgeDifferentialPrivacy(epsilon=1.0)).satisfied
    True

    References
    ----------
    Hay, Li, Miklau, Jensen, "Accurate estimation of the degree distribution of private networks", 2009,
    doi:10.1109/ICDM.2009.11.
    """

    id: ClassVar[str] = "private-degree-sequence"
    traits: ClassVar[SearchTraits] = SearchTraits(
        release=SyntheticGraph.id,
        optimal=False,
        deterministic=False,
        truthful=False,
        anytime=False,
        cost="linear in the number of links",
    )
    procedures: ClassVar[tuple[str, ...]] = (EdgeDifferentialPrivacy.id,)

    epsilon: float = param(gt=0, doc="what may be spent on every link")

    def run(self, task: GraphTask, run: Run) -> Outcome:
        """Charge what is spent, draw the noise, and make the graph."""
        self.refuse_counted(task.models)
        task.graph.refuse_unlisted()
        noise = OpenDPLaplace(self.epsilon, 2)
        run.charge(noise.epsilon)
        noisy = rising_fit(np.array(noise.add(np.sort(task.graph.degrees).tolist()), np.float64))
        graph = graph_with_degrees(np.clip(np.rint(noisy), 0, max(len(task.graph) - 1, 0)).astype(np.int64), run.rng)
        public = graph.relabelled(run.rng.permutation(len(graph)))
        kind = SyntheticGraph(epsilon=noise.epsilon, scale=noise.scale)
        asked = EdgeDifferentialPrivacy(epsilon=self.epsilon)
        return self.drawn(Built(kind, kind.parts_of(public)), asked, noise.epsilon)

    def promised(self, model: MechanismModel) -> Audit | None:
        """Return what the parameters alone say about a requirement on the procedure."""
        return (
            model.audit(OpenDPLaplace(self.epsilon, 2).epsilon) if isinstance(model, EdgeDifferentialPrivacy) else None
        )


def rising_fit(values: Floats) -> Floats:
    """Return the rising sequence with the smallest sum of squared differences: neighbours that fall are pooled."""
    means: list[float] = []
    counts: list[int] = []
    for value in values.tolist():
        means.append(value)
        counts.append(1)
        while len(means) > 1 and means[-2] > means[-1]:
            both = counts[-2] + counts[-1]
            pooled = (means[-2] * counts[-2] + means[-1] * counts[-1]) / both
            means[-2:], counts[-2:] = [pooled], [both]
    return np.repeat(means, counts)


def graph_with_degrees(degrees: Ints, rng: np.random.Generator) -> Graph:
    """Return a random graph with degrees as near to the given ones as can be."""
    from sfumato.graphs.algorithms.degree_preserving_rewiring import DegreePreservingRewiring
    from sfumato.graphs.degree_sequence_kernels import join_residuals

    nodes = len(degrees)
    empty = Graph.of_edges(nodes, np.empty((0, 2), np.int64))
    made, _ = join_residuals(empty.starts, empty.targets, degrees)
    return DegreePreservingRewiring(share=10.0).rewired(empty.with_edges(np.sort(made, axis=1)), rng)
