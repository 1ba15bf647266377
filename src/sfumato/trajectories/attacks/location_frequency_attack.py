"""Linkage by how often places were visited: who knows that of some places looks for traces with the same numbers."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.attack import AttackTraits
from sfumato.data.messages import say
from sfumato.kernels.arrays import Floats, Ints
from sfumato.trajectories.attacks._mobility import FrequencyAttack, mobility_traits

__all__ = ["LocationFrequencyAttack"]


class LocationFrequencyAttack(FrequencyAttack):
    """Try all sets of ``power`` distinct places of a trace, of which it is known how often each was visited.

    A person fits if each place was visited as often, up to ``tolerance``: ``(1 - tolerance) f <= f' <= (1 + tolerance) f``; the
    risk is the largest ``1 / |persons who fit|``. Whoever knows more places than a trace has knows all of them.

    Adversary: knows distinct places that a person visited, and how often, up to a tolerance.

    Examples
    --------
    >>> from sfumato.trajectories import Trajectories
    >>> from sfumato.trajectories.attack import TrajectoryKnowledge
    >>> from sfumato.contracts.run import Run
    >>> paths = Trajectories.of([[("a", 1), ("a", 2)], [("a", 1), ("b", 2)], [("a", 5)]])
    >>> LocationFrequencyAttack(power=1).on(paths, TrajectoryKnowledge(), Run()).per_victim.tolist()
    [1.0, 1.0, 0.5]

    References
    ----------
    Pellungrini, Pappalardo, Pratesi, Monreale, "A data mining approach to assess privacy risk in human mobility data", 2017,
    doi:10.1145/3106774.
    Pappalardo, Simini, Barlacchi, Pellungrini, "scikit-mobility: a Python library for the analysis, generation, and risk
    assessment of mobility data", 2022, doi:10.18637/jss.v103.i04.
    """

    id: ClassVar[str] = "location-frequency-attack"
    traits: ClassVar[AttackTraits] = mobility_traits("how often places of a trace were visited")
    adversary: ClassVar[str] = say("adversary.location-frequency-attack")
    title: ClassVar[str] = "linkage by numbers of visits"

    def values(self, counts: Ints, totals: Ints) -> Floats:
        """Return how often each place was visited."""
        return counts.astype(np.float64)
