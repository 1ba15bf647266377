"""The attack graph of regions: who fits where, and who is left with one object when only whole assignments count."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.attack import Attack, AttackTraits, Details, Risk, spread
from sfumato.contracts.knowledge import Seen
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.trajectories.attack import TrajectoryKnowledge
from sfumato.trajectories.attack_graph import AttackGraph
from sfumato.trajectories.region_seen import RegionSeen
from sfumato.trajectories.regions import Cloaked

__all__ = ["AttackedRegions", "MobAttackGraph"]


@frozen
class AttackedRegions(Details):
    """How few objects an individual fits, how few are left when only perfect matchings count, and how many have one left."""

    smallest_degree: int
    smallest_left: int
    re_identified: int
    symmetric: bool


class MobAttackGraph(Attack[TrajectoryKnowledge]):
    """Link individuals to all objects whose regions hold where they were; drop links that no whole assignment has.

    Individual i is linked to object j if for all t in QID(i) its position at t lies in the region of j at t. Every individual
    is one object, so only links in some perfect matching count; the risk of i is one by the number of those. Who has one left
    is re-identified. Without the raw points the published regions themselves are compared: the true risk is at most that.

    Adversary: knows where everybody was at the times that may be known.

    Examples
    --------
    >>> from sfumato.trajectories.moving_objects import MovingObjects
    >>> from sfumato.trajectories.regions import Regions
    >>> raw = MovingObjects.of({"A": [(1, 1)], "B": [(2, 2)]})
    >>> view = Cloaked.of(raw, Regions.of({"A": [((1, 1), (1, 1))], "B": [((1, 1), (2, 2))]}))
    >>> MobAttackGraph().on(view).details["re_identified"]
    2

    References
    ----------
    Yarovoy, Bonchi, Lakshmanan, Wang, "Anonymizing moving objects: how to hide a MOB in a crowd?", 2009,
    doi:10.1145/1516360.1516370.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 14.4.1.
    """

    id: ClassVar[str] = "mob-attack-graph"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"record"}),
        knowledge="where persons were at the times that may be known of them",
        needs=frozenset(),
        victims="records",
    )
    adversary: ClassVar[str] = say("adversary.mob-attack-graph")
    title: ClassVar[str] = "linkage by regions"

    def on(self, view: Cloaked) -> Risk:
        """Return the risk of everybody whose regions are published."""
        graph = AttackGraph.of(view)
        risk = 1 / np.maximum(graph.left, 1)
        highest, mean = spread(risk)
        alone = int((graph.left == 1).sum())
        return Risk(
            attack=self.id,
            per_victim=risk,
            highest=highest,
            mean=mean,
            reading=say("reading.attack_graph", left=int(graph.left.min(initial=len(view))), alone=alone),
            details=AttackedRegions(
                int(graph.degrees.min(initial=len(view))),
                int(graph.left.min(initial=len(view))),
                alone,
                graph.symmetric,
            ),
        )

    def run(self, seen: Seen, knowledge: TrajectoryKnowledge, run: Run) -> Risk:
        """Try it on published regions; points are refused."""
        if not isinstance(seen, RegionSeen):
            raise BadRequest(f"{self.id} reads regions: give a release of the kind region-paths", parameter="release")
        return self.on(seen.cloaked)

    def unfit(self, seen: Seen, knowledge: TrajectoryKnowledge) -> str | None:
        """Say that there must be regions, where there are none."""
        return super().unfit(seen, knowledge) if isinstance(seen, RegionSeen) else say("needs.regions")
