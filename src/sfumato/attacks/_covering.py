"""Which published groups may hold a person: labels that cover values, column by column, and then whole records.

A value is covered by few labels: itself, and one on each level that is in use. So a person is looked up by the tuples of
labels that cover her values, one column after the other, and only along tuples that are published. This costs about the
number of matches, whatever the number of published rows.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Literal, TypeAlias

import numpy as np

from sfumato.contracts.knowledge import Reading
from sfumato.data.frozen import frozen
from sfumato.data.text import MISSING_LABEL, SUPPRESSED, number_array, parse_interval, to_text
from sfumato.kernels.arrays import Bools, Codes, Ints

__all__ = ["Covers", "Missing", "covers", "matches"]

Missing: TypeAlias = Literal["own-value", "wildcard", "nothing"]
"""What a missing value matches: missing alone, anything, or nothing."""

_TOGETHER = 1 << 21  # pairs that are looked at together; more are parted, so that memory stays bounded


@frozen(eq=False)
class Covers:
    """The labels that cover each value of a column: those of value v are ``label[start[v]:start[v + 1]]``."""

    start: Ints
    label: Ints
    labels: int

    @property
    def breadth(self) -> float:
        """How many labels cover a value, on average."""
        return len(self.label) / max(len(self.start) - 1, 1)


def covers(
    labels: Sequence[Hashable],
    values: Sequence[Hashable],
    reading: Reading | None = None,
    *,
    missing: Missing = "nothing",
) -> Covers:
    """Return which labels cover which raw values.

    A missing value, ``None``, is covered by nothing and covers nothing. As a value of its own it is the same as ``?``, which is
    what is published of a missing value: missing covers missing, and ``*`` covers it like everything else. As a wildcard it is
    covered by every label and covers every value, and so does ``?``.

    >>> found = covers(["[20-30)", "35", "*"], [25, 35])
    >>> found.start.tolist(), found.label.tolist()
    ([0, 2, 4], [0, 2, 1, 2])
    """
    if missing == "own-value":
        labels, values = ([MISSING_LABEL if one is None else one for one in side] for side in (labels, values))
    texts = [None if label is None else to_text(label) for label in labels]
    place: dict[str, list[int]] = {}  # what is missing and a published ? are one text
    for at, text in enumerate(texts):
        if text is not None:
            place.setdefault(text, []).append(at)
    pairs: list[tuple[Ints, Ints]] = []  # value, label
    known = [at for at, value in enumerate(values) if value is not None]
    same = [(at, label) for at in known for label in place.get(to_text(values[at]), ())]
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
    if missing == "wildcard":
        pairs += _wildcards(labels, values)
    value, label = (np.concatenate([part[side] for part in pairs]) for side in (0, 1))
    key = np.unique(value * max(len(texts), 1) + label)
    value, label = np.divmod(key, max(len(texts), 1))
    start = np.searchsorted(value, np.arange(len(values) + 1))
    return Covers(start.astype(np.int64), label, len(texts))


def _wildcards(labels: Sequence[Hashable], values: Sequence[Hashable]) -> list[tuple[Ints, Ints]]:
    """Return the pairs of a missing value and anything."""
    out = []
    for at, label in enumerate(labels):
        if label is None or label == MISSING_LABEL:
            out.append((np.arange(len(values), dtype=np.int64), np.full(len(values), at, np.int64)))
    for at, value in enumerate(values):
        if value is None or value == MISSING_LABEL:
            out.append((np.full(len(labels), at, np.int64), np.arange(len(labels), dtype=np.int64)))
    return out


def _ranks(reading: Reading, values: Sequence[Hashable], known: Sequence[int]) -> Ints:
    """Return the rank of each known value; one that has no place as it is may have one by its text, as codes often do."""
    own, _, _ = reading.runs([], [values[at] for at in known])
    by_text, _, _ = reading.runs([], [to_text(values[at]) for at in known])
    return np.where(own >= 0, own, by_text).astype(np.int64)


def _columns(pairs: Sequence[tuple[int, int]]) -> tuple[Ints, Ints]:
    both = np.array(pairs, np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]


def _runs(known: Ints, ranks: Ints, labels: Ints, first: Codes, last: Codes) -> tuple[Ints, Ints]:
    """Return the pairs of values and labels whose run holds their rank."""
    order = np.argsort(ranks, kind="stable")
    rising = ranks[order]
    low, high = np.searchsorted(rising, first), np.searchsorted(rising, last)
    at, place = _spread(low, np.maximum(high - low, 0))
    return known[order[place]], labels[at]


def _intervals(texts: Sequence[str | None], values: Sequence[tuple[int, Hashable]]) -> list[tuple[Ints, Ints]]:
    """Return the pairs of numbers and the intervals that hold them."""
    numbers = sorted(
        (value, at) for at, value in values if isinstance(value, (int, float)) and not isinstance(value, bool)
    )
    rising, places = number_array([number for number, _ in numbers]), np.array([at for _, at in numbers], np.int64)
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


def matches(groups: Codes, persons: Codes, columns: Sequence[Covers]) -> tuple[Ints, Ints]:
    """Return the pairs (person, group) in which the labels of a group cover all values of a person, in order.

    ``groups`` holds distinct tuples of label codes, ``persons`` tuples of value codes, column by column; -1 is missing and
    matches nothing.
    """
    # Columns with few covering labels first: what they rule out is never spread any further.
    order = sorted(range(len(columns)), key=lambda at: columns[at].breadth)
    usable = np.flatnonzero((groups >= 0).all(axis=1))
    node = np.zeros(len(usable), np.int64)
    steps: list[_Step] = []
    for at in order:
        keys, node = np.unique(node * columns[at].labels + groups[usable, at], return_inverse=True)
        steps.append(_Step.of(columns[at], at, keys))
    group_of = np.zeros(len(usable), np.int64)
    group_of[node] = usable
    found: list[tuple[Ints, Ints]] = []
    complete = np.flatnonzero((persons >= 0).all(axis=1)) if len(usable) else np.empty(0, np.int64)
    stack = [(0, complete, np.zeros(len(complete), np.int64))]
    while stack:
        number, person, where = stack.pop()
        if number == len(steps):
            found.append((person, group_of[where]))
            continue
        step = steps[number]
        value = persons[person, step.column].astype(np.int64)
        count = step.width(value, where)
        if count.sum() > _TOGETHER and len(person) > 1:
            half = len(person) // 2
            stack += [(number, person[half:], where[half:]), (number, person[:half], where[:half])]
            continue
        run, child = step.children(value, where)
        stack.append((number + 1, person[run], child))
    person, group = (np.concatenate([np.empty(0, np.int64), *(part[side] for part in found)]) for side in (0, 1))
    order_of = np.lexsort((group, person))
    return person[order_of], group[order_of]


@frozen(eq=False)
class _Step:
    """One column of the published tuples: ``keys`` holds, in order, which label may follow which beginning of a tuple.

    From a beginning one gets on through the labels that cover a value or through those that are published, whichever are
    fewer; the others then decide which of them hold.
    """

    covers: Covers
    column: int
    keys: Ints
    first: Ints
    pairs: Ints

    @classmethod
    def of(cls, covers: Covers, column: int, keys: Ints) -> _Step:
        """Return the step along a column."""
        nodes = int(keys[-1]) // covers.labels + 1 if len(keys) else 0
        first = np.searchsorted(keys, np.arange(nodes + 1) * covers.labels)
        value = np.repeat(np.arange(len(covers.start) - 1), np.diff(covers.start))
        return cls(covers, column, keys, first, value * covers.labels + covers.label)

    def width(self, value: Ints, where: Ints) -> Ints:
        """Return how many labels are looked at for each value after each beginning."""
        covering: Ints = self.covers.start[value + 1] - self.covers.start[value]
        published: Ints = self.first[where + 1] - self.first[where]
        return np.where(covering <= published, covering, published)

    def children(self, value: Ints, where: Ints) -> tuple[Ints, Ints]:
        """Return which entries get on, and to which longer beginning; an entry may get on in several ways."""
        covering = self.covers.start[value + 1] - self.covers.start[value]
        published = self.first[where + 1] - self.first[where]
        by_cover = np.flatnonzero(covering <= published)
        run, place = _spread(self.covers.start[value[by_cover]], covering[by_cover])
        run = by_cover[run]
        key = where[run] * self.covers.labels + self.covers.label[place]
        child, kept = _found(self.keys, key)
        by_key = np.flatnonzero(covering > published)
        other, at = _spread(self.first[where[by_key]], published[by_key])
        other = by_key[other]
        _, held = _found(self.pairs, value[other] * self.covers.labels + self.keys[at] % self.covers.labels)
        return np.concatenate([run[kept], other[held]]), np.concatenate([child[kept], at[held]])


def _found(keys: Ints, wanted: Ints) -> tuple[Ints, Bools]:
    """Return where each wanted key stands among keys in order, and whether it does."""
    if not len(keys):
        return np.zeros(len(wanted), np.int64), np.zeros(len(wanted), bool)
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return place, np.equal(keys[place], wanted)
