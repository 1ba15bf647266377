"""Gain ratio: how much a refinement tells about the class for each bit that it tells at all."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.metric import MetricTraits, Refinement, SearchMetric
from sfumato.kernels.arrays import Floats, Ints
from sfumato.metrics.infogain import entropy, information_gain

__all__ = ["GainRatioScore", "split_information"]


def split_information(children: Ints) -> Floats:
    """Return ``-sum |child|/|parent| log2 |child|/|parent|`` over the last two axes (children x classes).

    >>> round(float(split_information(np.array([[5, 11], [16, 2]]))), 4)
    0.9975
    """
    return entropy(children.sum(axis=-1))


class GainRatioScore(SearchMetric):
    """How much a refinement tells about the class for each bit that it tells at all.

    ``Score(v) = InfoGain(v) / SplitInfo(v)`` with ``SplitInfo(v) = -sum over children c of |R_c|/|R_v| log2 |R_c|/|R_v|``; 0
    where all records go to one child. Information gain prefers values with many children; this does not, so that what several
    holders contribute can be compared. Ranges are cut where the information gain itself is largest.

    Examples
    --------
    >>> step = Refinement(np.array([21, 13]), np.array([[[5, 11], [16, 2]]]), 1.0, np.array([[0.5, 0.5]]))
    >>> [round(float(ratio), 4) for ratio in GainRatioScore().gain(step)]
    [0.2723]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 11.2.5.1, equations 11.1 and 11.2.
    Quinlan, *C4.5: Programs for Machine Learning*, 1993, section 2.2.
    """

    id: ClassVar[str] = "gain-ratio-score"
    traits: ClassVar[MetricTraits] = MetricTraits(better="higher", purpose="special", needs_target=True)

    def gain(self, step: Refinement) -> Floats:
        """Return the gain ratio of each way."""
        told = split_information(step.child_classes)
        return self.merit(step, told) / np.where(told > 0, told, 1.0) * (told > 0)

    def merit(self, step: Refinement, gain: Floats) -> Floats:
        """Return the information gain of each way."""
        return information_gain(step.parent_classes, step.child_classes)

    def score(self, gain: Floats, anonymity_loss: Floats) -> Floats:
        """Return the ratio itself."""
        return gain
