"""SHA-256 of many short rows: written side by side and hashed without an object for each of them, on plain arrays.

FIPS 180-4, sections 4.1.2, 5.1.1 and 6.2.2. `hashlib` is the twin: it hashes whatever is not a row, and it says in the tests
what each digest must be; a row costs it half a microsecond of interpreter, several times what its two blocks take.
"""

from __future__ import annotations

from math import isqrt

import numpy as np

from sfumato.kernels.arrays import Array
from sfumato.kernels.jit import njit

__all__ = ["hash_buckets", "hash_rows"]


def _primes(count: int) -> list[int]:
    found: list[int] = []
    number = 2
    while len(found) < count:
        if all(number % prime for prime in found):
            found.append(number)
        number += 1
    return found


def _cube_root(number: int) -> int:
    low, high = 0, 1 << (number.bit_length() // 3 + 1)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**3 <= number else (low, middle - 1)
    return low


# The first 32 bits of the fractional parts of roots of the first primes.
_FIRST = np.array([isqrt(prime << 64) & 0xFFFFFFFF for prime in _primes(8)], np.uint32)
_ROUND = np.array([_cube_root(prime << 96) & 0xFFFFFFFF for prime in _primes(64)], np.uint32)

LANES = 16
"""Messages that are hashed side by side: processors have registers of so many words, and compilers use them for plain loops."""

_u = np.uint32  # sums of two words are words again: numba would widen them
_at = np.uint64  # places without a sign: nothing is counted from the end
_ONE = _at(LANES)


@njit(cache=True, nogil=True)
def _turned(word: np.uint32, by: int) -> np.uint32:
    return _u(_u(word >> _u(by)) | _u(word << _u(32 - by)))


@njit(cache=True, nogil=True)
def _begin(state: Array) -> None:
    """Make all states those of messages of which nothing was read."""
    for j in range(8):
        state[j * LANES : (j + 1) * LANES] = _FIRST[j]


@njit(cache=True, nogil=True)
def _take_in(state: Array, words: Array, mixed: Array) -> None:
    """Take in a block of each message: word ``j`` of message ``m`` is ``words[j * LANES + m]``, and so is its state.

    The first 16 words are the block, the other 48 are room, and so is ``mixed``.
    """
    for t in range(16, 64):
        here, low, high = _at(t) * _ONE, _at(t - 15) * _ONE, _at(t - 2) * _ONE
        far, near = _at(t - 16) * _ONE, _at(t - 7) * _ONE
        for m in range(_ONE):
            x, y = words[low + m], words[high + m]
            less = _u(_turned(x, 7) ^ _turned(x, 18) ^ _u(x >> _u(3)))
            more = _u(_turned(y, 17) ^ _turned(y, 19) ^ _u(y >> _u(10)))
            words[here + m] = _u(_u(less + words[far + m]) + _u(more + words[near + m]))
    mixed[:] = state
    for t in range(64):
        # The eight variables change places instead of values: a is where h was in the round before.
        first = _at(64 - t)
        a, b, c, d = _place(first, 0), _place(first, 1), _place(first, 2), _place(first, 3)
        e, f, g, h = _place(first, 4), _place(first, 5), _place(first, 6), _place(first, 7)
        word, constant = _at(t) * _ONE, _ROUND[t]
        for m in range(_ONE):
            v, w = mixed[a + m], mixed[e + m]
            chosen = _u(_u(w & _u(mixed[f + m] ^ mixed[g + m])) ^ mixed[g + m])
            sum1 = _u(_u(_turned(w, 6) ^ _turned(w, 11) ^ _turned(w, 25)) + chosen)
            sum1 = _u(_u(mixed[h + m] + sum1) + _u(constant + words[word + m]))
            most = _u(_u(v & mixed[b + m]) | _u(mixed[c + m] & _u(v | mixed[b + m])))
            sum0 = _u(_u(_turned(v, 2) ^ _turned(v, 13) ^ _turned(v, 22)) + most)
            mixed[d + m] = _u(mixed[d + m] + sum1)
            mixed[h + m] = _u(sum1 + sum0)
    for j in range(len(state)):
        state[j] += mixed[j]


@njit(cache=True, nogil=True)
def _place(first: np.uint64, number: int) -> np.uint64:
    """Return where one of the eight variables of a round stands."""
    return (first + _at(number)) % _at(8) * _ONE


@njit(cache=True, nogil=True)
def _close(line: Array, length: int) -> int:
    """Pad a message with the bit that ends it and with its length in bits; return how many blocks it has."""
    blocks = (length + 72) // 64
    for at in range(length, blocks * 64):
        line[at] = 0
    line[length] = 0x80
    for j in range(8):
        line[blocks * 64 - 1 - j] = (length * 8) >> (8 * j) & 0xFF
    return blocks


@njit(cache=True, nogil=True)
def _write_row(
    line: Array, codes: Array, row: int, texts: Array, starts: Array, shift: Array, count: int, digits: Array
) -> int:
    """Write a row with its count behind it; return its length."""
    length = 0
    for column in range(codes.shape[0]):
        if column:
            line[length] = 9
            length += 1
        code = codes[column, row]
        place = shift[column] + code if code >= 0 else shift[column + 1] - 1
        for at in range(starts[place], starts[place + 1]):
            line[length] = texts[at]
            length += 1
    line[length] = 10
    length += 1
    left = 0
    while count > 0 or left == 0:
        digits[left] = 48 + count % 10
        count //= 10
        left += 1
    while left > 0:
        left -= 1
        line[length] = digits[left]
        length += 1
    return length


@njit(cache=True, nogil=True)
def hash_rows(
    codes: Array, texts: Array, starts: Array, shift: Array, counts: Array, lines: Array, leaves: Array
) -> None:
    """Write rows, tab between cells, line feed and count behind them, and hash each.

    ``codes[column, row]`` is the number of a cell's text among those of its column, the last one for -1. Text ``t`` of a
    column is ``texts[starts[shift[column] + t] : starts[shift[column] + t + 1]]``. ``lines`` has room for ``LANES`` times the
    longest row and a hundred bytes more; ``leaves[row]`` becomes the eight words of its digest.
    """
    words, state, mixed = (
        np.empty(64 * LANES, np.uint32),
        np.empty(8 * LANES, np.uint32),
        np.empty(8 * LANES, np.uint32),
    )
    digits, blocks = np.empty(20, np.uint8), np.zeros(LANES, np.int64)
    rows = codes.shape[1]
    for begin in range(0, rows, LANES):
        many = min(LANES, rows - begin)
        for m in range(many):
            length = _write_row(lines[m], codes, begin + m, texts, starts, shift, counts[begin + m], digits)
            blocks[m] = _close(lines[m], length)
        _begin(state)
        for block in range(blocks[:many].max()):
            for m in range(many):
                if block >= blocks[m]:
                    continue  # what is taken in for it no longer counts
                at, line = block * 64, lines[m]
                for j in range(16):
                    high = _u(_u(_u(line[at]) << _u(24)) | _u(_u(line[at + 1]) << _u(16)))
                    words[j * LANES + m] = _u(high | _u(_u(_u(line[at + 2]) << _u(8)) | _u(line[at + 3])))
                    at += 4
            _take_in(state, words, mixed)
            for m in range(many):
                if block == blocks[m] - 1:
                    for j in range(8):
                        leaves[begin + m, j] = state[j * LANES + m]


@njit(cache=True, nogil=True)
def _digit(number: np.uint64) -> np.int64:
    """Return the sign of the last hex digit of a number."""
    digit = np.int64(number & _at(15))
    return np.int64(48 + digit if digit < 10 else 87 + digit)


@njit(cache=True, nogil=True)
def hash_buckets(leaves: Array, starts: Array, lines: Array) -> None:
    """Write a line for each bucket: line feed, four digits of its number, a space, the digest of the digits of its leaves.

    Leaves are sorted, each four words of 64 bits; those of bucket ``b`` are ``starts[b]`` to ``starts[b + 1]``. The digits of
    a leaf are just one block, and what ends the message is another.
    """
    words, state, mixed = (
        np.empty(64 * LANES, np.uint32),
        np.empty(8 * LANES, np.uint32),
        np.empty(8 * LANES, np.uint32),
    )
    sizes = np.zeros(LANES, np.int64)
    for begin in range(0, len(starts) - 1, LANES):
        many = min(LANES, len(starts) - 1 - begin)
        for m in range(many):
            sizes[m] = starts[begin + m + 1] - starts[begin + m]
        _begin(state)
        for block in range(sizes[:many].max() + 1):
            for m in range(many):
                if block == sizes[m]:
                    for j in range(16):
                        words[j * LANES + m] = 0
                    words[m] = _u(0x80000000)
                    words[14 * LANES + m], words[15 * LANES + m] = _u(block * 512 >> 32), _u(block * 512 & 0xFFFFFFFF)
                elif block < sizes[m]:
                    for j in range(16):
                        four = leaves[starts[begin + m] + block, j // 4] >> _at(48 - 16 * (j % 4))
                        high = _digit(four >> _at(12)) << 24 | _digit(four >> _at(8)) << 16
                        words[j * LANES + m] = _u(high | _digit(four >> _at(4)) << 8 | _digit(four))
            _take_in(state, words, mixed)
            for m in range(many):
                if block == sizes[m]:
                    line, number = lines[begin + m], leaves[starts[begin + m], 0]
                    line[0], line[5] = 10, 32
                    for k in range(4):
                        line[1 + k] = _digit(number >> _at(60 - 4 * k))
                    for k in range(64):
                        line[6 + k] = _digit(_at(state[k // 8 * LANES + m]) >> _at(28 - 4 * (k % 8)))
