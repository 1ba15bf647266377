"""The published rows nearest to a person: by numbers that lie apart, and by labels that do or do not cover a value.

The distance is a sum over columns, each from 0 to ``UNIT``, in whole steps, so that the order of columns does not decide. A
column of numbers gives the difference times the scale of the column; a column of labels what a table says for the person and
the label. Missing numbers lie ``UNIT`` from everything.

Rows with the same labels form a run, and runs lie in the order of their labels. If the first labels of a run are too far,
the search jumps over all runs that share them. Inside a run rows lie by their first number, missing ones last; the search
goes outwards from the person's and stops as soon as this number alone is too far. Rows carry weights: how many records look
like them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sfumato.kernels.jit import njit, whole

__all__ = ["FAR", "UNIT", "NearRows", "guess_codes", "jumps", "nearest_levels", "pick_records"]

Array = Any

UNIT = 1 << 40
FAR = (1 << 62) - 1


class NearRows(NamedTuple):
    """Rows by runs of the same labels.

    ``labels`` is ``runs x columns`` and holds places in the table of a person, ``jump`` the next run whose labels up to and
    with a column differ, ``begin`` the first row of each run, and the end. ``numbers`` is ``rows x columns``. ``number`` is
    the number of a row elsewhere, ``weights`` how many records it stands for.
    """

    labels: Array
    jump: Array
    begin: Array
    numbers: Array
    scales: Array
    weights: Array
    number: Array


@njit(cache=True, nogil=True)
def jumps(labels: Array) -> Array:
    """Return, for each run and column, the next run whose labels differ in this column or one before."""
    runs, columns = labels.shape
    out = np.full((runs, columns), runs, np.int64)
    for run in range(runs - 2, -1, -1):
        differs = False
        for column in range(columns):
            differs = differs or labels[run, column] != labels[run + 1, column]
            out[run, column] = run + 1 if differs else out[run + 1, column]
    return out


@njit(cache=True, nogil=True)
def _step(gap: float, scale: float) -> int:
    """Return how far numbers lie apart in whole steps; only equal numbers lie 0 apart."""
    far = abs(gap) * scale
    if far != far:
        return UNIT
    if gap == 0.0:
        return 0
    steps = int(far + 0.5)
    return steps if steps > 0 else 1


@njit(cache=True, nogil=True)
def _next_run(labels: Array, jump: Array, table: Array, run: int, bound: int) -> tuple[int, int]:
    """Return the first run from here on whose labels are not too far, and how far they are; the end if there is none."""
    runs, columns = labels.shape
    while run < runs:
        far, column = 0, 0
        while column < columns:
            far += table[labels[run, column]]
            if far > bound:
                break
            column += 1
        if column == columns:
            return run, far
        run = jump[run, column]
    return run, 0


@njit(cache=True, nogil=True)
def _middle(numbers: Array, first: int, last: int, where: float) -> int:
    """Return the first row of a run whose first number is not below the person's."""
    while first < last:
        middle = (first + last) // 2
        if numbers[middle, 0] < where:
            first = middle + 1
        else:
            last = middle
    return first


@njit(cache=True, nogil=True)
def _apart(numbers: Array, scales: Array, row: int, point: Array, far: int, bound: int) -> int:
    """Return how far a row lies whose labels lie so far, or anything above the bound if it lies farther."""
    for column in range(numbers.shape[1]):
        far += _step(numbers[row, column] - point[column], scales[column])
        if far > bound:
            break
    return far


@njit(cache=True, nogil=True)
def _insert(nearest: Array, far: int, weight: int, held: int) -> int:
    """Put a distance among the nearest, once for each record; return how many records lie at the last of them."""
    last = len(nearest) - 1
    bound, same = nearest[last], 0
    pushed, out = nearest[last], 0
    for place in range(last + 1):
        if nearest[place] == far:
            same += 1
    for _ in range(min(weight, last + 1)):
        if nearest[last] <= far:
            break
        out = out + 1 if nearest[last] == pushed else 1
        pushed = nearest[last]
        place = last
        while place > 0 and nearest[place - 1] > far:
            nearest[place] = nearest[place - 1]
            place -= 1
        nearest[place] = far
    # Whatever lay before the old bound was among the nearest with all its records, so counting these is exact.
    if nearest[last] == far:
        return same + weight
    if nearest[last] == bound:
        return held
    held = out if pushed == nearest[last] else 0
    for place in range(last + 1):
        if nearest[place] == nearest[last]:
            held += 1
    return held


@njit(cache=True, nogil=True)
def _look(
    numbers: Array,
    scales: Array,
    weights: Array,
    first: int,
    last: int,
    point: Array,
    far: int,
    nearest: Array,
    held: int,
) -> int:
    """Look at a run whose labels lie so far; return how many records lie at the last of the nearest distances."""
    end = len(nearest) - 1
    lead = numbers.shape[1] > 0
    right = _middle(numbers, first, last, point[0]) if lead else first
    left = right - 1
    while left >= first or right < last:
        before = after = FAR
        if left >= first:
            before = far + (_step(numbers[left, 0] - point[0], scales[0]) if lead else 0)
        if right < last:
            after = far + (_step(numbers[right, 0] - point[0], scales[0]) if lead else 0)
        if min(before, after) > nearest[end]:
            break
        if before < after:
            row = left
            left -= 1
        else:
            row = right
            right += 1
        apart = _apart(numbers, scales, row, point, far, nearest[end])
        if apart < nearest[end]:
            held = _insert(nearest, apart, weights[row], held)
        elif apart == nearest[end]:
            held += weights[row]
    return held


@njit(cache=True, nogil=True)
def _within(rows: NearRows, point: Array, table: Array, bound: int, found: Array, apart: Array) -> int:
    """Write down the rows that lie at most so far from a person, and how far; return how many."""
    labels, jump, begin, numbers, scales = rows.labels, rows.jump, rows.begin, rows.numbers, rows.scales
    count = 0
    run, far = _next_run(labels, jump, table, whole(0), bound)
    while run < len(labels):
        first, last = begin[run], begin[run + 1]
        if numbers.shape[1] > 0:
            middle = _middle(numbers, first, last, point[0])
            low = high = middle
            while low > first and far + _step(numbers[low - 1, 0] - point[0], scales[0]) <= bound:
                low -= 1
            while high < last and far + _step(numbers[high, 0] - point[0], scales[0]) <= bound:
                high += 1
            first, last = low, high
        for row in range(first, last):
            distance = _apart(numbers, scales, row, point, far, bound)
            if distance <= bound:
                found[count], apart[count] = row, distance
                count += 1
        run, far = _next_run(labels, jump, table, run + 1, bound)
    return count


@njit(cache=True, nogil=True)
def nearest_levels(rows: NearRows, points: Array, tables: Array, neighbours: int) -> Array:
    """Return, for each person, the distance of the n-th nearest record, how many lie before it, and how many at it.

    With fewer records than neighbours the distance is ``FAR``, all records lie before it, and none at it.
    """
    labels, jump, begin = rows.labels, rows.jump, rows.begin
    numbers, scales, weights = rows.numbers, rows.scales, rows.weights
    out = np.zeros((len(points), 3), np.int64)
    nearest = np.empty(neighbours, np.int64)
    for person in range(len(points)):
        point, table = points[person], tables[person]
        nearest[:] = FAR
        held = whole(0)
        # Labels that cover the person first: what is found there rules out most of the others.
        for covering in (True, False):
            run, far = _next_run(labels, jump, table, whole(0), 0 if covering else nearest[neighbours - 1])
            while run < len(labels):
                if covering or far > 0:
                    held = _look(numbers, scales, weights, begin[run], begin[run + 1], point, far, nearest, held)
                run, far = _next_run(labels, jump, table, run + 1, 0 if covering else nearest[neighbours - 1])
        out[person, 0], out[person, 2] = nearest[neighbours - 1], held
        for place in range(neighbours):
            if nearest[place] < nearest[neighbours - 1]:
                out[person, 1] += 1
    return out


@njit(cache=True, nogil=True)
def pick_records(rows: NearRows, points: Array, tables: Array, levels: Array, ranks: Array, ends: Array) -> Array:
    """Return the numbers of the nearest records of each person, -1 where there are fewer.

    ``ranks`` says, in order, which of the records at the last distance are taken. Record numbers count the records of row
    after row; ``ends`` is how many there are up to and with each row, by its number.
    """
    out = np.full(ranks.shape, -1, np.int64)
    found, apart = np.empty(len(rows.weights), np.int64), np.empty(len(rows.weights), np.int64)
    for person in range(len(points)):
        bound = levels[person, 0]
        count = _within(rows, points[person], tables[person], bound, found, apart)
        taken, rank, seen = 0, 0, 0
        wanted = ranks.shape[1] - levels[person, 1]
        for place in range(count):
            row = found[place]
            weight = rows.weights[row]
            first = ends[rows.number[row]] - weight
            if apart[place] < bound:
                for one in range(weight):
                    out[person, taken] = first + one
                    taken += 1
                continue
            while rank < wanted and ranks[person, rank] < seen + weight:
                out[person, taken] = first + ranks[person, rank] - seen
                taken += 1
                rank += 1
            seen += weight
    return out


@njit(cache=True, nogil=True)
def guess_codes(
    rows: NearRows,
    points: Array,
    tables: Array,
    levels: Array,
    start: Array,
    code: Array,
    count: Array,
    first: Array,
    last: Array,
) -> Array:
    """Return the value that would be right for most of the nearest records of each person, -1 if none of them has one.

    ``start``, ``code`` and ``count`` are the values of each row, by its number. A guess of value ``v`` is right for the values
    from ``first[v]`` up to before ``last[v]``; a value with an empty run is no guess. Of equal ones the first is guessed.
    """
    values = len(first)
    out = np.full(len(points), -1, np.int64)
    found, apart = np.empty(len(rows.weights), np.int64), np.empty(len(rows.weights), np.int64)
    total, before = np.zeros(values, np.int64), np.zeros(values + 1, np.int64)
    touched = np.empty(values, np.int64)
    for person in range(len(points)):
        seen = 0
        for place in range(_within(rows, points[person], tables[person], levels[person, 0], found, apart)):
            number = rows.number[found[place]]
            for entry in range(start[number], start[number + 1]):
                value = code[entry]
                if last[value] > first[value]:
                    if total[value] == 0:
                        touched[seen] = value
                        seen += 1
                    total[value] += count[entry]
        best, most = -1, 0
        if 16 * seen > values:
            for value in range(values):
                before[value + 1] = before[value] + total[value]
            for value in range(values):
                if total[value] > 0 and before[last[value]] - before[first[value]] > most:
                    best, most = value, before[last[value]] - before[first[value]]
        else:
            known = np.sort(touched[:seen])
            for place in range(seen):
                before[place + 1] = before[place] + total[known[place]]
            for place in range(seen):
                value = known[place]
                low, high = np.searchsorted(known, first[value]), np.searchsorted(known, last[value])
                if before[high] - before[low] > most:
                    best, most = value, before[high] - before[low]
        out[person] = best
        for place in range(seen):
            total[touched[place]] = 0
    return out
