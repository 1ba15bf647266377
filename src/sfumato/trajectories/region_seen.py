"""How an adversary reads published regions."""

from __future__ import annotations

from sfumato.contracts.knowledge import Seen
from sfumato.data.frozen import frozen
from sfumato.trajectories.regions import Cloaked

__all__ = ["RegionSeen"]


@frozen(eq=False, kw_only=True)
class RegionSeen(Seen):
    """Published regions; as a table she has one row for each person."""

    cloaked: Cloaked
