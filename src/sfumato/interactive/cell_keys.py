"""Counts with noise that belongs to the cell: the same records always get the same noise, whoever asks and however."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b

import numpy as np

from sfumato.kernels.arrays import Bools, Floats, Words

__all__ = ["cell_noise", "moved_counts"]


def moved_counts(masks: Sequence[Bools], keys: Words, secret: str, most: int, variance: float) -> list[int]:
    """Return counts, each moved by noise that its cell key decides: the sum of its records' secret numbers modulo 2^64."""
    out = []
    for mask in masks:
        count = int(mask.sum())
        cell = int(np.add.reduce(keys[mask], dtype=np.uint64))
        drawn = blake2b(cell.to_bytes(8, "big"), digest_size=8, key=secret.encode()).digest()
        place = int.from_bytes(drawn, "big") / 2**64
        law = cell_noise(count, most, variance)
        out.append(count + _lowest(count, most) + int(np.searchsorted(np.cumsum(law), place, side="right")))
    return out


@lru_cache(maxsize=4096)
def _law(room: int, most: int, variance: float) -> Floats:
    """Return the probabilities of moving a count that can fall by ``room``: the evenest ones with mean 0 and this variance."""
    moves = np.arange(-room, most + 1, dtype=np.float64)
    if room == 0:
        return np.array(
            [1.0, *[0.0] * most]
        )  # an empty cell stays empty: it can only grow, and on the average it must not
    aim = min(variance, 0.9 * room * most)  # no law on these moves with mean 0 varies by more than room * most
    slope, bend = 0.0, -0.5 / aim
    law = np.exp(bend * moves**2)
    for _ in range(200):  # Newton's method on mean and variance of exp(slope x + bend x^2)
        law = np.exp(np.clip(slope * moves + bend * moves**2, -700, 700))
        law /= law.sum()
        first, second = float(law @ moves), float(law @ moves**2)
        third, fourth = float(law @ moves**3), float(law @ moves**4)
        if abs(first) < 1e-12 and abs(second - aim) < 1e-12:
            break
        jacobian = np.array([[second - first**2, third - first * second], [third - first * second, fourth - second**2]])
        step = np.linalg.lstsq(jacobian, np.array([-first, aim - second]), rcond=None)[0]
        size = min(1.0, 1.0 / max(1e-12, float(np.abs(step).max())))
        slope, bend = slope + size * float(step[0]), bend + size * float(step[1])
    return law


def cell_noise(count: int, most: int, variance: float) -> Floats:
    """Return with which probability a count is moved by ``-min(count, most)``, ..., ``most``; on the average by nothing.

    Among all laws with mean 0 and the variance the one with the largest entropy is taken, ``p(x) = exp(a + b x + c x^2)``; a
    count that leaves no room for the variance gets less. Zero stays zero.

    >>> law = cell_noise(7, 5, 4.0)
    >>> round(float(law @ np.arange(-5, 6)), 6), round(float(law @ np.arange(-5, 6) ** 2), 6)
    (0.0, 4.0)

    References
    ----------
    Thompson, Broadfoot, Elazar, "Methodology for the automatic confidentialisation of statistical outputs", 2013.
    Marley, Leaver, "A method for confidentialising user-defined tables: statistical properties and a risk-utility analysis",
    2011.
    """
    return _law(min(count, most), most, float(variance))


def _lowest(count: int, most: int) -> int:
    return -min(count, most)
