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
from bisect import bisect_left
from functools import lru_cache
from math import ceil, exp, expm1, floor, inf, lgamma, log, log1p

import numpy as np

from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Ints

__all__ = ["delta_of", "drawn_records", "largest_share", "required_size"]

_MOST = 100_000  # records of a group that nobody will ask for
_WORD = 2.0**64
_LARGE = 10_000_000  # records of a group above which a bound stands for a factorial
_LEAST = 1e-9  # what epsilon must leave so that anybody at all is sampled
_ROUNDING = 2.0**-53
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
    # While more than gamma n means the same number, tails grow with n: only the last n before that number grows can be largest.
    bar = gamma * (1 - _SLACK)
    n = max(ceil(k / gamma - 1), 1)
    first = floor(bar * n) + 1
    largest, n = 0.0, max(n, ceil(first / bar) - 1)
    while exp(-n * fall) > largest:
        largest = max(largest, _tail(n, beta, first))
        first += 1
        n = ceil(first / bar) - 1
    return largest


def _bar(beta: float, epsilon: float) -> float:
    """Return gamma, the share of a group above which its sample tells too much."""
    return beta + (1 - beta) * -expm1(-epsilon)


def _tail(n: int, beta: float, first: int) -> float:
    """Return P[Binomial(n, beta) >= first] for a first above the mean, never too small, added up from the small end.

    From there on each term is a smaller part of the one before, so that what is not worth adding is bounded by a geometric
    series; what rounding may hide of the logarithms of factorials is added too. Of a very large n, whose factorial would hide
    much, n over first is taken for n^first / first!, which is a little more.
    """
    odds, few = beta / (1 - beta), n <= _LARGE
    ways = lgamma(n + 1) - lgamma(n - first + 1) + first * log(beta) if few else first * log(n * beta)
    term = exp(ways - lgamma(first + 1) + (n - first) * log1p(-beta))
    terms, rest, j = [term], 0.0, first
    while j < n:
        ratio = (n - j) / (j + 1) * odds
        j, term = j + 1, term * ratio
        terms.append(term)
        if ratio < 1 and term <= _SLACK * _SLACK * terms[0]:
            rest = term * ratio / (1 - ratio)
            break
    hidden = (n if few else first) + 1
    return (sum(reversed(terms)) + rest) * (1 + 4 * _ROUNDING * hidden * log(hidden))


@lru_cache(maxsize=64)
def required_size(epsilon: float, delta: float, beta: float) -> int:
    """Return the smallest k for which groups of k sampled records keep epsilon and delta.

    >>> [required_size(epsilon, 1e-5, largest_share(epsilon)) for epsilon in (0.5, 1.0, 2.0)]
    [51, 61, 113]
    """
    if epsilon < _LEAST:
        raise BadRequest(
            f"leaves {epsilon:g} for the sample, which would hold nobody; at least {_LEAST:g} is needed",
            parameter="epsilon",
            value=epsilon,
        )
    # All n records of a group are kept with chance beta^n, which alone asks for n >= log(delta) / log(beta): a large epsilon
    # hardly leaves anybody out of the sample, and then groups must be huge.
    least = _bar(beta, epsilon) * log(delta) / log(beta) if beta < 1 else inf
    # A larger k leaves fewer n to take the largest of, so deltas never grow with k, and halving finds the smallest that does.
    low = max(1, floor(min(least, _MOST) * (1 - _SLACK)) - 1)
    high = low + bisect_left(range(low, _MOST), True, key=lambda k: delta_of(k, beta, epsilon) <= delta)
    if high < _MOST:
        return high
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
