"""Kernels that extend sets of items by one: counting what records hold beyond a set, and keeping where it ends in them."""

from __future__ import annotations

import numpy as np

from sfumato.kernels.arrays import Bools, Codes, Ints, Words
from sfumato.kernels.jit import njit, whole

__all__ = [
    "extended",
    "holding_records",
    "named_sets",
    "occurrences",
    "secret_maxima",
    "summed_tails",
    "transposed",
]

_DENSE = 8  # from so many words of bits for each touched item on, sorting is faster than looking at all words
_SPREAD = np.uint64(
    0x03F79D71B4CB0A89
)  # a de Bruijn number: times a power of two, its first six bits are all different
_BIT = np.zeros(64, np.int32)
for _at in range(64):
    _BIT[(int(_SPREAD) << _at & (1 << 64) - 1) >> 58] = _at


@njit(cache=True)
def transposed(codes: Codes, starts: Ints) -> Codes:
    """Return the places of each code in order; ``starts`` says where those of a code begin."""
    out = np.empty(len(codes), np.int32)
    filled = starts[:-1].copy()
    for place in range(len(codes)):
        out[filled[codes[place]]] = place
        filled[codes[place]] += 1
    return out


@njit(cache=True)
def _in_order(touched: Codes, seen: int, words: Words) -> None:
    """Put the first of the codes in order, in place; ``words`` has a bit for each code, is empty and stays so."""
    if seen * _DENSE < len(words):
        touched[:seen] = np.sort(touched[:seen])
        return
    for at in range(seen):
        words[touched[at] >> 6] |= np.uint64(1) << np.uint64(touched[at] & 63)
    filled = 0
    for word in range(len(words)):
        bits = words[word]
        while bits != np.uint64(0):
            low = bits & (~bits + np.uint64(1))
            touched[filled] = word * 64 + _BIT[(low * _SPREAD) >> np.uint64(58)]
            filled += 1
            bits ^= low
        words[word] = np.uint64(0)


@njit(cache=True)
def extended(
    starts: Ints,
    codes: Codes,
    owners: Codes,
    set_starts: Ints,
    set_places: Codes,
    parents: Codes,
    last: Codes,
    first: int,
    stop: int,
    width: int,
    capacity: int,
) -> tuple[Codes, Codes, Codes]:
    """Return (set, further item, support) of the sets ``first`` to ``stop``, further items rising.

    ``set_places`` are the places in ``codes`` where a set ends in each record that holds it. Only siblings are counted: items
    that extend the parent of a set, too; any other extension has a part that does not go on. Without ``parents`` nobody asks.
    """
    out_set = np.empty(capacity, np.int32)
    out_item = np.empty(capacity, np.int32)
    out_support = np.empty(capacity, np.int32)
    counts = np.zeros(width, np.int32)
    sibling = np.full(width, -1, np.int32)
    touched = np.empty(width, np.int32)
    words = np.zeros((width >> 6) + 1, np.uint64)
    asks = len(parents) > 0
    marked = -1
    filled = 0
    for one in range(first, stop):
        if asks and parents[one] != marked:
            marked = parents[one]
            at = one
            while at > 0 and parents[at - 1] == marked:
                at -= 1
            while at < len(parents) and parents[at] == marked:
                sibling[last[at]] = marked
                at += 1
        seen = whole(0)
        for at in range(set_starts[one], set_starts[one + 1]):
            place = set_places[at]
            for further in range(place + 1, starts[owners[place] + 1]):
                item = codes[further]
                if asks and sibling[item] != marked:
                    continue
                if counts[item] == 0:
                    touched[seen] = item
                    seen += 1
                counts[item] += 1
        _in_order(touched, seen, words)
        for item in touched[:seen]:
            out_set[filled] = one
            out_item[filled] = item
            out_support[filled] = counts[item]
            counts[item] = 0
            filled += 1
    return out_set[:filled], out_item[:filled], out_support[:filled]


@njit(cache=True)
def named_sets(order: Codes, members: Codes, sets: Codes, items: Codes) -> Codes:
    """Return the members of sets and one further item each, by the codes that ``order`` gives them, rising."""
    size = members.shape[1]
    out = np.empty((len(sets), size + 1), np.int32)
    for one in range(len(sets)):
        for at in range(size + 1):
            code = order[members[sets[one], at] if at < size else items[one]]
            place = at
            while place > 0 and out[one, place - 1] > code:
                out[one, place] = out[one, place - 1]
                place -= 1
            out[one, place] = code
    return out


@njit(cache=True)
def summed_tails(starts: Ints, owners: Codes, set_starts: Ints, set_places: Codes) -> Ints:
    """Return how many further items the records of each set hold behind where it ends in them."""
    out = np.zeros(len(set_starts) - 1, np.int64)
    for one in range(len(out)):
        for at in range(set_starts[one], set_starts[one + 1]):
            place = set_places[at]
            out[one] += starts[owners[place] + 1] - place - 1
    return out


@njit(cache=True)
def occurrences(
    starts: Ints,
    codes: Codes,
    owners: Codes,
    set_starts: Ints,
    set_places: Codes,
    grown_set: Codes,
    grown_item: Codes,
    grown_starts: Ints,
    width: int,
) -> Codes:
    """Return the places where each extended set ends in the records that hold it; ``grown_set`` rises."""
    out = np.empty(grown_starts[-1], np.int32)
    slot = np.full(width, -1, np.int64)
    at = 0
    while at < len(grown_set):
        one = grown_set[at]
        stop = at
        while stop < len(grown_set) and grown_set[stop] == one:
            slot[grown_item[stop]] = grown_starts[stop]
            stop += 1
        for place_at in range(set_starts[one], set_starts[one + 1]):
            place = set_places[place_at]
            for further in range(place + 1, starts[owners[place] + 1]):
                to = slot[codes[further]]
                if to >= 0:
                    out[to] = further
                    slot[codes[further]] = to + 1
        for grown in range(at, stop):
            slot[grown_item[grown]] = -1
        at = stop
    return out


@njit(cache=True)
def holding_records(
    starts: Ints,
    codes: Codes,
    owners: Codes,
    set_starts: Ints,
    set_places: Codes,
    grown_set: Codes,
    grown_item: Codes,
    chosen: Bools,
    width: int,
) -> Bools:
    """Tell of each record whether it holds a chosen one of the extended sets; ``grown_set`` rises. None is looked at twice."""
    out = np.zeros(len(starts) - 1, np.bool_)
    wanted = np.full(width, -1, np.int64)
    at = 0
    while at < len(grown_set):
        one = grown_set[at]
        while at < len(grown_set) and grown_set[at] == one:
            if chosen[at]:
                wanted[grown_item[at]] = one
            at += 1
        for place_at in range(set_starts[one], set_starts[one + 1]):
            place = set_places[place_at]
            owner = owners[place]
            if out[owner]:
                continue
            for further in range(place + 1, starts[owner + 1]):
                if wanted[codes[further]] == one:
                    out[owner] = True
                    break
    return out


@njit(cache=True)
def secret_maxima(
    owners: Codes,
    set_starts: Ints,
    set_places: Codes,
    wanted: Bools,
    secret_starts: Ints,
    secret_codes: Codes,
    width: int,
) -> tuple[Ints, Codes]:
    """Return for each wanted set how many of its records hold the commonest secret, and that secret; 0 and -1 if none."""
    out = np.zeros(len(set_starts) - 1, np.int64)
    which = np.full(len(set_starts) - 1, -1, np.int32)
    counts = np.zeros(width, np.int64)
    for one in range(len(out)):
        if not wanted[one]:
            continue
        for at in range(set_starts[one], set_starts[one + 1]):
            owner = owners[set_places[at]]
            for secret_at in range(secret_starts[owner], secret_starts[owner + 1]):
                secret = secret_codes[secret_at]
                counts[secret] += 1
                if counts[secret] > out[one] or (counts[secret] == out[one] and secret < which[one]):
                    out[one] = counts[secret]
                    which[one] = secret
        for at in range(set_starts[one], set_starts[one + 1]):
            owner = owners[set_places[at]]
            for secret_at in range(secret_starts[owner], secret_starts[owner + 1]):
                counts[secret_codes[secret_at]] = 0
    return out, which
