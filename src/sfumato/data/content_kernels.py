"""SHA-256 of many short rows: written side by side and hashed without an object for each of them, on plain arrays.

FIPS 180-4, sections 4.1.2, 5.1.1 and 6.2.2. `hashlib` is the twin: it hashes whatever is not a row, and it says in the tests
what each digest must be; a row costs it half a microsecond of interpreter, several times what its two blocks take.
"""

from __future__ import annotations

from math import isqrt

import numpy as np

from sfumato.kernels.arrays import Array
from sfumato.kernels.jit import njit

__all__ = ["hash_rows"]


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

_u = np.uint32  # sums of two words are words again: numba would widen them


@njit(cache=True, nogil=True)
def _turned(word: np.uint32, by: int) -> np.uint32:
    return _u(_u(word >> _u(by)) | _u(word << _u(32 - by)))


@njit(cache=True, nogil=True)
def _take_in(state: Array, words: Array) -> None:
    """Take the first 16 words in as a block; the other 48 are room."""
    for t in range(16, 64):
        a, b = words[t - 15], words[t - 2]
        low = _u(_turned(a, 7) ^ _turned(a, 18) ^ _u(a >> _u(3)))
        high = _u(_turned(b, 17) ^ _turned(b, 19) ^ _u(b >> _u(10)))
        words[t] = _u(_u(low + words[t - 16]) + _u(high + words[t - 7]))
    a, b, c, d = state[0], state[1], state[2], state[3]
    e, f, g, h = state[4], state[5], state[6], state[7]
    for t in range(64):
        mixed = _u(_u(_turned(e, 6) ^ _turned(e, 11) ^ _turned(e, 25)) + _u(_u(e & f) ^ _u(_u(~e) & g)))
        first = _u(_u(h + mixed) + _u(_ROUND[t] + words[t]))
        second = _u(_u(_turned(a, 2) ^ _turned(a, 13) ^ _turned(a, 22)) + _u(_u(a & b) ^ _u(a & c) ^ _u(b & c)))
        h, g, f, e = g, f, e, _u(d + first)
        d, c, b, a = c, b, a, _u(first + second)
    state[0] += a
    state[1] += b
    state[2] += c
    state[3] += d
    state[4] += e
    state[5] += f
    state[6] += g
    state[7] += h


@njit(cache=True, nogil=True)
def _hash(line: Array, length: int, words: Array, state: Array) -> None:
    """Leave in ``state`` the digest of the first bytes of a line, as eight words; behind them the line has room for padding."""
    for j in range(8):
        state[j] = _FIRST[j]
    blocks = (length + 72) // 64  # with the bit that ends the message, and its length in bits
    for at in range(length, blocks * 64):
        line[at] = 0
    line[length] = 0x80
    for j in range(8):
        line[blocks * 64 - 1 - j] = (length * 8) >> (8 * j) & 0xFF
    at = 0
    for _ in range(blocks):
        for j in range(16):
            high = _u(_u(_u(line[at]) << _u(24)) | _u(_u(line[at + 1]) << _u(16)))
            words[j] = _u(high | _u(_u(_u(line[at + 2]) << _u(8)) | _u(line[at + 3])))
            at += 4
        _take_in(state, words)


@njit(cache=True, nogil=True)
def hash_rows(
    codes: Array, texts: Array, starts: Array, shift: Array, counts: Array, line: Array, leaves: Array
) -> None:
    """Write rows, tab between cells, line feed and count behind them, and hash each.

    ``codes[column, row]`` is the number of a cell's text among those of its column, the last one for -1. Text ``t`` of a
    column is ``texts[starts[shift[column] + t] : starts[shift[column] + t + 1]]``. ``line`` has room for the longest row and
    a hundred bytes more; ``leaves[row]`` becomes the eight words of its digest.
    """
    words, state = np.empty(64, np.uint32), np.empty(8, np.uint32)
    digits = np.empty(20, np.uint8)
    width = codes.shape[0]
    for row in range(codes.shape[1]):
        length = 0
        for column in range(width):
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
        left, count = 0, counts[row]
        while count > 0 or left == 0:
            digits[left] = 48 + count % 10
            count //= 10
            left += 1
        while left > 0:
            left -= 1
            line[length] = digits[left]
            length += 1
        _hash(line, length, words, state)
        for j in range(8):
            leaves[row, j] = state[j]
