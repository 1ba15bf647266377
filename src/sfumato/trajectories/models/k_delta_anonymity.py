"""(k, delta)-anonymity: every path runs in a group of k or more that are never further apart than delta."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.model import Verdict, Violation, at_most
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.trajectories.moving_objects import MovingObjects, ObjectGroups, WalkModel
from sfumato.trajectories.traits import TrajectoryTraits
from sfumato.trajectories.trajectories import Trajectories

__all__ = ["KDeltaAnonymity"]


class KDeltaAnonymity(WalkModel):
    """Each path is in a group of k or more of which any two are within ``delta`` of each other at every time.

    Two paths over the same span co-localize if ``dist(a[t], b[t]) <= delta`` for every t of the span. A group is anonymous
    if it has at least k members and all pairs co-localize; a release is if each path lies in such a group. Only the published
    groups are judged: to find out whether there are any is a clique cover. Paths with different spans do not co-localize.

    It does not stop attribute linkage, and points are moved, so they are not true. Where the adversary knows positions more
    precisely than ``delta``, members of a group can be told apart: only ``delta = 0`` makes them alike.

    Adversary: knows where a person was, no more precisely than delta.

    Examples
    --------
    >>> objects = MovingObjects.of({"A": [(0, 0), (0, 0)], "B": [(6, 0), (0, 2)]})
    >>> groups = ObjectGroups.of(objects, [["A", "B"]])
    >>> KDeltaAnonymity(k=2, delta=6).judge(groups).satisfied, KDeltaAnonymity(k=3, delta=6).judge(groups).satisfied
    (True, False)

    References
    ----------
    Abul, Bonchi, Nanni, "Never walk alone: uncertainty for anonymity in moving objects databases", 2008,
    doi:10.1109/ICDE.2008.4497446.
    Trujillo-Rasua, Domingo-Ferrer, "On the privacy offered by (k, delta)-anonymity", 2013, doi:10.1016/j.is.2012.12.003.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 14.3.1.
    """

    id: ClassVar[str] = "k-delta-anonymity"
    traits: ClassVar[TrajectoryTraits] = TrajectoryTraits(
        frozenset({"record"}), "record", knows="uncertainty", truthful=False, continuous=True, coordinates=True
    )
    adversary: ClassVar[str] = say("adversary.k-delta-anonymity")
    level: ClassVar[str] = "k"

    k: int = param(ge=1, doc="smallest number of paths that run together")
    delta: float = param(ge=0, doc="largest distance of two of them at any time, in the unit of the coordinates")

    def judge(self, view: ObjectGroups | MovingObjects | Trajectories, *, worst: int = 10) -> Verdict:
        """Judge the published groups; paths without groups are each on their own."""
        if isinstance(view, Trajectories):
            view = MovingObjects.of_trajectories(view)
        groups = ObjectGroups(view, np.arange(len(view))) if isinstance(view, MovingObjects) else view
        sizes = np.array([len(members) for members in groups.members], np.int64)
        near = at_most(self.delta).holds(groups.spreads)
        counted = np.where(near, sizes, 1)  # who runs apart runs alone
        broken = np.flatnonzero(counted < self.k)
        order = broken[np.argsort(counted[broken], kind="stable")]
        return self.verdict(
            satisfied=not len(broken),
            strongest=int(counted.min()) if len(counted) else None,
            groups=len(sizes),
            records=len(groups.objects),
            bound=say("bound.k_delta", k=self.k, delta=self.delta),
            violations=[
                Violation((at,), int(sizes[at]), int(counted[at]), {"apart": float(groups.spreads[at])})
                for at in order[:worst].tolist()
            ],
            violating_groups=len(broken),
            violating_records=int(sizes[broken].sum()),
        )

    def necessary(self, records: int) -> str | None:
        return f"k={self.k} is larger than the number of persons, {records}" if records < self.k else None
