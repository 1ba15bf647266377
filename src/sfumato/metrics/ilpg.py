"""ILPG: information loss per gain of anonymity, the score of Bottom-Up Generalization."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.metric import Coarsening, CoarseningMetric, MetricTraits
from sfumato.kernels.arrays import Floats
from sfumato.metrics.infogain import information_gain

__all__ = ["ILPG", "anonymity_gain"]


def anonymity_gain(before: float, after: float, k: float | None = None) -> float:
    """Return by how much the smallest group grows; what exceeds k earns nothing.

    >>> anonymity_gain(2, 7, k=5), anonymity_gain(2, 7)
    (3, 5)
    """
    return (after if k is None else min(after, k)) - before


class ILPG(CoarseningMetric):
    """Information loss per gain of anonymity, the score of Bottom-Up Generalization.

    ``ILPG(g) = IL(g) / PG(g)``, to be minimised. ``IL`` is the information about the class that is lost when values become
    one: ``I(R_p) - sum over values c of |R_c|/|R_p| * I(R_c)`` with ``I`` the class entropy in bits. ``PG`` is the growth of
    the smallest group, see :func:`anonymity_gain`. A step that gains no anonymity scores infinity; if every step does, the
    smallest ``IL`` is taken.

    Examples
    --------
    >>> import numpy as np
    >>> ILPG().score(np.array([0.2, 0.1]), np.array([4.0, 0.0])).tolist()
    [0.05, inf]
    >>> ILPG().best(np.array([0.2, 0.1]), np.array([4.0, 0.0])), ILPG().best(np.array([0.2, 0.1]), np.array([0.0, 0.0]))
    (0, 1)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 4.3, equation 4.11.
    Wang, Yu, Chakraborty, "Bottom-up generalization: a data mining solution to privacy protection", 2004,
    doi:10.1109/ICDM.2004.10110.
    """

    id: ClassVar[str] = "ilpg"
    traits: ClassVar[MetricTraits] = MetricTraits(better="lower", purpose="trade-off", needs_target=True)

    def cost(self, step: Coarsening) -> float:
        """Return the information about the class that is lost."""
        return float(information_gain(step.child_classes.sum(axis=0), step.child_classes))

    def score(self, cost: Floats, anonymity_gain: Floats) -> Floats:
        """Return loss over gain, infinite without gain."""
        gained = anonymity_gain > 0
        return np.asarray(np.divide(cost, anonymity_gain, out=np.full(len(cost), np.inf), where=gained))
