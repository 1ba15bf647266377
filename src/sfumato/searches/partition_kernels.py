"""Splitting groups of rows and counting how they would split further.

Rows are numbered; ``order`` lists them group by group, group ``g`` being ``order[start[g]:end[g]]``. A *slot* is one current
value of a column; ``child[offset[j] + code]`` is the position of a code among the children of its column's current slot.
"""

from __future__ import annotations

import numpy as np

from sfumato.kernels.arrays import Array
from sfumato.kernels.jit import njit

__all__ = ["count_ahead", "disclose_groups", "split_groups"]


@njit(cache=True, nogil=True)
def split_groups(
    codes: Array,
    weights: Array,
    order: Array,
    start: Array,
    end: Array,
    size: Array,
    shown: Array,
    groups: int,
    column: int,
    local: int,
    slot: int,
    child: Array,
    shift: int,
    slots: Array,
    buffer: Array,
    changed: Array,
) -> tuple[int, int]:
    """Split every group that shows ``slot`` in a column by child; return (groups, number of changed groups).

    ``local`` is the column's row in ``shown`` (columns x groups). The first child that occurs keeps the group's number, the
    others get new ones. ``buffer`` has room for all rows, the group arrays for all new groups.
    """
    children = len(slots)
    rows_of = np.zeros(children, np.int64)
    weight_of = np.zeros(children, np.int64)
    place = np.zeros(children, np.int64)
    width = shown.shape[0]
    before = groups
    touched = 0
    for g in range(before):
        if shown[local, g] != slot:
            continue
        first, last = start[g], end[g]
        rows_of[:] = 0
        weight_of[:] = 0
        for i in range(first, last):
            row = order[i]
            c = child[shift + codes[row, column]]
            rows_of[c] += 1
            weight_of[c] += weights[row]
        at = first
        for c in range(children):
            place[c] = at
            at += rows_of[c]
        for i in range(first, last):
            row = order[i]
            c = child[shift + codes[row, column]]
            buffer[place[c]] = row
            place[c] += 1
        for i in range(first, last):
            order[i] = buffer[i]
        at = first
        used = False
        for c in range(children):
            if rows_of[c] == 0:
                continue
            if used:
                target = groups
                groups += 1
                for j in range(width):
                    shown[j, target] = shown[j, g]
            else:
                target = g
                used = True
            start[target] = at
            end[target] = at + rows_of[c]
            size[target] = weight_of[c]
            shown[local, target] = slots[c]
            at += rows_of[c]
            changed[touched] = target
            touched += 1
    return groups, touched


@njit(cache=True, nogil=True)
def disclose_groups(
    codes: Array,
    weights: Array,
    order: Array,
    start: Array,
    end: Array,
    size: Array,
    shown: Array,
    groups: int,
    column: int,
    local: int,
    value: int,
    buffer: Array,
    changed: Array,
) -> tuple[int, int]:
    """Part every group that shows the suppressed symbol (slot 0) into rows that hold ``value`` and the rest.

    Rows that hold the value get slot 1 (disclosed). Groups without the value are left alone.
    """
    width = shown.shape[0]
    before = groups
    touched = 0
    for g in range(before):
        if shown[local, g] != 0:
            continue
        first, last = start[g], end[g]
        held = 0
        held_weight = 0
        for i in range(first, last):
            row = order[i]
            if codes[row, column] == value:
                held += 1
                held_weight += weights[row]
        if held == 0:
            continue
        if held == last - first:
            shown[local, g] = 1
            changed[touched] = g
            touched += 1
            continue
        left, right = first, first + held
        for i in range(first, last):
            row = order[i]
            if codes[row, column] == value:
                buffer[left] = row
                left += 1
            else:
                buffer[right] = row
                right += 1
        for i in range(first, last):
            order[i] = buffer[i]
        target = groups
        groups += 1
        for j in range(width):
            shown[j, target] = shown[j, g]
        start[target] = first + held
        end[target] = last
        size[target] = size[g] - held_weight
        end[g] = first + held
        size[g] = held_weight
        shown[local, g] = 1
        changed[touched] = g
        changed[touched + 1] = target
        touched += 2
    return groups, touched


@njit(cache=True, nogil=True)
def count_ahead(
    codes: Array,
    weights: Array,
    order: Array,
    start: Array,
    end: Array,
    size: Array,
    shown: Array,
    changed: Array,
    touched: int,
    columns: Array,
    suppressing: Array,
    live: Array,
    child: Array,
    shift: Array,
    children: Array,
    slot_shift: Array,
    smallest: Array,
    counters: Array,
    counter_shift: Array,
) -> None:
    """Lower ``smallest[slot]`` to the smallest group that refining the slot would leave among the changed groups.

    ``columns[local]`` is the column of each row of ``shown``. ``children[slot_shift[j] + slot]`` is 0 for slots that are no
    candidate. For a suppressing column the slots are its codes, and a candidate code parts a group into its rows and the
    rest. ``counters`` is zero before and after.
    """
    width = len(columns)
    active = np.empty(width, np.int64)
    for t in range(touched):
        g = changed[t]
        count = 0
        for local in range(width):
            j = columns[local]
            if live[j] == 0:
                continue
            if suppressing[j] == 1:
                if shown[local, g] == 0:
                    active[count] = local
                    count += 1
            elif children[slot_shift[j] + shown[local, g]] > 0:
                active[count] = local
                count += 1
        if count == 0:
            continue
        for i in range(start[g], end[g]):
            row = order[i]
            w = weights[row]
            for a in range(count):
                j = columns[active[a]]
                counters[counter_shift[j] + child[shift[j] + codes[row, j]]] += w
        for a in range(count):
            local = active[a]
            j = columns[local]
            base = counter_shift[j]
            if suppressing[j] == 1:
                for i in range(start[g], end[g]):
                    code = codes[order[i], j]
                    held = counters[base + code]
                    if held == 0:
                        continue
                    counters[base + code] = 0
                    if children[slot_shift[j] + code] == 0:
                        continue
                    rest = size[g] - held
                    least = held if rest == 0 or held < rest else rest
                    if least < smallest[slot_shift[j] + code]:
                        smallest[slot_shift[j] + code] = least
            else:
                slot = slot_shift[j] + shown[local, g]
                for c in range(children[slot]):
                    held = counters[base + c]
                    counters[base + c] = 0
                    if 0 < held < smallest[slot]:
                        smallest[slot] = held
