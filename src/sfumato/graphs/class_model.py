"""Requirements that put nodes into classes which must be large enough: whom the adversary cannot tell apart."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from sfumato.contracts.model import Model, Verdict, Violation
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.graphs.candidates import Classes
from sfumato.graphs.graph import Graph
from sfumato.graphs.supernodes import Supernodes
from sfumato.graphs.traits import GraphTraits
from sfumato.kernels.arrays import Ints

__all__ = ["ClassModel"]


class ClassModel(Model[Graph | Supernodes]):
    """Every node shares what the adversary knows of it with k - 1 others or more; or all but a tolerated share of them.

    Nodes of a published super-node cannot be told apart by anything of the structure, so that the sizes of super-nodes decide
    where these are published.
    """

    traits: ClassVar[GraphTraits]
    level: ClassVar[str] = "k"

    k: int = param(ge=1, doc="smallest number of nodes that must look alike")
    tolerated: float = param(
        default=0.0, ge=0, lt=1, doc="share of the nodes that may still have fewer that look alike"
    )

    @abstractmethod
    def classes(self, graph: Graph) -> Classes:
        """Return the classes of nodes that look alike to the adversary."""

    def necessary(self, records: int) -> str | None:
        """Fewer nodes than must look alike can never do."""
        return f"k={self.k} is larger than the number of nodes, {records}" if records < self.k else None

    def judge(self, view: Graph | Supernodes, *, worst: int = 10) -> Verdict:
        """Judge the classes of the graph, or the super-nodes; what is told are the smallest classes that violate."""
        sizes = view.sizes if isinstance(view, Supernodes) else self.classes(view).counts
        return self.judged(sizes[sizes > 0], worst=worst)

    def judged(self, sizes: Ints, *, worst: int = 10) -> Verdict:
        """Judge classes by their sizes."""
        broken = np.flatnonzero(sizes < self.k)
        spared = int(np.floor(self.tolerated * sizes.sum() + 1e-9))
        shown = broken[np.argsort(sizes[broken], kind="stable")][:worst]
        return self.verdict(
            satisfied=int(sizes[broken].sum()) <= spared,
            strongest=_smallest(sizes, spared),
            groups=len(sizes),
            records=int(sizes.sum()),
            bound=say("bound.most_nodes", k=self.k, share=self.tolerated)
            if self.tolerated
            else say("bound.nodes", k=self.k),
            violations=[Violation((int(at),), int(sizes[at]), int(sizes[at])) for at in shown],
            violating_groups=len(broken),
            violating_records=int(sizes[broken].sum()),
        )


def _smallest(sizes: Ints, spared: int) -> int | None:
    """Return the size of the smallest class, those that may be spared left aside; nothing without classes."""
    rising = np.sort(sizes)
    kept = rising[np.cumsum(rising) > spared]
    return int(kept[0]) if len(kept) else None
