"""Kernels of what is known of traces: values that fit each other up to a tolerance, and points that only one trace has."""

from __future__ import annotations

import numpy as np

from sfumato.kernels.arrays import Bools, Floats, Ints
from sfumato.kernels.jit import njit

__all__ = ["fitting_counts", "only_ones"]

_SLACK = 1e-12


@njit(cache=True)
def fitting_counts(starts: Ints, values: Floats, counts: Ints, tolerance: float) -> Ints:
    """Return for each row of a group the sum of counts of rows of the group whose values are all within its tolerance.

    Rows of a group are in the order of their first value.
    """
    rows, width = values.shape
    out = np.zeros(rows, np.int64)
    for group in range(len(starts) - 1):
        first = starts[group]
        for one in range(starts[group], starts[group + 1]):
            while values[first, 0] < values[one, 0] * (1 - tolerance) * (1 - _SLACK):
                first += 1
            for other in range(first, starts[group + 1]):
                if values[other, 0] > values[one, 0] * (1 + tolerance) * (1 + _SLACK):
                    break
                fits = True
                for at in range(1, width):
                    low = values[one, at] * (1 - tolerance) * (1 - _SLACK)
                    high = values[one, at] * (1 + tolerance) * (1 + _SLACK)
                    if not low <= values[other, at] <= high:
                        fits = False
                        break
                if fits:
                    out[one] += counts[other]
    return out


@njit(cache=True)
def only_ones(starts: Ints, codes: Ints, holder_starts: Ints, holders: Ints, persons: Ints, known: Ints) -> Bools:
    """Tell of each person whether nobody else has all codes that are known of this one; -1 is no code.

    ``codes`` of a person rise; ``holders`` of a code are persons, rising.
    """
    out = np.ones(len(persons), np.bool_)
    for row in range(len(persons)):
        rarest = -1
        for at in range(known.shape[1]):
            code = known[row, at]
            if code >= 0 and (
                rarest < 0
                or holder_starts[code + 1] - holder_starts[code] < holder_starts[rarest + 1] - holder_starts[rarest]
            ):
                rarest = code
        if rarest < 0:
            out[row] = len(starts) == 2
            continue
        for place in range(holder_starts[rarest], holder_starts[rarest + 1]):
            other = holders[place]
            if other == persons[row]:
                continue
            fits = True
            for at in range(known.shape[1]):
                code = known[row, at]
                if code < 0:
                    continue
                low, high = starts[other], starts[other + 1]
                while low < high:
                    middle = (low + high) // 2
                    if codes[middle] < code:
                        low = middle + 1
                    else:
                        high = middle
                if low == starts[other + 1] or codes[low] != code:
                    fits = False
                    break
            if fits:
                out[row] = False
                break
    return out
