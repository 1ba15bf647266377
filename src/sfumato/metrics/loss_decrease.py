"""Loss decrease per loss of anonymity: a general-purpose score for data without a class to predict."""

from __future__ import annotations

from typing import ClassVar

from sfumato.contracts.metric import MetricTraits, Refinement, SearchMetric
from sfumato.kernels.arrays import Floats

__all__ = ["LossDecrease"]


class LossDecrease(SearchMetric):
    """How much domain a refinement gives back per loss of anonymity, for data without a class to predict.

    ``gain(v) = sum over children c of |R_c| * (|v| - |c|) / |D|``: each record that moves from ``v`` to ``c`` leaves that
    share of its domain less open. The score divides by ``AnonyLoss(v) + 1`` as ``igpl`` does; the book allows the
    decrease of a data metric in the place of the information gain.

    Examples
    --------
    >>> import numpy as np
    >>> step = Refinement(np.array([10]), np.array([[[6], [4]]]), 1.0, np.array([[0.5, 0.5]]))
    >>> LossDecrease().gain(step).tolist()
    [5.0]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 4.3.
    """

    id: ClassVar[str] = "loss-decrease"
    traits: ClassVar[MetricTraits] = MetricTraits(better="higher", purpose="trade-off")

    def gain(self, step: Refinement) -> Floats:
        """Return the share of domain that each way gives back, summed over records."""
        records = step.child_classes.sum(axis=-1)
        back: Floats = (records * (step.parent_share - step.child_share)).sum(axis=-1)
        return back

    def score(self, gain: Floats, anonymity_loss: Floats) -> Floats:
        """Return gain over loss plus one."""
        return gain / (anonymity_loss + 1.0)
