"""Generalized trajectories: points in larger places and longer times, all of them true."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from sfumato.contracts.release import ReleaseTraits
from sfumato.trajectories.releases.recoded_trajectories import RecodedTrajectories

__all__ = ["GeneralizedTrajectories"]


class GeneralizedTrajectories(RecodedTrajectories):
    """Paths whose places are larger and whose times are longer than they were, the same for everybody.

    Every published point is true of its person. Of several places at one of the longer times the first is shown.

    Adversary: reads both tables and knows some points of a person's path.

    Examples
    --------
    >>> GeneralizedTrajectories().operation("place")
    'trajectory-generalization'

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, sections 14.2 and 14.6.
    """

    id: ClassVar[str] = "generalized-trajectories"
    traits: ClassVar[ReleaseTraits] = replace(RecodedTrajectories.traits, mixed_granularity=False)

    def operation(self, column: str) -> str:
        return "trajectory-generalization" if column in ("place", "time") else "none"
