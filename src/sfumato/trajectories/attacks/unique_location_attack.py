"""Linkage by distinct places: who knows some places of a trace, not how often, looks for traces that have them."""

from __future__ import annotations

from typing import ClassVar

from sfumato.contracts.attack import AttackTraits
from sfumato.data.messages import say
from sfumato.kernels.arrays import Ints
from sfumato.trajectories.attacks._mobility import MobilityAttack, fitting_sets, mobility_traits, visits
from sfumato.trajectories.trajectories import Trajectories

__all__ = ["UniqueLocationAttack"]


class UniqueLocationAttack(MobilityAttack):
    """Try all sets of ``power`` distinct places of a trace; how often and when they were visited is not known.

    A person fits a set if the trace has all its places; the risk is the largest ``1 / |persons who fit|``. Whoever knows more
    places than a trace has knows all of them.

    Adversary: knows distinct places that a person visited.

    Examples
    --------
    >>> from sfumato.trajectories.attack import TrajectoryKnowledge
    >>> from sfumato.contracts.run import Run
    >>> paths = Trajectories.of([[("a", 1), ("a", 2)], [("a", 1), ("b", 2)], [("a", 5), ("b", 7)]])
    >>> UniqueLocationAttack(power=2).on(paths, TrajectoryKnowledge(), Run()).per_victim.tolist()
    [0.3333333333333333, 0.5, 0.5]

    References
    ----------
    Pellungrini, Pappalardo, Pratesi, Monreale, "A data mining approach to assess privacy risk in human mobility data", 2017,
    doi:10.1145/3106774.
    Pappalardo, Simini, Barlacchi, Pellungrini, "scikit-mobility: a Python library for the analysis, generation, and risk
    assessment of mobility data", 2022, doi:10.18637/jss.v103.i04.
    """

    id: ClassVar[str] = "unique-location-attack"
    traits: ClassVar[AttackTraits] = mobility_traits("distinct places of a trace")
    adversary: ClassVar[str] = say("adversary.unique-location-attack")
    title: ClassVar[str] = "linkage by distinct places"

    def fitting(self, paths: Trajectories, power: int) -> Ints:
        """Count persons who have the same places."""
        starts, places, _ = visits(paths)
        return fitting_sets(starts, places, power)
