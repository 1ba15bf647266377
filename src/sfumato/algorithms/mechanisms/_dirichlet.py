"""Multinomial draws with a Dirichlet prior: what they disclose at most, and how they are drawn exactly.

A table of n records over K cells, with counts n_i and prior counts a, gives m records: shares are drawn from the
Dirichlet law with parameters ``n_i + a`` and m records from these shares. If m_i of them fall into cell i, replacing
one record of the table changes the probability of that output by a factor between ``1 / (1 + m_j / (n_j + a))`` and ``1
+ m_i / (n_i - 1 + a)``.

So ``a >= m / (e^epsilon - 1)`` makes every output safe. With a smaller prior an output is unsafe only if some ``m_i >
(e^epsilon - 1) (max(n_i - 1, 0) + a)``. The number m_i follows the beta-binomial law with parameters ``n_i + a`` and
``n - n_i + (K - 1) a``; its tail bounds the probability of unsafe outputs, over the worst of all tables of n records.
"""

from __future__ import annotations

import math

import numpy as np

from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Floats, Ints

__all__ = ["UNITS", "disclosure", "polya_draws", "smallest_prior", "sure_prior"]

# Priors are whole multiples of 1 / UNITS, so that records are drawn with whole numbers only.
UNITS = 1 << 20
_CAREFUL = 1 + 1e-12
_STEPS = 60

_lgamma = np.vectorize(math.lgamma, otypes=[np.float64])


def sure_prior(records: int, epsilon: float) -> int:
    """Return the smallest prior, in units, for which no output of this many records is unsafe.

    >>> sure_prior(100, math.log(2)) / UNITS
    100.00000095367432
    """
    return math.floor(records / math.expm1(epsilon) * _CAREFUL * UNITS) + 1


def smallest_prior(cells: int, table: int, records: int, epsilon: float, delta: float) -> int:
    """Return the smallest prior found, in units, for which outputs are unsafe with probability delta at most."""
    high = sure_prior(records, epsilon)
    if delta == 0:
        return high
    low = 0
    for _ in range(_STEPS):
        if high - low <= 1:
            break
        middle = (low + high) // 2
        if disclosure(cells, table, records, epsilon, middle) <= delta:
            high = middle
        else:
            low = middle
    return high


def disclosure(cells: int, table: int, records: int, epsilon: float, prior: int) -> float:
    """Return an upper bound of the probability of unsafe outputs over all tables of ``table`` records; prior in units.

    With t_c the tail of a cell with c records, and c adding up to n over the cells, the sum over cells is at most
    ``K t_0 + n max_c (t_c - t_0) / c``.
    """
    if prior >= sure_prior(records, epsilon):
        return 0.0
    if prior <= 0:
        return 1.0
    a = prior / UNITS
    # From here on every output of a cell is safe.
    last = min(table, math.ceil(records / math.expm1(epsilon) - a) + 2)
    counts = np.arange(max(last, 0) + 1, dtype=np.float64)
    limit = np.floor(math.expm1(epsilon) / _CAREFUL * (np.maximum(counts - 1, 0) + a))
    tails = _tails(records, counts + a, (table - counts) + (cells - 1) * a, limit.astype(np.int64) + 1)
    empty = float(tails[0])
    rise = float((np.maximum(tails[1:] - empty, 0) / counts[1:]).max()) if len(tails) > 1 else 0.0
    return min(1.0, cells * empty + table * rise)


def _tails(trials: int, a: Floats, b: Floats, first: Ints) -> Floats:
    """Return an upper bound of P(X >= first) for beta-binomial X, hardly above it."""
    out = np.zeros(len(a))
    live = np.flatnonzero(first <= trials)
    a, b, x = a[live], np.maximum(b[live], 1e-300), first[live].astype(np.float64)
    log_first = (
        math.lgamma(trials + 1)
        - _lgamma(x + 1)
        - _lgamma(trials - x + 1)
        + _lgamma(x + a)
        + _lgamma(trials - x + b)
        - _lgamma(trials + a + b)
        + _lgamma(a + b)
        - _lgamma(a)
        - _lgamma(b)
    )
    term = np.exp(log_first)
    total = term.copy()
    while len(live):
        left = trials - x
        more = left > 0
        ratio = np.where(more, left / (x + 1) * (x + a) / np.maximum(left - 1 + b, 1e-300), 0.0)
        # With b >= 1 the ratio of a term to the one before never exceeds this again, so a geometric series bounds the rest.
        bound = np.where(b >= 1, left / np.maximum(left - 1 + b, 1e-300) * np.maximum((x + a) / (x + 1), 1.0), np.inf)
        rest = np.where(bound < 1, term * bound / np.maximum(1 - bound, 1e-300), np.inf)
        done = ~more | (rest <= 1e-6 * total) | (rest <= 1e-30)
        total = np.where(done & more, total + rest, total)
        out[live[done]] = total[done]
        keep = ~done
        live, a, b, x, total = live[keep], a[keep], b[keep], x[keep] + 1, total[keep]
        term = term[keep] * ratio[keep]
        total = total + term
    return np.minimum(out * (1 + 1e-9), 1.0)


def polya_draws(counts: Ints, prior: int, records: int, rng: np.random.Generator) -> Ints:
    """Draw records one by one: each is a cell by its weight, or a copy of an earlier draw; whole numbers only.

    The i-th cell weighs its count plus the prior. This is the same law as drawing shares from the Dirichlet law first.

    >>> draws = polya_draws(np.array([3, 0]), UNITS, 5, np.random.default_rng(0))
    >>> len(draws), set(draws.tolist()) <= {0, 1}
    (5, True)
    """
    weights = [int(count) * UNITS + prior for count in counts.tolist()]
    whole = sum(weights)
    if whole + records * UNITS >= 2**62:
        raise BadRequest("has too many cells or records to be drawn with whole numbers", parameter="domains")
    edges = np.cumsum(np.array(weights, np.int64))
    out = np.empty(records, np.int64)
    for at in range(records):
        drawn = int(rng.integers(whole + at * UNITS))
        out[at] = out[(drawn - whole) // UNITS] if drawn >= whole else np.searchsorted(edges, drawn, side="right")
    return out
