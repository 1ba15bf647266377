"""Distortion per gain of anonymity: the score of a bottom-up search where no class says what matters."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.metric import Coarsening, CoarseningMetric, MetricTraits
from sfumato.kernels.arrays import Floats

__all__ = ["DistortionPerGain"]


class DistortionPerGain(CoarseningMetric):
    """How many values a generalization step distorts for each unit of anonymity that it gains.

    ``score(g) = MD(g) / PG(g)``, to be minimised. ``MD`` is what the step adds to the minimal distortion: one for every
    record whose value is replaced by a more general one, ``|R_p|``. ``PG`` is the growth of the smallest group. A step that
    gains no anonymity scores infinity; if every step does, the smallest ``MD`` is taken. It is ``ilpg`` with distortion in
    place of information about a class.

    Examples
    --------
    >>> import numpy as np
    >>> step = Coarsening(np.array([[5], [3]]), np.array([0.25, 0.25]), 0.5, np.array([5, 3]), np.array([8]))
    >>> DistortionPerGain().cost(step)
    8.0
    >>> DistortionPerGain().score(np.array([8.0, 2.0]), np.array([4.0, 0.0])).tolist()
    [2.0, inf]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, sections 4.1.1 and 4.3, equation 4.11.
    """

    id: ClassVar[str] = "distortion-per-gain"
    traits: ClassVar[MetricTraits] = MetricTraits(better="lower", purpose="trade-off")

    def cost(self, step: Coarsening) -> float:
        """Return the number of records whose value becomes more general."""
        return float(step.child_classes.sum())

    def score(self, cost: Floats, anonymity_gain: Floats) -> Floats:
        """Return distortion over gain, infinite without gain."""
        gained = anonymity_gain > 0
        return np.asarray(np.divide(cost, anonymity_gain, out=np.full(len(cost), np.inf), where=gained))
