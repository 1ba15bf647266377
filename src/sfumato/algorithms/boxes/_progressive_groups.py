"""Progressive local recoding: groups are specialized step by step, and what would not be safe is handed back.

Reference: Wong, Li, Fu, Wang, "(alpha, k)-anonymity: an enhanced k-anonymity model for privacy preserving data publishing",
2006, doi:10.1145/1150402.1150499.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from sfumato.algorithms.boxes._cell_groups import CellGroups, DistinctRecords, Effort
from sfumato.algorithms.boxes._handing_back_kernels import safe, specialize
from sfumato.algorithms.boxes._span_kernels import Spans, steps
from sfumato.contracts.model import RELATIVE_SLACK, GroupModel, by_group
from sfumato.contracts.progress import Progress
from sfumato.data.compressed import Dictionary
from sfumato.data.frozen import frozen
from sfumato.errors import Unsupported
from sfumato.groups.representatives import Shape
from sfumato.kernels.arrays import Codes, Floats, Ints
from sfumato.models.alpha_k_anonymity import AlphaKAnonymity
from sfumato.searches.box_space import BoxSpace

__all__ = ["ShareLimits", "merge_unsafe", "specialized"]

_TICK = 64


@frozen(eq=False)
class ShareLimits:
    """What makes a group safe: enough records, and no sensitive value with a share above its limit."""

    k: int
    column: str | None
    limits: Floats

    @classmethod
    def of(cls, models: Sequence[GroupModel], dictionaries: Mapping[str, Dictionary], thing: str) -> ShareLimits:
        """Return what some models ask for; refuse models of another form, and several sensitive columns."""
        column: str | None = None
        k, limits = 1, np.full(1, np.inf)
        for model in models:
            if model.traits.by_size_alone:
                k = max(k, model.least_size())
                continue
            if not isinstance(model, AlphaKAnonymity):
                raise Unsupported(
                    f"{thing} hands records back until shares are low enough and cannot promise {model.id}",
                    thing=model.id,
                    alternatives=by_group(["mondrian"], [model]),
                )
            if column not in (None, model.sensitive):
                raise Unsupported(
                    f"{thing} bounds the values of one sensitive column, the requirements name {column} and {model.sensitive}",
                    thing=model.id,
                    alternatives=["mondrian"],
                )
            known = dictionaries[model.sensitive].values
            if column is None:
                column, limits = model.sensitive, np.full(max(len(known), 1), np.inf)
            # The same slack as in the model's own bound.
            own = model.alpha + RELATIVE_SLACK * model.alpha
            bounded = np.array([model.values is None or value in model.values for value in known], bool)
            limits = np.where(bounded, np.minimum(limits, own), limits)
            k = max(k, model.k)
        return cls(k, column, limits)


def _heights(space: BoxSpace, spans: Spans, weights: Mapping[str, float] | None) -> tuple[Spans, Floats]:
    """Return how many levels sides lie above the lowest leaves, and the same for single leaves; a run of a line is 1."""
    tables: list[Floats] = [np.zeros(0)]
    start, step = np.zeros(len(space.names), np.int64), np.zeros(len(space.names))
    height = np.zeros(len(space.axes.position))
    for at, attribute in enumerate(space.attributes):
        weight = float((weights or {}).get(attribute.name, 1.0))
        start[at], step[at] = sum(map(len, tables)), weight
        if attribute.tree is None:
            continue
        tree = attribute.tree
        above = np.asarray((tree.depth.max() - tree.depth) * weight, np.float64)
        tables.append(Shape.of(tree).maxima(above))
        place = int(space.axes.place[at])
        height[place : place + len(tree.leaves)] = above[tree.leaf_nodes]
    none = np.zeros(len(space.names))
    return spans._replace(factor=none, step=step, start=start, maxima=np.concatenate(tables)), height


class _Specializing:
    """Groups of rows that are specialized until no single attempt succeeds."""

    def __init__(self, rows: DistinctRecords, limits: ShareLimits, weights: Mapping[str, float] | None) -> None:
        self.rows, self.limits = rows, limits
        self.heights, self.height = _heights(rows.space, rows.spans, weights)
        self.attempts = self.cancelled = 0

    def best(self, members: Ints, held: Ints) -> tuple[int, int, Ints, Ints] | None:
        """Return the column with the least distortion, how many parts there are, and what becomes of each row."""
        found: tuple[float, float, int, int, Ints, Ints] | None = None
        for axis in range(len(self.rows.space.names)):
            part, back = np.empty(len(members), np.int64), np.zeros(len(members), np.int64)
            parts, climbed, cost = specialize(
                self.rows.space.axes, self.rows.spans, self.heights, self.height, self.rows.points, self.rows.extra,
                members, held, axis, self.limits.k, self.limits.limits, part, back,
            )  # fmt: skip
            self.attempts += 1
            if parts == 0:
                self.cancelled += 1
                continue
            key = (steps(climbed), steps(cost))
            if found is None or key < found[:2]:
                found = (*key, axis, parts, part, back)
        return None if found is None else found[2:]


def specialized(
    rows: DistinctRecords, limits: ShareLimits, weights: Mapping[str, float] | None, progress: Progress
) -> tuple[tuple[Ints, Codes, Codes], Effort]:
    """Return the group of each record and the boxes of the groups, and how many steps were taken, tried and cancelled."""
    search = _Specializing(rows, limits, weights)
    stack: list[tuple[Ints, Ints]] = [(np.arange(len(rows)), rows.weights.copy())]
    closed: list[tuple[Ints, Ints]] = []
    taken = done = turns = 0
    while stack:
        members, held = stack.pop()
        turns += 1
        if turns % _TICK == 0:
            progress.tick(done / rows.records, f"{len(closed) + len(stack) + 1:,} groups")
        chosen = search.best(members, held)
        if chosen is None:
            closed.append((members, held))
            done += int(held.sum())
            continue
        taken += 1
        _, parts, part, back = chosen
        made: list[tuple[Ints, Ints]] = []
        for number in range(parts - 1):
            stays = np.flatnonzero((part == number) & (back < held))
            made.append((members[stays], (held - back)[stays]))
        returned = np.flatnonzero(back > 0)
        made.append((members[returned], back[returned]))
        stack += [entry for entry in reversed(made) if len(entry[0])]
    effort = Effort(steps=taken, attempts=search.attempts, cancelled=search.cancelled)
    return _of_records(rows, closed), effort


def _of_records(rows: DistinctRecords, closed: Sequence[tuple[Ints, Ints]]) -> tuple[Ints, Codes, Codes]:
    """Return the group of each record and the boxes of the groups; records of one row go by their order in the table."""
    lengths = [len(members) for members, _ in closed]
    row = np.concatenate([members for members, _ in closed])
    held = np.concatenate([counts for _, counts in closed])
    number = np.repeat(np.arange(len(closed)), lengths)
    order = np.lexsort((number, row))
    group = np.empty(rows.records, np.int64)
    group[np.argsort(rows.row, kind="stable")] = np.repeat(number[order], held[order])
    first = np.cumsum([0, *lengths[:-1]])
    points = rows.points[row]
    return group, np.minimum.reduceat(points, first), np.maximum.reduceat(points, first)


def merge_unsafe(rows: DistinctRecords, limits: ShareLimits, progress: Progress) -> CellGroups:
    """Return safe groups: the first one that is not safe is merged, until it is, with the one whose union costs least."""
    # Rows that differ in the sensitive value only stand side by side; they are one group from the start.
    number = np.cumsum(np.append(False, (rows.points[1:] != rows.points[:-1]).any(axis=1)))
    state = CellGroups(rows, number)
    counts = np.zeros((state.count, len(limits.limits)), np.int64)
    np.add.at(counts, (number, rows.extra), rows.weights)

    def is_safe(group: int) -> bool:
        slot = state.slot[group]
        return bool(safe(counts[group], int(state.groups.size[slot]), limits.k, limits.limits))

    unsafe = [group for group in range(state.count) if not is_safe(group)]
    for at, group in enumerate(unsafe):
        if at % _TICK == 0:
            progress.tick(at / len(unsafe), f"{state.count:,} groups")
        number_now = group
        # A group that was safe may not be any more with what it takes in, so the union is looked at, whatever its number.
        while number_now in state.slot and not is_safe(number_now):
            slot = state.slot[number_now]
            partner = state.cheapest_union(slot)
            low, high = sorted((number_now, int(state.groups.number[partner])))
            state.merge(slot, partner)
            counts[low] += counts[high]
            number_now = low
    return state
