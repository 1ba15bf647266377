"""Local recoding by plain loops over distinct records and their counts.

A group maps distinct records (in the order of their values) to how many of them it holds. A record of a group costs

    NCP = sum over columns of w * (width / range | leaves below the lowest cover / leaves | run / values), 0 for one value

and a group costs what its records do. Scores are compared in steps of 2^-40.

- bottom-up: the first group with fewer than k records takes in the group whose union costs least, until it has k; a group of
  2 k is cut.
- top-down: two far rows start two halves, the others join in random order where the cost grows less; more than k are halved
  on. Groups of fewer than k borrow or are merged.
- progressive: one column of a group is specialized, unsafe parts are handed back, the least distortion wins.

References
----------
J. Xu, W. Wang, J. Pei, X. Wang, B. Shi, A. W.-C. Fu, Utility-Based Anonymization Using Local Recoding, KDD 2006.
R. C.-W. Wong, J. Li, A. W.-C. Fu, K. Wang, (alpha, k)-Anonymity, KDD 2006.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from oracles.naive_mondrian import NaiveSpace
from oracles.naive_tdr import NaiveAttribute

__all__ = ["NaiveBoxes", "naive_bottom_up", "naive_merging", "naive_progressive", "naive_top_down"]

Group = dict[int, int]


def steps(score: float) -> int:
    """Return a score in whole steps."""
    return math.floor(score * 2**40 + 0.5)


def size(group: Group) -> int:
    """Return the number of records."""
    return sum(group.values())


def union(one: Group, other: Group) -> Group:
    """Return the records of both groups."""
    return dict(sorted((Counter(one) + Counter(other)).items()))


class NaiveBoxes:
    """Distinct records with counts; what boxes around them cost, in penalty and in levels."""

    def __init__(
        self,
        records: Sequence[Sequence[Any]],
        attributes: Sequence[NaiveAttribute],
        *,
        ranges: Mapping[str, tuple[float, float]] | None = None,
        weights: Mapping[str, float] | None = None,
    ) -> None:
        counted = Counter(tuple(record) for record in records)
        self.rows = sorted(counted)
        self.whole: Group = {at: counted[row] for at, row in enumerate(self.rows)}
        self.space = NaiveSpace(self.rows, attributes)
        self.weights = [(weights or {}).get(one.name, 1.0) for one in attributes]
        self.ranges = [(ranges or {}).get(one.name) for one in attributes]

    @property
    def wide(self) -> int:
        return len(self.space.attributes)

    def share(self, rows: Sequence[int], at: int) -> float:
        values = self.space.held(list(rows), at)
        if len(set(values)) == 1:
            return 0.0
        paths, order = self.space.paths[at], self.space.order[at]
        if paths is not None:
            cover = self.space.cover(list(rows), at)
            return sum(path[: len(cover)] == cover for path in paths.values()) / len(paths)
        if self.space.attributes[at].kind == "interval":
            low, high = self.ranges[at] or (order[0], order[-1])
            return (max(values) - min(values)) / (high - low)
        return (order.index(max(values)) - order.index(min(values)) + 1) / len(order)

    def each(self, rows: Sequence[int]) -> float:
        """Return what a record costs in the box of some rows."""
        return sum(weight * self.share(rows, at) for at, weight in enumerate(self.weights))

    def cost(self, group: Group) -> float:
        return size(group) * self.each(list(group)) if group else 0.0

    def climbed(self, group: Group) -> float:
        """Return how many levels the records of a group climb: in a tree to the cover, on a line 1 unless they are equal."""
        total = 0.0
        for at, weight in enumerate(self.weights):
            values = self.space.held(list(group), at)
            paths = self.space.paths[at]
            if paths is None:
                total += weight * size(group) * (len(set(values)) > 1)
            else:
                depth = len(self.space.cover(list(group), at))
                total += weight * sum(count * (len(paths[self.rows[row][at]]) - depth) for row, count in group.items())
        return total


# ---- greedy --------------------------------------------------------------------------------------------------------------


class _State:
    def __init__(self, boxes: NaiveBoxes, groups: Sequence[Group]) -> None:
        self.boxes = boxes
        self.groups = dict(enumerate(groups))
        self.fresh = len(groups)

    def small(self, k: int) -> list[int]:
        return sorted(number for number, group in self.groups.items() if size(group) < k)

    def cheapest(self, number: int) -> int:
        own = self.groups[number]
        others = [other for other in self.groups if other != number]
        return min(others, key=lambda other: (steps(self.boxes.cost(union(own, self.groups[other]))), other))

    def merge(self, one: int, other: int) -> int:
        low, high = sorted((one, other))
        self.groups[low] = union(self.groups[low], self.groups.pop(high))
        return low

    def take(self, number: int, chosen: Group) -> None:
        left = Counter(self.groups[number])
        left.subtract(chosen)
        self.groups[number] = {row: count for row, count in sorted(left.items()) if count}

    def cut(self, number: int, k: int) -> None:
        boxes = self.boxes
        while size(self.groups[number]) >= 2 * k and len(self.groups[number]) > 1:
            group = self.groups[number]
            pairs = [(one, other) for one in group for other in group if one < other]
            one, other = min(pairs, key=lambda pair: (-steps(boxes.each(pair)), pair))
            seed = other if group[other] < group[one] else one
            part = {seed: group[seed] if group[seed] < k else min(group[seed], size(group) - k)}
            while size(part) < k:
                rest = [row for row in group if part.get(row, 0) < group[row]]
                row = min(rest, key=lambda row: (steps(boxes.each([*part, row])), row))
                part[row] = part.get(row, 0) + min(k - size(part), group[row] - part.get(row, 0))
            self.take(number, part)
            self.groups[self.fresh] = dict(sorted(part.items()))
            self.fresh += 1


def naive_bottom_up(boxes: NaiveBoxes, k: int) -> list[Group]:
    """Return the groups in the order of their numbers."""
    state = _State(boxes, [{row: count} for row, count in boxes.whole.items()])
    for number in state.small(k):
        while number in state.groups and size(state.groups[number]) < k:
            state.cut(state.merge(number, state.cheapest(number)), k)
    return [state.groups[number] for number in sorted(state.groups)]


def _halves(boxes: NaiveBoxes, part: list[int], rng: np.random.Generator) -> tuple[list[int], list[int]]:
    one = other = part[int(rng.integers(len(part)))]
    for _ in range(3):
        one = other
        other = min(part, key=lambda row: (-steps(boxes.each([one, row])), row))
    first, second = {one: boxes.whole[one]}, {other: boxes.whole[other]}
    for row in rng.permutation(np.array(part)).tolist():
        if row in (one, other):
            continue
        own = {row: boxes.whole[row]}
        here, there = (boxes.cost(union(half, own)) - boxes.cost(half) for half in (first, second))
        (second if steps(there) < steps(here) else first).update(own)
    return sorted(first), sorted(second)


def _loan(state: _State, number: int, lender: int, k: int) -> tuple[float, Group]:
    boxes, own, group = state.boxes, state.groups[number], state.groups[lender]
    wanted, chosen = k - size(own), {}
    for row in sorted(group, key=lambda row: (steps(boxes.each([*own, row])), row)):
        chosen[row] = min(group[row], wanted)
        wanted -= chosen[row]
        if wanted == 0:
            break
    rest = {row: count - chosen.get(row, 0) for row, count in group.items() if count > chosen.get(row, 0)}
    after = boxes.cost(union(own, chosen)) + boxes.cost(rest)
    return after - boxes.cost(own) - boxes.cost(group), chosen


def naive_top_down(boxes: NaiveBoxes, k: int, rng: np.random.Generator) -> list[Group]:
    """Return the groups in the order of their numbers."""
    made: list[Group] = []

    def down(part: list[int]) -> None:
        if len(part) == 1 or sum(boxes.whole[row] for row in part) <= k:
            made.append({row: boxes.whole[row] for row in part})
            return
        for half in _halves(boxes, part, rng):
            down(half)

    down(list(boxes.whole))
    state = _State(boxes, made)
    while small := state.small(k):
        for number in small:
            if number not in state.groups or size(state.groups[number]) >= k:
                continue
            own = state.groups[number]
            lenders = [
                other for other, group in state.groups.items() if other != number and size(group) >= 2 * k - size(own)
            ]
            partner = state.cheapest(number)
            joined = boxes.cost(union(own, state.groups[partner])) - (
                boxes.cost(own) + boxes.cost(state.groups[partner])
            )
            loans = {other: _loan(state, number, other, k) for other in lenders}
            best = min(loans, key=lambda other: (steps(loans[other][0]), other), default=None)
            if best is not None and steps(loans[best][0]) <= steps(joined):
                state.take(best, loans[best][1])
                state.groups[number] = union(own, loans[best][1])
            else:
                state.cut(state.merge(number, partner), k)
    return [state.groups[number] for number in sorted(state.groups)]


# ---- progressive ---------------------------------------------------------------------------------------------------------


Safe = Callable[[Group], bool]


def naive_merging(boxes: NaiveBoxes, safe: Safe) -> list[Group]:
    """Return the groups if unsafe ones are merged, from records that agree on the columns on."""
    made: dict[tuple[Any, ...], Group] = {}
    for row, count in boxes.whole.items():
        made.setdefault(boxes.rows[row][: boxes.wide], {})[row] = count
    state = _State(boxes, list(made.values()))
    for number in [number for number, group in state.groups.items() if not safe(group)]:
        now = number
        while now in state.groups and not safe(state.groups[now]):
            now = state.merge(now, state.cheapest(now))
    return [state.groups[number] for number in sorted(state.groups)]


def _parts(boxes: NaiveBoxes, group: Group, at: int) -> list[Group]:
    space = boxes.space
    if len(set(space.held(list(group), at))) == 1:
        return []
    if space.paths[at] is not None:
        return [{row: group[row] for row in part} for part in space.children(list(group), at)]
    values = sorted(boxes.rows[row][at] for row, count in group.items() for _ in range(count))
    median = values[(len(values) - 1) // 2]
    upper = (lambda value: value > median) if median < values[-1] else (lambda value: value >= median)
    low = {row: count for row, count in group.items() if not upper(boxes.rows[row][at])}
    return [low, {row: count for row, count in group.items() if row not in low}]


def attempt(boxes: NaiveBoxes, group: Group, at: int, safe: Safe, bounded: Callable[[Any], bool]) -> list[Group] | None:
    """Return the parts of a group that is specialized in a column, what is handed back last; ``None`` if it fails."""
    parts = _parts(boxes, group, at)
    good = [dict(part) for part in parts if safe(part)]
    back: Group = {}
    for part in parts:
        if not safe(part):
            back = union(back, part)
    if not good:
        return None
    while back and not safe(back):
        held = Counter(boxes.rows[row][-1] for row, count in back.items() for _ in range(count))
        moved = False
        for part in sorted(good, key=lambda part: -size(part)):
            secrets = sorted(
                {boxes.rows[row][-1] for row in part}, key=lambda value: (held[value] if bounded(value) else -1, value)
            )
            for secret in secrets:
                row = min(row for row in part if boxes.rows[row][-1] == secret)
                less = {other: count - (other == row) for other, count in part.items() if count > (other == row)}
                if less and safe(less):
                    good[next(place for place, known in enumerate(good) if known is part)] = less
                    back = union(back, {row: 1})
                    moved = True
                    break
            if moved:
                break
        if not moved:
            return None
    return [*good, *([back] if back else [])]


def naive_progressive(boxes: NaiveBoxes, safe: Safe, bounded: Callable[[Any], bool]) -> list[Group]:
    """Return the groups in which no single attempt succeeds, in the order in which they are closed."""
    closed: list[Group] = []

    def down(group: Group) -> None:
        found = []
        for at in range(boxes.wide):
            parts = attempt(boxes, group, at, safe, bounded)
            if parts is not None:
                distortion, cost = (sum(map(measure, parts)) for measure in (boxes.climbed, boxes.cost))
                found.append((steps(distortion), steps(cost), at, parts))
        if not found:
            closed.append(group)
            return
        for part in min(found, key=lambda entry: entry[:3])[3]:
            down(part)

    down(dict(boxes.whole))
    return closed
