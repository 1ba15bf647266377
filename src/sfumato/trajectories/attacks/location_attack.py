"""Linkage by places: who knows some places of a trace, with how often, looks for traces that have them."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.attack import AttackTraits
from sfumato.data.messages import say
from sfumato.kernels.arrays import Ints
from sfumato.trajectories.attacks._mobility import MobilityAttack, fitting_sets, mobility_traits
from sfumato.trajectories.trajectories import Trajectories

__all__ = ["LocationAttack"]


class LocationAttack(MobilityAttack):
    """Try all sets of ``power`` points of a trace, of which the places are known and the times are not.

    A place may be in a set as often as it is in the trace. A person fits a set if the trace has each of its places at least as
    often; the risk is the largest ``1 / |persons who fit|``. Whoever knows more points than a trace has knows all of it.

    Adversary: knows places that a person visited, and how often, but not when.

    Examples
    --------
    >>> from sfumato.trajectories.attack import TrajectoryKnowledge
    >>> from sfumato.contracts.run import Run
    >>> paths = Trajectories.of([[("a", 1), ("a", 2)], [("a", 1), ("b", 2)], [("a", 5), ("b", 7)]])
    >>> LocationAttack(power=2).on(paths, TrajectoryKnowledge(), Run()).per_victim.tolist()
    [1.0, 0.5, 0.5]

    References
    ----------
    Pellungrini, Pappalardo, Pratesi, Monreale, "A data mining approach to assess privacy risk in human mobility data", 2017,
    doi:10.1145/3106774.
    Pappalardo, Simini, Barlacchi, Pellungrini, "scikit-mobility: a Python library for the analysis, generation, and risk
    assessment of mobility data", 2022, doi:10.18637/jss.v103.i04.
    """

    id: ClassVar[str] = "location-attack"
    traits: ClassVar[AttackTraits] = mobility_traits("places of a trace, with how often")
    adversary: ClassVar[str] = say("adversary.location-attack")
    title: ClassVar[str] = "linkage by visited places"

    def fitting(self, paths: Trajectories, power: int) -> Ints:
        """Count persons who have the same places at least as often."""
        return fitting_sets(paths.starts, paths.places.astype(np.int64), power)
