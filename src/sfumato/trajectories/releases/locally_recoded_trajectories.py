"""Locally recoded trajectories: a pair may be there in one path and be left out of another that had it."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from sfumato.contracts.release import ReleaseTraits
from sfumato.trajectories.releases.recoded_trajectories import RecodedTrajectories

__all__ = ["LocallyRecodedTrajectories"]


class LocallyRecodedTrajectories(RecodedTrajectories):
    """Paths from some of which a pair was left out that others still have.

    Every published point is true of its person, but counts are not those of the original: who lacks a pair may have it.

    Adversary: reads both tables and knows some points of a person's path.

    Examples
    --------
    >>> LocallyRecodedTrajectories().part_names()
    ('persons', 'points')

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 14.2.1.4.
    """

    id: ClassVar[str] = "locally-recoded-trajectories"
    traits: ClassVar[ReleaseTraits] = replace(RecodedTrajectories.traits, truthful=False)
