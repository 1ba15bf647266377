"""Information gain: how much a refinement tells about the class."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.metric import MetricTraits, Refinement, SearchMetric
from sfumato.kernels.arrays import Floats, Ints

__all__ = ["InfoGain", "entropy", "information_gain"]


def entropy(counts: Ints) -> Floats:
    """Return ``-sum p log2 p`` along the last axis of class counts; 0 where there is no record.

    >>> round(float(entropy(np.array([21, 13]))), 6)
    0.959687
    """
    total = counts.sum(axis=-1, keepdims=True)
    share = counts / np.maximum(total, 1)
    bits = np.log2(share, out=np.zeros_like(share), where=counts > 0)
    return np.asarray(-(share * bits).sum(axis=-1))


def information_gain(parent: Ints, children: Ints) -> Floats:
    """Return ``I(parent) - sum |child|/|parent| I(child)`` over the last two axes (children x classes).

    Rounding noise below 0 is clamped.
    """
    total = max(int(parent.sum()), 1)
    rest = (children.sum(axis=-1) / total * entropy(children)).sum(axis=-1)
    return np.asarray(np.maximum(entropy(parent) - rest, 0.0) + 0.0)


class InfoGain(SearchMetric):
    """How much a refinement tells about the class, whatever anonymity it costs.

    ``InfoGain(v) = I(R_v) - sum over children c of |R_c|/|R_v| * I(R_c)`` with ``I`` the class entropy in bits and ``R_v``
    all records masked to ``v``. It may burn all anonymity in one step; ``igpl`` weighs the two.

    Examples
    --------
    >>> round(float(information_gain(np.array([21, 13]), np.array([[5, 11], [16, 2]]))), 4)
    0.2716

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 4.3, equations 4.8 and 4.9.
    """

    id: ClassVar[str] = "infogain"
    traits: ClassVar[MetricTraits] = MetricTraits(better="higher", purpose="special", needs_target=True)

    def gain(self, step: Refinement) -> Floats:
        """Return the information gain of each way."""
        return information_gain(step.parent_classes, step.child_classes)

    def score(self, gain: Floats, anonymity_loss: Floats) -> Floats:
        """Return the gain itself."""
        return gain
