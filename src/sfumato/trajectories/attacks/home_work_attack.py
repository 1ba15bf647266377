"""Linkage by home and work: who knows the two places where somebody is most often looks for the same two."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.attack import AttackTraits
from sfumato.data.messages import say
from sfumato.kernels.arrays import Ints
from sfumato.trajectories.attacks._mobility import MobilityAttack, fitting_sets, mobility_traits, visits
from sfumato.trajectories.trajectories import Trajectories

__all__ = ["HomeWorkAttack"]


class HomeWorkAttack(MobilityAttack):
    """Know the two most visited places of a person, and not which of them is which.

    Of places that were visited equally often the first by name counts. A person fits if the same two places are visited most,
    or for somebody with one place if it is one of the two; the risk is ``1 / |persons who fit|``. ``power`` changes nothing.

    Adversary: knows where a person lives and works.

    Examples
    --------
    >>> from sfumato.trajectories.attack import TrajectoryKnowledge
    >>> from sfumato.contracts.run import Run
    >>> paths = Trajectories.of([[("a", 1), ("b", 2)], [("b", 1), ("a", 2)], [("a", 5), ("c", 7)]])
    >>> HomeWorkAttack().on(paths, TrajectoryKnowledge(), Run()).per_victim.tolist()
    [0.5, 0.5, 1.0]

    References
    ----------
    Pellungrini, Pappalardo, Pratesi, Monreale, "A data mining approach to assess privacy risk in human mobility data", 2017,
    doi:10.1145/3106774.
    Pappalardo, Simini, Barlacchi, Pellungrini, "scikit-mobility: a Python library for the analysis, generation, and risk
    assessment of mobility data", 2022, doi:10.18637/jss.v103.i04.
    """

    id: ClassVar[str] = "home-work-attack"
    traits: ClassVar[AttackTraits] = mobility_traits("the two most visited places of a trace")
    adversary: ClassVar[str] = say("adversary.home-work-attack")
    title: ClassVar[str] = "linkage by home and work"

    def fitting(self, paths: Trajectories, power: int) -> Ints:
        """Count persons with the same two places."""
        starts, places, counts = visits(paths)
        owners = np.repeat(np.arange(len(paths)), np.diff(starts))
        order = np.lexsort((places, -counts, owners))
        first = (np.arange(len(order)) - starts[owners]) < 2
        kept = np.concatenate(([0], np.cumsum(np.minimum(np.diff(starts), 2)))).astype(np.int64)
        return fitting_sets(kept, places[order[first]], 2)
