"""Linkage by how places compare: who knows how often some places were visited beside each other looks for the same."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.attack import AttackTraits
from sfumato.data.messages import say
from sfumato.kernels.arrays import Floats, Ints
from sfumato.trajectories.attacks._mobility import FrequencyAttack, mobility_traits

__all__ = ["LocationProportionAttack"]


class LocationProportionAttack(FrequencyAttack):
    """Try all sets of ``power`` distinct places of a trace, of which it is known how their visits compare.

    What is known of a set is ``q = f / max f`` for each of its places. A person fits if the same places compare in the same
    way, up to ``tolerance``: ``(1 - tolerance) q <= q' <= (1 + tolerance) q``; the risk is the largest ``1 / |persons who
    fit|``. Whoever knows more places than a trace has knows all of them.

    Adversary: knows distinct places that a person visited, and how often in comparison with each other, up to a tolerance.

    Examples
    --------
    >>> from sfumato.trajectories import Trajectories
    >>> from sfumato.trajectories.attack import TrajectoryKnowledge
    >>> from sfumato.contracts.run import Run
    >>> two = [("a", 1), ("a", 2), ("b", 3), ("b", 4)]
    >>> paths = Trajectories.of([[("a", 1), ("b", 2)], two, [("a", 5), ("b", 6), ("a", 7)]])
    >>> LocationProportionAttack(power=2).on(paths, TrajectoryKnowledge(), Run()).per_victim.tolist()
    [0.5, 0.5, 1.0]

    References
    ----------
    Pellungrini, Pappalardo, Pratesi, Monreale, "A data mining approach to assess privacy risk in human mobility data", 2017,
    doi:10.1145/3106774.
    Pappalardo, Simini, Barlacchi, Pellungrini, "scikit-mobility: a Python library for the analysis, generation, and risk
    assessment of mobility data", 2022, doi:10.18637/jss.v103.i04.
    """

    id: ClassVar[str] = "location-proportion-attack"
    traits: ClassVar[AttackTraits] = mobility_traits("how visits of places of a trace compare")
    adversary: ClassVar[str] = say("adversary.location-proportion-attack")
    title: ClassVar[str] = "linkage by proportions of visits"

    def values(self, counts: Ints, totals: Ints) -> Floats:
        """Return the visits of each place beside the most of its set."""
        return np.asarray(counts / counts.max(axis=1, keepdims=True), np.float64)
