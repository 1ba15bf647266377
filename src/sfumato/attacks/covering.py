"""Which published groups may hold a person: labels that cover values, column by column, and then whole records.

A value is covered by few labels: itself, and one on each level that is in use. So a person is looked up by the tuples of
labels that cover her values, one column after the other, and only along tuples that are published. This costs about the
number of matches, whatever the number of published rows.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sfumato.contracts.attack import Reading
from sfumato.data.text import SUPPRESSED, parse_interval, to_text

__all__ = ["Covers", "covers", "matches"]

Ints = npt.NDArray[np.int64]

_TOGETHER = 1 << 21  # pairs that are looked at together; more are parted, so that memory stays bounded


@dataclass(frozen=True, eq=False)
class Covers:
    """The labels that cover each value of a column: those of value v are ``label[start[v]:start[v + 1]]``."""

    start: Ints
    label: Ints
    labels: int

    @property
    def breadth(self) -> float:
        """How many labels cover a value, on average."""
        return len(self.label) / max(len(self.start) - 1, 1)


def covers(labels: Sequence[Hashable], values: Sequence[Hashable], reading: Reading | None = None) -> Covers:
    """Return which labels cover which raw values; a missing value is covered by nothing and covers nothing.

    >>> found = covers(["[20-30)", "35", "*"], [25, 35])
    >>> found.start.tolist(), found.label.tolist()
    ([0, 2, 4], [0, 2, 1, 2])
    """
    texts = [None if label is None else to_text(label) for label in labels]
    place = {text: at for at, text in enumerate(texts) if text is not None}
    pairs: list[tuple[Ints, Ints]] = []  # value, label
    known = [at for at, value in enumerate(values) if value is not None]
    same = [(at, place[own]) for at in known if (own := to_text(values[at])) in place]
    pairs.append(_columns(same))
    everything = {SUPPRESSED} | ({reading.root} if reading is not None else set())
    for at, text in enumerate(texts):
        if text in everything:
            pairs.append((np.array(known, np.int64), np.full(len(known), at, np.int64)))
    placed: set[int] = set()
    if reading is not None:
        inner = [at for at, text in enumerate(texts) if text is not None and reading.knows(text)]
        ranks = _ranks(reading, values, known)
        placed = {at for at, rank in zip(known, ranks.tolist(), strict=True) if rank >= 0}
        if inner and placed:
            _, first, last = reading.runs([str(texts[at]) for at in inner], [values[at] for at in known])
            pairs.append(_runs(np.array(known, np.int64), ranks, np.array(inner, np.int64), first, last))
    pairs += _intervals(texts, [(at, values[at]) for at in known if at not in placed])
    value, label = (np.concatenate([part[side] for part in pairs]) for side in (0, 1))
    key = np.unique(value * max(len(texts), 1) + label)
    value, label = np.divmod(key, max(len(texts), 1))
    start = np.searchsorted(value, np.arange(len(values) + 1))
    return Covers(start.astype(np.int64), label, len(texts))


def _ranks(reading: Reading, values: Sequence[Hashable], known: Sequence[int]) -> Ints:
    """Return the rank of each known value; one that has no place as it is may have one by its text, as codes often do."""
    own, _, _ = reading.runs([], [values[at] for at in known])
    by_text, _, _ = reading.runs([], [to_text(values[at]) for at in known])
    return np.where(own >= 0, own, by_text).astype(np.int64)


def _columns(pairs: Sequence[tuple[int, int]]) -> tuple[Ints, Ints]:
    both = np.array(pairs, np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]


def _runs(
    known: Ints, ranks: Ints, labels: Ints, first: npt.NDArray[np.int32], last: npt.NDArray[np.int32]
) -> tuple[Ints, Ints]:
    """Return the pairs of values and labels whose run holds their rank."""
    order = np.argsort(ranks, kind="stable")
    rising = ranks[order]
    low, high = np.searchsorted(rising, first), np.searchsorted(rising, last)
    at, place = _spread(low, np.maximum(high - low, 0))
    return known[order[place]], labels[at]


def _intervals(texts: Sequence[str | None], values: Sequence[tuple[int, Hashable]]) -> list[tuple[Ints, Ints]]:
    """Return the pairs of numbers and the intervals that hold them."""
    numbers = sorted(
        (float(value), at) for at, value in values if isinstance(value, (int, float)) and not isinstance(value, bool)
    )
    rising, places = np.array([number for number, _ in numbers]), np.array([at for _, at in numbers], np.int64)
    out = []
    for at, text in enumerate(texts):
        bounds = None if text is None else parse_interval(text)
        if bounds is None:
            continue
        low = int(np.searchsorted(rising, bounds[0], "left"))
        high = int(np.searchsorted(rising, bounds[1], "right" if bounds[2] else "left"))
        if low < high:
            out.append((places[low:high], np.full(high - low, at, np.int64)))
    return out


def _spread(start: Ints, count: Ints) -> tuple[Ints, Ints]:
    """Return, for runs of places, which run each place belongs to, and the place."""
    run = np.repeat(np.arange(len(count)), count)
    before = np.repeat(np.cumsum(count) - count, count)
    return run, np.repeat(start, count) + np.arange(len(run)) - before


def matches(
    groups: npt.NDArray[np.int32], persons: npt.NDArray[np.int32], columns: Sequence[Covers]
) -> tuple[Ints, Ints]:
    """Return the pairs (person, group) in which the labels of a group cover all values of a person, in order.

    ``groups`` holds distinct tuples of label codes, ``persons`` tuples of value codes, column by column; -1 is missing and
    matches nothing.
    """
    # Columns with few covering labels first: what they rule out is never spread any further.
    order = sorted(range(len(columns)), key=lambda at: columns[at].breadth)
    steps: list[tuple[int, Ints]] = []
    node = np.zeros(len(groups), np.int64)
    usable = (groups >= 0).all(axis=1)
    for at in order:
        key = node * columns[at].labels + groups[:, at]
        keys, node = np.unique(np.where(usable, key, -1), return_inverse=True)
        steps.append((at, keys))
    group_of = np.full(int(node.max(initial=-1)) + 1, -1, np.int64)
    group_of[node] = np.where(usable, np.arange(len(groups)), -1)
    found: list[tuple[Ints, Ints]] = []
    complete = np.flatnonzero((persons >= 0).all(axis=1))
    stack = [(0, complete, np.zeros(len(complete), np.int64))]
    while stack:
        step, person, where = stack.pop()
        if step == len(steps):
            found.append((person, group_of[where]))
            continue
        at, keys = steps[step]
        value = persons[person, at]
        count = columns[at].start[value + 1] - columns[at].start[value]
        if count.sum() > _TOGETHER and len(person) > 1:
            half = len(person) // 2
            stack += [(step, person[half:], where[half:]), (step, person[:half], where[:half])]
            continue
        run, place = _spread(columns[at].start[value], count)
        key = where[run] * columns[at].labels + columns[at].label[place]
        child = np.minimum(np.searchsorted(keys, key), max(len(keys) - 1, 0))
        kept = keys[child] == key if len(keys) else np.zeros(0, bool)
        stack.append((step + 1, person[run][kept], child[kept]))
    person, group = (np.concatenate([np.empty(0, np.int64), *(part[side] for part in found)]) for side in (0, 1))
    order_of = np.lexsort((group, person))
    return person[order_of], group[order_of]
