"""Linkage by the order of places: who knows where somebody went one after the other looks for traces that do so."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.attack import AttackTraits
from sfumato.data.messages import say
from sfumato.kernels.arrays import Ints
from sfumato.trajectories.attacks._mobility import MobilityAttack, fitting_sets, mobility_traits
from sfumato.trajectories.trajectories import Trajectories

__all__ = ["LocationSequenceAttack"]


class LocationSequenceAttack(MobilityAttack):
    """Try all sequences of ``power`` places of a trace, in their order; when they were visited is not known.

    A person fits a sequence if it is a subsequence of the places of the trace; the risk is the largest
    ``1 / |persons who fit|``. Whoever knows more points than a trace has knows all of it.

    Adversary: knows places that a person visited, and in which order.

    Examples
    --------
    >>> from sfumato.trajectories.attack import TrajectoryKnowledge
    >>> from sfumato.contracts.run import Run
    >>> paths = Trajectories.of([[("a", 1), ("b", 2)], [("b", 1), ("a", 2)], [("a", 5), ("b", 7)]])
    >>> LocationSequenceAttack(power=2).on(paths, TrajectoryKnowledge(), Run()).per_victim.tolist()
    [0.5, 1.0, 0.5]

    References
    ----------
    Pellungrini, Pappalardo, Pratesi, Monreale, "A data mining approach to assess privacy risk in human mobility data", 2017,
    doi:10.1145/3106774.
    Pappalardo, Simini, Barlacchi, Pellungrini, "scikit-mobility: a Python library for the analysis, generation, and risk
    assessment of mobility data", 2022, doi:10.18637/jss.v103.i04.
    """

    id: ClassVar[str] = "location-sequence-attack"
    traits: ClassVar[AttackTraits] = mobility_traits("places of a trace in their order")
    adversary: ClassVar[str] = say("adversary.location-sequence-attack")
    title: ClassVar[str] = "linkage by the order of places"

    def fitting(self, paths: Trajectories, power: int) -> Ints:
        """Count persons who went to the same places one after the other."""
        return fitting_sets(paths.starts, paths.places.astype(np.int64), power, ordered=True)
