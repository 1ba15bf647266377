"""The kernel of greedy hitting sets: an index from items to sets, so that only sets that fall are touched."""

from __future__ import annotations

import numpy as np

from sfumato.kernels.arrays import Codes, Floats, Ints
from sfumato.kernels.jit import njit

__all__ = ["greedy_choice", "traded_choice"]


@njit(cache=True)
def greedy_choice(
    flat: Codes, starts: Ints, owner: Codes, item_starts: Ints, left: Ints, costs: Floats, supports: Ints
) -> tuple[Ints, Ints]:
    """Return the items in the order in which they are chosen, and how many sets each hit that nothing had hit before.

    Set ``i`` has the members ``flat[starts[i]:starts[i + 1]]``; item ``e`` is in the sets ``owner[item_starts[e]:...]``, of
    which ``left[e]`` are not hit yet, and which is changed in place.
    """
    there = np.ones(len(starts) - 1, np.bool_)
    remaining = len(there)
    items, hits = np.empty(len(left), np.int64), np.empty(len(left), np.int64)
    chosen = 0
    while remaining > 0:
        best, best_score = -1, -1.0
        for item in range(len(left)):
            if left[item] == 0:
                continue
            score = left[item] / costs[item] if costs[item] > 0 else np.inf
            if best < 0 or score > best_score:
                best, best_score = item, score
            elif score == best_score and (
                left[item] > left[best] or (left[item] == left[best] and supports[item] < supports[best])
            ):
                best = item
        items[chosen], hits[chosen] = best, left[best]
        chosen += 1
        for at in range(item_starts[best], item_starts[best + 1]):
            one = owner[at]
            if there[one]:
                there[one] = False
                remaining -= 1
                for member in range(starts[one], starts[one + 1]):
                    left[flat[member]] -= 1
    return items[:chosen], hits[:chosen]


@njit(cache=True)
def traded_choice(
    flat: Codes,
    starts: Ints,
    owner: Codes,
    item_starts: Ints,
    left: Ints,
    good_flat: Codes,
    good_starts: Ints,
    good_owner: Codes,
    good_item_starts: Ints,
    good_left: Ints,
    supports: Ints,
) -> tuple[Ints, Ints, Ints]:
    """Return the items in the order in which they are chosen, how many sets each hit, and how many good sets went with it.

    As :func:`greedy_choice`, with a second family, of ``good`` sets that are lost with any of their items: an item costs one
    more than the good sets it is still in. Scores are compared as whole numbers.
    """
    there = np.ones(len(starts) - 1, np.bool_)
    good_there = np.ones(len(good_starts) - 1, np.bool_)
    remaining = len(there)
    items, hits, losses = np.empty(len(left), np.int64), np.empty(len(left), np.int64), np.empty(len(left), np.int64)
    chosen = 0
    while remaining > 0:
        best = -1
        for item in range(len(left)):
            if left[item] == 0:
                continue
            if best < 0:
                best = item
                continue
            mine, other = left[item] * (good_left[best] + 1), left[best] * (good_left[item] + 1)
            if mine > other or (
                mine == other
                and (left[item] > left[best] or (left[item] == left[best] and supports[item] < supports[best]))
            ):
                best = item
        items[chosen], hits[chosen], losses[chosen] = best, left[best], good_left[best]
        chosen += 1
        for at in range(item_starts[best], item_starts[best + 1]):
            one = owner[at]
            if there[one]:
                there[one] = False
                remaining -= 1
                for member in range(starts[one], starts[one + 1]):
                    left[flat[member]] -= 1
        for at in range(good_item_starts[best], good_item_starts[best + 1]):
            one = good_owner[at]
            if good_there[one]:
                good_there[one] = False
                for member in range(good_starts[one], good_starts[one + 1]):
                    good_left[good_flat[member]] -= 1
    return items[:chosen], hits[:chosen], losses[:chosen]
