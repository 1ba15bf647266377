"""How large groups of a random sample must be so that publishing them is differentially private, and how samples are drawn.

Keep each record with probability beta, and publish the groups of at least k kept records. For ``beta <= 1 - exp(-epsilon)`` and
``gamma = (exp(epsilon) - 1 + beta) / exp(epsilon)`` that is (epsilon, delta)-differentially private with

``delta = max over n >= ceil(k / gamma - 1) of P[Binomial(n, beta) > gamma n]``.

References: Li, Qardaji, Su, "On sampling, anonymization, and differential privacy: or, k-anonymization meets differential
privacy", 2012, doi:10.1145/2414456.2414474. Bild, Kuhn, Prasser, "SafePub: a truthful data anonymization algorithm with strong
privacy guarantees", 2018, doi:10.1515/popets-2018-0004.
"""

from __future__ import annotations

import secrets
from functools import lru_cache
from math import ceil, exp, expm1, floor, inf, lgamma, log, log1p

import numpy as np

from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Ints

__all__ = ["delta_of", "drawn_records", "largest_share", "required_size"]

_MOST = 100_000  # records of a group that nobody will ask for
_WORD = 2.0**64
_SLACK = 1e-12  # what rounding may hide of a bound: the tail begins a little too early rather than too late


def largest_share(epsilon: float) -> float:
    """Return the largest share of records that a sample may have.

    >>> round(largest_share(1.0), 6)
    0.632121
    """
    return -expm1(-epsilon)


def delta_of(k: int, beta: float, epsilon: float) -> float:
    """Return the delta of publishing groups of at least k records of a sample.

    >>> round(delta_of(5, 0.1, 1.0), 7)
    0.0001765
    """
    if beta >= 1:
        return 1.0  # everything is kept, and one record more is seen
    gamma = _bar(beta, epsilon)
    # The tail is at most exp(-n KL(gamma, beta)), which falls with n: from some n on no tail can be larger than one seen.
    # gamma is below 1, but may be rounded to it: what is left then is the chance that all n are kept, beta^n.
    fall = gamma * log(gamma / beta) + ((1 - gamma) * log((1 - gamma) / (1 - beta)) if gamma < 1 else 0.0)
    largest, n = 0.0, max(ceil(k / gamma - 1), 1)
    while exp(-n * fall) > largest:
        largest = max(largest, _tail(n, beta, gamma))
        n += 1
    return largest


def _bar(beta: float, epsilon: float) -> float:
    """Return gamma, the share of a group above which its sample tells too much."""
    return 1 - (1 - beta) * exp(-epsilon)


def _tail(n: int, beta: float, gamma: float) -> float:
    """Return P[Binomial(n, beta) > gamma n], added up from the small end."""
    first = floor(gamma * n * (1 - _SLACK)) + 1
    terms = [
        lgamma(n + 1) - lgamma(j + 1) - lgamma(n - j + 1) + j * log(beta) + (n - j) * log1p(-beta)
        for j in range(first, n + 1)
    ]
    return sum(exp(term) for term in reversed(terms))


@lru_cache(maxsize=64)
def required_size(epsilon: float, delta: float, beta: float) -> int:
    """Return the smallest k for which groups of k sampled records keep epsilon and delta.

    >>> [required_size(epsilon, 1e-5, largest_share(epsilon)) for epsilon in (0.5, 1.0, 2.0)]
    [51, 61, 113]
    """
    # All n records of a group are kept with chance beta^n, which alone asks for n >= log(delta) / log(beta): a large epsilon
    # hardly leaves anybody out of the sample, and then groups must be huge.
    least = _bar(beta, epsilon) * log(delta) / log(beta) if beta < 1 else inf
    # Deltas fall with k but for steps of rounding up: no smaller k is passed over, as each that may do is tried.
    for k in range(max(1, floor(min(least, _MOST) * (1 - _SLACK)) - 1), _MOST):
        if delta_of(k, beta, epsilon) <= delta:
            return k
    raise BadRequest(
        f"asks for groups of more than {_MOST:,} records where epsilon is {epsilon:g} and so many are sampled; ask for a "
        "smaller epsilon, or give a smaller beta",
        parameter="delta",
        value=delta,
    )


def drawn_records(counts: Ints, beta: float) -> Ints:
    """Return how many of each row's records are kept, each with probability beta; no seed repeats the draw.

    The share is rounded down to a multiple of 2^-64: a smaller one only protects more.
    """
    words = np.frombuffer(secrets.token_bytes(8 * int(counts.sum())), np.uint64)
    kept = np.concatenate([[0], np.cumsum(words < np.uint64(floor(beta * _WORD)))])
    end = np.cumsum(counts)
    return np.asarray(kept[end] - kept[end - counts], np.int64)
