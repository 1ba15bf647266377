"""Estimates of surveys: weighted totals, means and shares, with the variance that strata and clusters leave.

Clusters count as drawn with replacement inside their strata. With the sums ``z`` of the clusters of a stratum, ``n`` of them,
``Var(total) = sum over strata of n / (n - 1) sum (z - mean z)^2``; a mean is that of the linearised ``w (x - mean) / sum w``.

References: Särndal, Swensson, Wretman, *Model Assisted Survey Sampling*, 1992; Lumley, *Complex Surveys*, 2010.
"""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Floats, Ints

__all__ = ["Estimate", "SurveyDesign", "interval_overlap"]


@frozen
class Estimate:
    """An estimate with its standard error."""

    value: float
    standard_error: float

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Return the normal confidence interval.

        >>> low, high = Estimate(10.0, 1.0).interval()
        >>> round(low, 2), round(high, 2)
        (8.04, 11.96)
        """
        if not 0 < confidence < 1:
            raise BadRequest("must be > 0 and < 1", parameter="confidence", value=confidence)
        half = NormalDist().inv_cdf((1 + confidence) / 2) * self.standard_error
        return self.value - half, self.value + half


def interval_overlap(first: tuple[float, float], second: tuple[float, float]) -> float:
    """Return half the sum of the shares that two intervals have of each other, 0 if they are disjoint.

    >>> interval_overlap((10, 20), (14, 26)), interval_overlap((0, 1), (2, 3)), interval_overlap((1, 1), (1, 1))
    (0.55, 0.0, 1.0)
    """
    common = min(first[1], second[1]) - max(first[0], second[0])
    if common < 0:
        return 0.0
    # An interval without width that lies in the other is covered by it.
    shares = [common / (high - low) if high > low else 1.0 for low, high in (first, second)]
    return sum(shares) / 2


@frozen(eq=False)
class SurveyDesign:
    """How records were drawn: the weight of each, and the cluster of each, whose stratum ``stratum`` tells.

    >>> import numpy as np
    >>> design = SurveyDesign.of(np.array([2.0, 2.0, 3.0, 3.0]), np.array([0, 0, 1, 1]), None)
    >>> numbers = np.array([1.0, 3.0, 2.0, 6.0])
    >>> design.total(numbers).value, round(design.total(numbers).standard_error, 6)
    (32.0, 12.649111)
    >>> design.mean(numbers).value
    3.2
    """

    weights: Floats
    cluster: Ints
    stratum: Ints

    @classmethod
    def of(cls, weights: Floats, strata: Ints | None, clusters: Ints | None) -> SurveyDesign:
        """Take weights, and numbers of strata and clusters; without clusters each record is one, without strata all are one."""
        if not len(weights) or not ((weights > 0) & (weights < np.inf)).all():
            raise BadRequest("weights must be positive, finite numbers", parameter="weight")
        layers = np.zeros(len(weights), np.int64) if strata is None else strata
        drawn = np.arange(len(weights)) if clusters is None else clusters
        # Clusters of different strata may share a name.
        pairs, cluster = np.unique(np.column_stack([layers, drawn]), axis=0, return_inverse=True)
        _, stratum, sizes = np.unique(pairs[:, 0], return_inverse=True, return_counts=True)
        if (sizes < 2).any():
            raise BadRequest(
                "needs at least two clusters, or records, in each stratum: one alone has no variance",
                parameter="clusters" if clusters is not None else "strata",
            )
        return cls(weights, cluster.reshape(-1), stratum)

    def total(self, numbers: Floats) -> Estimate:
        """Return the weighted total."""
        weighted = self.weights * numbers
        return Estimate(float(weighted.sum()), self._deviation(weighted))

    def mean(self, numbers: Floats) -> Estimate:
        """Return the weighted mean; of zeros and ones it is a share."""
        whole = float(self.weights.sum())
        mean = float((self.weights * numbers).sum()) / whole
        return Estimate(mean, self._deviation(self.weights * (numbers - mean) / whole))

    def _deviation(self, parts: Floats) -> float:
        """Return the standard error of a sum over records."""
        sums = np.bincount(self.cluster, parts, minlength=len(self.stratum))
        number = np.bincount(self.stratum)
        apart = sums - (np.bincount(self.stratum, sums) / number)[self.stratum]
        return sqrt(float((np.bincount(self.stratum, apart**2) * number / (number - 1)).sum()))
