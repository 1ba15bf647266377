"""Clopper-Pearson bounds: what the share of successes in some trials says, for certain enough, about their probability.

The bounds come from the binomial tails themselves, so they hold for every number of trials:
``lower(k, n, a)`` is the p for which k or more successes have probability a, ``upper(k, n, a)`` the p for which k or fewer do.

References: Clopper, Pearson, "The use of confidence or fiducial limits illustrated in the case of the binomial",
Biometrika 26(4), 1934, doi:10.1093/biomet/26.4.404.
"""

from __future__ import annotations

import numpy as np

from sfumato.kernels.arrays import Floats

__all__ = ["lower", "upper"]

STEPS = 60


def lower(successes: int, trials: int, level: float) -> float:
    """Return a bound that lies above the true probability in at most a share ``level`` of all experiments.

    >>> round(lower(10, 10, 0.025), 6)
    0.691503
    """
    if successes == 0:
        return 0.0
    counts = np.arange(successes, trials + 1, dtype=np.float64)
    ways = _log_ways(trials)[successes:]
    low, high = 0.0, 1.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        if _tail(counts, ways, trials, middle) <= level:
            low = middle
        else:
            high = middle
    return low


def upper(successes: int, trials: int, level: float) -> float:
    """Return a bound that lies below the true probability in at most a share ``level`` of all experiments.

    >>> round(upper(0, 10, 0.025), 6)
    0.308497
    """
    return 1.0 - lower(trials - successes, trials, level)


def _log_ways(trials: int) -> Floats:
    """Return ln C(n, i) for i = 0 ... n."""
    i = np.arange(1, trials + 1, dtype=np.float64)
    return np.concatenate([[0.0], np.cumsum(np.log(trials + 1 - i) - np.log(i))])


def _tail(counts: Floats, ways: Floats, trials: int, p: float) -> float:
    if p <= 0.0 or p >= 1.0:
        return float(p >= 1.0)
    terms = ways + counts * np.log(p) + (trials - counts) * np.log1p(-p)
    return float(np.exp(terms).sum())
