"""Views that only project: the cells in which records can lie are their natural join, and are counted instead of listed."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from sfumato.errors import BadRequest
from sfumato.groups.distinct import found_among
from sfumato.kernels.arrays import Codes, Ints
from sfumato.views.covers import Covers
from sfumato.views.natural_join import Facts, coded_facts, natural_join, numbered, shared_values
from sfumato.views.view_set import ViewSet

__all__ = ["covers_by_join"]

MOST_ROWS = 50_000_000
"""Rows of a join of three views or more that are held at a time."""


def covers_by_join(views: ViewSet, identifier: str, sensitive: str) -> Covers:
    """Return the smallest covers of projection views.

    Two views need no join: the witnesses of a fact are the rows of the other view with its key, so that one grouping by key of
    each tells the values that go with it, and whether it fixes the identifier. Three or more are joined.
    """
    kept = [[name for name in view.columns if _matters(name, views, identifier, sensitive)] for view in views.views]
    cells = [answer.counts(names) for answer, names in zip(views.answers, kept, strict=True)]
    values = shared_values(cells)
    facts = [coded_facts(one, values) for one in cells]
    if len(facts) == 2:
        candidates = [
            _by_key(mine, other, identifier, sensitive) for mine, other in (facts, facts[::-1])
        ]  # the witnesses of a fact lie in the other view
    else:
        columns, rows, numbers = natural_join(facts, MOST_ROWS)
        for number, one in zip(numbers, facts, strict=True):
            if len(np.unique(number)) < len(one.codes):
                raise BadRequest("are not views of one table: a row of one fits no row of another", parameter="views")
        candidates = [_by_fact(columns, rows, number, identifier, sensitive) for number in numbers]
    owners, sets, starts, codes = _together(candidates)
    return _smallest(owners, sets, starts, codes, values.get(identifier, ()), values.get(sensitive, ()))


def _matters(name: str, views: ViewSet, identifier: str, sensitive: str) -> bool:
    """Tell whether a column decides what goes with what: it is shared, or asked about."""
    return name in (identifier, sensitive) or sum(name in view.columns for view in views.views) > 1


Candidates = tuple[Ints, Ints, Ints, Ints]
"""Whom each candidate covers, the number of its set, and the sets in compressed rows."""


def _by_key(mine: Facts, other: Facts, identifier: str, sensitive: str) -> Candidates:
    """Return what the facts of one of two views cover."""
    shared = [name for name in mine.columns if name in other.columns]
    keys, at_other = numbered(other.of(shared))
    key = found_among(keys, mine.of(shared)) if shared else np.zeros(len(mine.codes), np.int64)
    if (key < 0).any() or (len(mine.codes) and not len(other.codes)):
        raise BadRequest("are not views of one table: a row of one fits no row of another", parameter="views")
    if identifier in mine.columns:
        owner = mine.of([identifier])[:, 0]
    elif identifier in other.columns:
        named = other.of([identifier])[:, 0]
        least, most = np.full(len(keys), np.iinfo(np.int64).max), np.full(len(keys), -1)
        np.minimum.at(least, at_other, named)
        np.maximum.at(most, at_other, named)
        owner = np.where(least == most, least, -1)[key]
    else:
        owner = np.full(len(mine.codes), -1, np.int64)
    if sensitive in mine.columns:
        value = mine.of([sensitive])[:, 0]
        width = int(value.max(initial=-1)) + 1
        return _told(owner, value, np.arange(width + 1), np.arange(width))
    if sensitive not in other.columns:
        return _told(np.full(0, -1), np.zeros(0, np.int64), np.zeros(1, np.int64), np.zeros(0, np.int64))
    pairs = np.column_stack([at_other, other.of([sensitive])[:, 0]])
    starts, codes = _lists(pairs, len(keys))
    return _told(owner, key, starts, codes)


def _told(owner: Ints, sets: Ints, starts: Ints, codes: Ints) -> Candidates:
    named = owner >= 0
    return owner[named], sets[named].astype(np.int64), starts.astype(np.int64), codes.astype(np.int64)


def _by_fact(columns: Sequence[str], rows: Ints, number: Ints, identifier: str, sensitive: str) -> Candidates:
    """Return what the facts of one of several views cover, from the join and the number of the fact in each of its rows."""
    count = int(number.max(initial=-1)) + 1
    if identifier not in columns or sensitive not in columns or not len(rows):
        return _told(np.full(0, -1), np.zeros(0, np.int64), np.zeros(1, np.int64), np.zeros(0, np.int64))
    named = rows[:, list(columns).index(identifier)]
    least, most = np.full(count, np.iinfo(np.int64).max), np.full(count, -1)
    np.minimum.at(least, number, named)
    np.maximum.at(most, number, named)
    pairs = np.column_stack([number, rows[:, list(columns).index(sensitive)]])
    starts, codes = _lists(pairs, count)
    return _told(np.where(least == most, least, -1), np.arange(count), starts, codes)


def _lists(pairs: Ints, count: int) -> tuple[Ints, Ints]:
    """Return pairs (list, value) as compressed rows, each value once."""
    width = int(pairs[:, 1].max(initial=0)) + 1
    keys = np.unique(pairs[:, 0] * width + pairs[:, 1])
    starts = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(keys // width, minlength=count), out=starts[1:])
    return starts, keys % width


def _together(candidates: Sequence[Candidates]) -> Candidates:
    """Return the candidates of all views, their sets one after the other."""
    owners, sets, starts, codes = list[Ints](), list[Ints](), [np.zeros(1, np.int64)], list[Ints]()
    lists, length = 0, 0
    for owner, number, start, code in candidates:
        owners.append(owner)
        sets.append(number + lists)
        starts.append(start[1:] + length)
        codes.append(code)
        lists, length = lists + len(start) - 1, length + len(code)
    return np.concatenate(owners), np.concatenate(sets), np.concatenate(starts), np.concatenate(codes)


def _smallest(
    owners: Ints, sets: Ints, starts: Ints, codes: Ints, names: Sequence[Hashable], values: Sequence[Hashable]
) -> Covers:
    """Return the smallest candidate of each identifier, the first of equal ones."""
    sizes = np.diff(starts)[sets] if len(sets) else np.zeros(0, np.int64)
    order = np.lexsort((sets, sizes, owners))
    fresh = np.ones(len(order), bool)
    fresh[1:] = owners[order][1:] != owners[order][:-1]
    chosen = order[fresh]
    at: Codes | Ints = owners[chosen]
    held = names if len(at) == len(names) else [names[code] for code in at.tolist()]
    return Covers(held, sets[chosen], starts, codes, values)
