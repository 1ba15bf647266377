"""Buckets parted into groups of one record of each value, halved along the axis that leaves the smaller perimeters."""

from __future__ import annotations

import numpy as np

from sfumato.kernels.arrays import Array
from sfumato.kernels.jit import njit

__all__ = ["halve"]


@njit(cache=True, nogil=True)
def _perimeter(lists: Array, places: Array, first: int, last: int) -> float:
    """Return the sum of the spans of all axes over some columns of the lists; counterfeits span nothing."""
    total = 0.0
    for axis in range(places.shape[1]):
        low, high = np.inf, -np.inf
        for kind in range(lists.shape[0]):
            for at in range(first, last):
                if lists[kind, at] >= 0:
                    low = min(low, places[lists[kind, at], axis])
                    high = max(high, places[lists[kind, at], axis])
        if high > low:
            total += high - low
    return total


@njit(cache=True, nogil=True)
def halve(lists: Array, places: Array) -> None:
    """Put ``lists`` (values x records, -1 a counterfeit) into an order in which each column is a group.

    The records of each value are put in the order of one axis and halved, along the axis that gives the smaller total
    perimeter, the first of several, until one of each value is left; counterfeits, which lie nowhere, come last.
    """
    kinds, count = lists.shape
    tried, best = np.empty_like(lists), np.empty_like(lists)
    waiting = np.empty((2 * count + 2, 2), np.int64)
    waiting[0, 0], waiting[0, 1] = 0, count
    left = 1
    while left:
        left -= 1
        first, last = waiting[left, 0], waiting[left, 1]
        if last - first < 2:
            continue
        middle = first + (last - first) // 2
        lowest = np.inf
        for axis in range(places.shape[1]):
            for kind in range(kinds):
                keys = np.empty(last - first)
                for at in range(first, last):
                    keys[at - first] = places[lists[kind, at], axis] if lists[kind, at] >= 0 else np.inf
                order = np.argsort(keys, kind="mergesort")
                for at in range(first, last):
                    tried[kind, at] = lists[kind, first + order[at - first]]
            cost = _perimeter(tried, places, first, middle) + _perimeter(tried, places, middle, last)
            if cost < lowest - 1e-12:
                lowest = cost
                best[:, first:last] = tried[:, first:last]
        lists[:, first:last] = best[:, first:last]
        waiting[left, 0], waiting[left, 1] = first, middle
        waiting[left + 1, 0], waiting[left + 1, 1] = middle, last
        left += 2
