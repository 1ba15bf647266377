"""How an adversary spends a budget of knowledge: pieces handed out to groups so that a product of chances gets smallest."""

from __future__ import annotations

import numpy as np

from sfumato.kernels.arrays import Bools, Floats

__all__ = ["certain_below", "least_products"]

_NARROW = 1e-9


def least_products(factors: Floats) -> Floats:
    """Return, for each group left out, the least product of factors over allocations of pieces to the other groups.

    ``factors[g, i, j]`` is the factor of group ``g`` when it gets ``i`` pieces of one kind and ``j`` of another; it never
    rises with either and is 1 without any. The answer has the same shape: entry ``[g, i, j]`` spends at most ``i`` and ``j``
    pieces outside group ``g``.

    At most as many groups as there are pieces receive any, so for each number of pieces only the groups with the smallest
    factors matter, one more than can be used because one is left out. The rest is a dynamic program over these few.

    >>> factors = np.array([[[1.0], [0.5]], [[1.0], [0.2]]])
    >>> least_products(factors)[:, 1, 0].tolist()
    [0.2, 0.5]
    """
    groups, first, second = factors.shape
    if groups == 0:
        return factors.copy()
    used = min(groups, first + second - 1)
    flat = factors.reshape(groups, -1)
    smallest = np.argpartition(flat, used - 1, axis=0)[:used]
    chosen = np.unique(smallest[:, 1:]) if flat.shape[1] > 1 else np.empty(0, np.int64)
    nothing = np.ones((first, second))
    before = [nothing]
    for group in chosen:
        before.append(_combined(before[-1], factors[group]))
    after = [nothing]
    for group in chosen[::-1]:
        after.append(_combined(after[-1], factors[group]))
    after.reverse()
    out = np.repeat(before[-1][np.newaxis], groups, axis=0)
    for at, group in enumerate(chosen):
        out[group] = _combined(before[at], after[at + 1])
    return out


def _combined(left: Floats, right: Floats) -> Floats:
    out = np.full(left.shape, np.inf)
    for i in range(left.shape[0]):
        for j in range(left.shape[1]):
            rest = left[i, j] * right[: left.shape[0] - i, : left.shape[1] - j]
            out[i:, j:] = np.minimum(out[i:, j:], rest)
    return out


def certain_below(values: Floats, limit: float) -> Bools:
    """Tell which values are less than a strict limit; what rounding cannot tell from the limit counts as reaching it."""
    return values < limit - _NARROW * abs(limit)
