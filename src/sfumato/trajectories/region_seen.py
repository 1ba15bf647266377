"""How an adversary reads published regions."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.contracts.knowledge import Seen
from sfumato.trajectories.regions import Cloaked

__all__ = ["RegionSeen"]


@dataclass(frozen=True, eq=False, kw_only=True)
class RegionSeen(Seen):
    """Published regions; as a table she has one row for each person."""

    cloaked: Cloaked
