"""The kernel of the greedy eraser: how many others cover an entity without each of its terms."""

from __future__ import annotations

import numpy as np

from sfumato.kernels.arrays import Bools, Codes, Ints, Words
from sfumato.kernels.jit import njit

__all__ = ["covers_without"]


@njit(cache=True)
def covers_without(
    entities: Ints, places: Ints, starts: Ints, terms: Codes, alive: Bools, holders: Words, everyone: Words, most: int
) -> tuple[Ints, Ints]:
    """Return how many others cover each entity, and for each of its terms how many would without it.

    ``terms[starts[e]:starts[e + 1]]`` are those of entity ``e``, whose own bit is ``places[e]``; ``holders[t]`` are the
    entities with term ``t``, 64 to a word, and ``everyone`` all of them. Terms that are not ``alive`` cost nothing, and what
    an entity that ``most`` others cover would gain is not asked: 0 stands there.
    """
    covers = np.zeros(len(entities), np.int64)
    total = 0
    for at in range(len(entities)):
        total += starts[entities[at] + 1] - starts[entities[at]]
    without = np.zeros(total, np.int64)
    width = holders.shape[1]
    filled = 0
    for at in range(len(entities)):
        entity = entities[at]
        first, last = starts[entity], starts[entity + 1]
        count = 0
        held = np.empty(last - first, np.int64)
        for place in range(first, last):
            if alive[terms[place]]:
                held[count] = place
                count += 1
        ahead = np.empty((count + 1, width), np.uint64)
        ahead[0, :] = everyone
        ahead[0, places[entity] >> 6] &= ~(np.uint64(1) << np.uint64(places[entity] & 63))
        for one in range(count):
            for word in range(width):
                ahead[one + 1, word] = ahead[one, word] & holders[terms[held[one]], word]
        for word in range(width):
            covers[at] += _ones(ahead[count, word])
        if covers[at] < most:
            behind = np.full(width, ~np.uint64(0), np.uint64)
            for one in range(count - 1, -1, -1):
                for word in range(width):
                    without[filled + held[one] - first] += _ones(ahead[one, word] & behind[word])
                    behind[word] &= holders[terms[held[one]], word]
        filled += last - first
    return covers, without


@njit(cache=True)
def _ones(word: np.uint64) -> np.int64:
    """Count the bits of a word."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))
