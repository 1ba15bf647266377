"""IGPL: information gain per loss of anonymity, the score of Top-Down Refinement."""

from __future__ import annotations

from typing import ClassVar

from sfumato.contracts.metric import MetricTraits, Refinement, SearchMetric
from sfumato.kernels.arrays import Floats
from sfumato.metrics.infogain import information_gain

__all__ = ["IGPL"]


class IGPL(SearchMetric):
    """Information gain per loss of anonymity, the score of Top-Down Refinement.

    ``Score(v) = InfoGain(v) / (AnonyLoss(v) + 1)`` where ``AnonyLoss(v)`` is the average, over the quasi-identifiers that
    contain the attribute, of ``A(QID) - A_v(QID)``: the smallest group before minus after the step.

    Examples
    --------
    >>> import numpy as np
    >>> [round(float(score), 4) for score in IGPL().score(np.array([0.2716]), np.array([18.0]))]
    [0.0143]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 4.3, equations 4.7 and 4.10.
    Fung, Wang, Yu, "Anonymizing classification data for privacy preservation", 2007, doi:10.1109/TKDE.2007.1015.
    """

    id: ClassVar[str] = "igpl"
    aliases: ClassVar[tuple[str, ...]] = ("tdr-score", "mashup-score-igpl")
    traits: ClassVar[MetricTraits] = MetricTraits(better="higher", purpose="trade-off", needs_target=True)

    def gain(self, step: Refinement) -> Floats:
        """Return the information gain of each way."""
        return information_gain(step.parent_classes, step.child_classes)

    def score(self, gain: Floats, anonymity_loss: Floats) -> Floats:
        """Return gain over loss plus one."""
        return gain / (anonymity_loss + 1.0)
