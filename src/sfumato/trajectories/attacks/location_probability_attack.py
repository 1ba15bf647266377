"""Linkage by shares of visits: who knows which share of a trace some places have looks for traces with the same shares."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.attack import AttackTraits
from sfumato.data.messages import say
from sfumato.kernels.arrays import Floats, Ints
from sfumato.trajectories.attacks._mobility import FrequencyAttack, mobility_traits

__all__ = ["LocationProbabilityAttack"]


class LocationProbabilityAttack(FrequencyAttack):
    """Try all sets of ``power`` distinct places of a trace, of which it is known which share of all visits each has.

    A person fits if each place has the same share ``p = f / n`` of the visits, up to ``tolerance``: ``(1 - tolerance) p <= p'
    <= (1 + tolerance) p``; the risk is the largest ``1 / |persons who fit|``. Whoever knows more places than a trace has knows
    all of them.

    Adversary: knows distinct places that a person visited, and which share of the visits they have, up to a tolerance.

    Examples
    --------
    >>> from sfumato.trajectories import Trajectories
    >>> from sfumato.trajectories.attack import TrajectoryKnowledge
    >>> from sfumato.contracts.run import Run
    >>> paths = Trajectories.of([[("a", 1), ("a", 2)], [("a", 1), ("b", 2)], [("a", 5)]])
    >>> LocationProbabilityAttack(power=1).on(paths, TrajectoryKnowledge(), Run()).per_victim.tolist()
    [0.5, 1.0, 0.5]

    References
    ----------
    Pellungrini, Pappalardo, Pratesi, Monreale, "A data mining approach to assess privacy risk in human mobility data", 2017,
    doi:10.1145/3106774.
    Pappalardo, Simini, Barlacchi, Pellungrini, "scikit-mobility: a Python library for the analysis, generation, and risk
    assessment of mobility data", 2022, doi:10.18637/jss.v103.i04.
    """

    id: ClassVar[str] = "location-probability-attack"
    traits: ClassVar[AttackTraits] = mobility_traits("which share of the visits places of a trace have")
    adversary: ClassVar[str] = say("adversary.location-probability-attack")
    title: ClassVar[str] = "linkage by shares of visits"

    def values(self, counts: Ints, totals: Ints) -> Floats:
        """Return the share of each place in all visits of the person."""
        return np.asarray(counts / totals[:, None], np.float64)
