"""Eigenvalue change: how much of the joint spread of numbers was lost or added, along their main directions."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.metric import ComparedMetric, Measured, MetricTraits
from sfumato.data.messages import say
from sfumato.groups.compared import ComparedTables
from sfumato.kernels.arrays import Floats

__all__ = ["EigenvalueChange"]


class EigenvalueChange(ComparedMetric):
    """How much of the joint spread of numbers was lost or added, along their main directions.

    With the eigenvalues ``e`` and ``e'`` of the covariance matrices (``n - 1``) before and after, each in falling order, the
    mean of ``|e_i - e'_i| / e_i``. Rows need not be in the same order; an interval counts as its middle.

    Examples
    --------
    >>> import sfumato
    >>> raw = sfumato.from_rows(["a", "b"], [(1, 2), (2, 1), (3, 5), (4, 4)])
    >>> means = sfumato.from_rows(["a", "b"], [(1.5, 1.5), (1.5, 1.5), (3.5, 4.5), (3.5, 4.5)])
    >>> round(sfumato.measure(raw, means, EigenvalueChange()).value, 6)
    0.503444

    References
    ----------
    Templ, Kowarik, Meindl, "Statistical disclosure control for micro-data using the R package sdcMicro", 2015,
    doi:10.18637/jss.v067.i04.
    """

    id: ClassVar[str] = "eigenvalue-change"
    traits: ClassVar[MetricTraits] = MetricTraits(better="lower")

    def applies(self, published: ComparedTables) -> str | None:
        """Need numbers none of which follows from the others."""
        if not published.numbers:
            return say("needs.compared_numbers")
        if min(len(published.before), len(published.after)) < 2:
            return say("needs.varying_numbers")
        before = _eigenvalues(published.before)
        # What is 0 comes out as a trifle of the largest.
        return None if before[-1] > before[0] * 1e-12 and before[0] > 0 else say("needs.varying_numbers")

    def measure(self, published: ComparedTables) -> Measured:
        """Return the mean relative change."""
        before, after = _eigenvalues(published.before), _eigenvalues(published.after)
        return Measured(self.id, float((np.abs(before - after) / before).mean()), lowest=0.0, denominator=len(before))


def _eigenvalues(numbers: Floats) -> Floats:
    return np.asarray(np.linalg.eigvalsh(np.atleast_2d(np.cov(numbers, rowvar=False)))[::-1])
