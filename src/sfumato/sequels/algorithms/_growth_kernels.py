"""Looking at one refinement of the next release of a growing table, beside one earlier release.

The refinement parts every group (a run of rows) that carries a value. Each part must keep enough records by itself, beside
every comparable class of the earlier release, and of newcomers.
"""

from __future__ import annotations

import numpy as np

from sfumato.kernels.arrays import Array
from sfumato.kernels.jit import njit

__all__ = ["parts_hold"]


@njit(cache=True, nogil=True)
def parts_hold(
    begin: Array,
    part: Array,
    value: Array,
    weight: Array,
    component: Array,
    room: Array,
    met: Array,
    newcomer: Array,
    former: Array,
    first: Array,
    order: Array,
    class_part: Array,
    start1: Array,
    code1: Array,
    count1: Array,
    parts: int,
    values: int,
    least: int,
    most: int,
    backward: bool,
    actual: bool,
) -> bool:
    """Tell whether all parts of all groups keep ``least``; no value counts more than ``most`` times.

    Rows ``begin[g]:begin[g + 1]`` are those of group g, which is comparable with the classes ``order[first[c]:first[c + 1]]``
    of the earlier release, c its component; a class with ``class_part >= 0`` is comparable with that part alone. ``room`` is
    how many newcomers have a row's value in its component, ``met`` whether somebody of before has it there. If ``actual``,
    only classes count that a record of before is in (``former``, -1 if the row has none), and only parts with a newcomer.
    """
    held = np.zeros(parts * values, np.int64)
    size = np.zeros(parts, np.int64)
    left = np.zeros(parts, np.int64)
    fresh = np.zeros(parts, np.bool_)
    tried = np.full(len(class_part) * parts if actual else 1, -1, np.int64)
    for g in range(len(begin) - 1):
        size[:] = 0
        left[:] = 0
        fresh[:] = False
        for i in range(begin[g], begin[g + 1]):
            held[part[i] * values + value[i]] += weight[i]
            fresh[part[i]] |= newcomer[i]
        for i in range(begin[g], begin[g + 1]):
            cell = part[i] * values + value[i]
            if held[cell] > 0:  # each cell once: what was counted is negative until all are
                count = min(held[cell], most)
                size[part[i]] += count
                left[part[i]] += min(count, room[i]) if met[i] else count
                held[cell] = -count
        good = True
        for p in range(parts):
            if size[p] > 0 and (size[p] < least or (backward and left[p] < least and (fresh[p] or not actual))):
                good = False
        if good and actual:
            for i in range(begin[g], begin[g + 1]):
                a = former[i]
                if a >= 0 and tried[a * parts + part[i]] != g:
                    tried[a * parts + part[i]] = g
                    shared = 0
                    for e in range(start1[a], start1[a + 1]):
                        shared += min(count1[e], -held[part[i] * values + code1[e]])
                        if shared >= least:
                            break
                    if shared < least:
                        good = False
                        break
        elif good:
            c = component[g]
            for at in range(first[c], first[c + 1]):
                a = order[at]
                for p in range(parts):
                    if size[p] == 0 or (class_part[a] >= 0 and class_part[a] != p):
                        continue
                    shared = 0
                    for e in range(start1[a], start1[a + 1]):
                        shared += min(count1[e], -held[p * values + code1[e]])
                        if shared >= least:
                            break
                    if shared < least:
                        good = False
                        break
                if not good:
                    break
        if not good:
            return False
        for i in range(begin[g], begin[g + 1]):
            held[part[i] * values + value[i]] = 0
    return True
