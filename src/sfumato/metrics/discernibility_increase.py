"""Discernibility increase: how many pairs of records a generalization step makes look alike."""

from __future__ import annotations

from typing import ClassVar, Literal

from sfumato.contracts.metric import Coarsening, CoarseningMetric, MetricTraits
from sfumato.contracts.thing import param
from sfumato.metrics.discernibility import sum_of_squares

__all__ = ["DiscernibilityIncrease"]


class DiscernibilityIncrease(CoarseningMetric):
    """How much the discernibility metric rises when values become one.

    ``cost = sum of |G|^2 over the groups after the step - the same before it``, over the groups that the step touches. A
    top-down search gets back what a bottom-up search pays.

    The book prints the sum of squares *before* the step and concludes that 50 and 50 records merge at less cost than 99 and
    1, against its own argument; ``mode="seed-literal"`` gives these numbers for comparison.

    Examples
    --------
    >>> import numpy as np
    >>> step = Coarsening(np.array([[99], [1]]), np.array([0.25, 0.25]), 0.5, np.array([99, 1]), np.array([100]))
    >>> DiscernibilityIncrease().cost(step), DiscernibilityIncrease(mode="seed-literal").cost(step)
    (198, 9802)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 4.1.3, equation 4.4.
    """

    id: ClassVar[str] = "discernibility-increase"
    traits: ClassVar[MetricTraits] = MetricTraits(better="lower")

    mode: Literal["increase", "seed-literal"] = param(
        default="increase", choices=("increase", "seed-literal"), doc="the rise itself, or the sum that the book prints"
    )

    def cost(self, step: Coarsening) -> float:
        """Return the rise of the discernibility metric."""
        before = sum_of_squares(step.finer)
        return before if self.mode == "seed-literal" else sum_of_squares(step.coarser) - before
