"""MOB k-anonymity: whoever knows where a person was at the times that may be known is left with k objects or more."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np

from sfumato.contracts.model import Verdict, Violation
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.kernels.arrays import Ints
from sfumato.trajectories.attack_graph import AttackGraph
from sfumato.trajectories.moving_objects import MovingObjects
from sfumato.trajectories.regions import Cloaked, RegionModel, Regions
from sfumato.trajectories.traits import TrajectoryTraits
from sfumato.trajectories.trajectories import Trajectories

__all__ = ["MobKAnonymity", "MobLevels"]


@frozen
class MobLevels:
    """The largest k for which each reading of the definition holds; 0 if none does.

    ``strict``: every individual fits k objects, and the graph is symmetric. ``mutual``: every individual has k edges whose
    mirror exists. ``matching``: everybody has k objects left when only perfect matchings count. Each one implies the next.
    """

    strict: int
    mutual: int
    matching: int


class MobKAnonymity(RegionModel):
    """In the attack graph every individual has k or more edges that go both ways, so that no assignment can be ruled out.

    Individual i fits object j if, at all times in QID(i), where i was lies in the region of j. The definition asks for
    ``degree >= k`` and a symmetric graph (``strict``). Merged classes add one-sided edges, which can only hide more, so what is
    asked here is ``mutual``: k edges (i, j) with their mirror (j, i), which is enough, because swapping i and j is a perfect
    matching. ``matching`` counts what is left after all edges in no perfect matching are gone.

    Who has the regions alone judges by them: a region inside another leaves an edge, whatever the true points are, so that a
    yes is a yes. It protects no sensitive value.

    Adversary: knows where a person was at the times that may be known of this person.

    Examples
    --------
    >>> raw = MovingObjects.of({"A": [(1, 1)], "B": [(2, 2)]})
    >>> both = ((1, 1), (2, 2))
    >>> MobKAnonymity(k=2).judge(Cloaked.of(raw, Regions.of({"A": [both], "B": [both]}))).satisfied
    True

    References
    ----------
    Yarovoy, Bonchi, Lakshmanan, Wang, "Anonymizing moving objects: how to hide a MOB in a crowd?", 2009,
    doi:10.1145/1516360.1516370.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 14.4.1, Definition 14.13.
    """

    id: ClassVar[str] = "mob-k-anonymity"
    traits: ClassVar[TrajectoryTraits] = TrajectoryTraits(
        frozenset({"record"}), "worlds", knows="times", truthful=True, coordinates=True
    )
    adversary: ClassVar[str] = say("adversary.mob-k-anonymity")
    level: ClassVar[str] = "k"

    k: int = param(ge=1, doc="smallest number of objects that an individual may be")
    reading: str = param(
        default="mutual", choices=("strict", "mutual", "matching"), doc="which reading of the definition must hold"
    )
    times: tuple[str, ...] | None = param(
        default=None, doc="times that may be known of everybody; all at which somebody was seen if not given"
    )

    def levels(self, view: Cloaked) -> MobLevels:
        """Return how far each reading of the definition holds."""
        graph = AttackGraph.of(view)
        return MobLevels(*(int(one.min(initial=len(view))) for one in _counts(graph).values()))

    def judge(self, view: Cloaked | MovingObjects | Trajectories, *, worst: int = 10) -> Verdict:
        """Judge regions; objects as they are stand where they are seen, paths in cells of a metre."""
        if isinstance(view, Trajectories):
            objects = MovingObjects.of_trajectories(view)
            view = replace(objects, x=np.floor(objects.x), y=np.floor(objects.y))
        shown = Cloaked.of(view, Regions.around(view)) if isinstance(view, MovingObjects) else view
        counted = _counts(AttackGraph.of(shown))[self.reading]
        broken = np.flatnonzero(counted < self.k)
        order = broken[np.argsort(counted[broken], kind="stable")][:worst]
        return self.verdict(
            satisfied=not len(broken),
            strongest=int(counted.min()) if len(counted) else None,
            groups=len(shown),
            records=len(shown),
            bound=f">= {self.k}",
            violations=[Violation((at,), 1, int(counted[at])) for at in order.tolist()],
            violating_groups=len(broken),
            violating_records=len(broken),
        )

    def necessary(self, records: int) -> str | None:
        return f"k={self.k} is larger than the number of persons, {records}" if records < self.k else None


def _counts(graph: AttackGraph) -> dict[str, Ints]:
    """Return for each reading how many objects each individual may be."""
    strict = graph.degrees if graph.symmetric else np.zeros(len(graph), np.int64)
    return {"strict": strict, "mutual": graph.mutual, "matching": graph.left}
