"""What an attack pays whom: when finding a record is worth its cost, and what a publisher gains and loses by a record."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

import numpy as np

from sfumato.kernels.arrays import Floats, Ints

__all__ = ["bits_left_open", "least_people", "payouts"]


def least_people(gain: float, cost: float, *, as_arx: bool = False) -> int | None:
    """Return the least number of persons who must look alike so that no attack pays; ``None`` if no number does.

    An attack pays iff ``gain / people > cost``, so the number is ``ceil(gain / cost)``. ARX asks for
    ``floor(gain / cost) + 1``, one more where the ratio is whole. Amounts are taken as the decimals that they are written as.

    >>> least_people(60, 25), least_people(60, 20), least_people(60, 20, as_arx=True), least_people(1.1, 0.1)
    (3, 3, 4, 11)
    """
    if gain <= 0:
        return 1
    if cost <= 0:
        return None
    ratio = Fraction(repr(gain)) / Fraction(repr(cost))
    return max(1, floor(ratio) + 1 if as_arx else ceil(ratio))


def bits_left_open(cover: Floats, domain: Floats) -> Floats:
    """Return ``log(|v_1| * ... * |v_d|) / log(|D_1| * ... * |D_d|)`` of each group: the share of a record's bits left open.

    ``cover`` (groups x attributes) counts the raw values that published ones may stand for, ``domain`` all there are.

    >>> bits_left_open(np.array([[1.0, 1.0], [2.0, 2.0], [4.0, 2.0]]), np.array([4.0, 2.0])).round(3).tolist()
    [0.0, 0.667, 1.0]
    """
    bits = float(np.log2(domain).sum())
    lost = np.log2(cover).sum(axis=1) / bits if bits > 0 else np.zeros(len(cover))
    return np.clip(lost, 0.0, 1.0)


def payouts(lost: Floats, people: Ints | Floats, *, benefit: float, loss: float, least: int | None) -> Floats:
    """Return what one record of each group pays its publisher: ``benefit (1 - lost)``, less ``loss / people`` if attacked.

    Groups of fewer than ``least`` persons are attacked; without a number all are.

    >>> payouts(np.array([0.0, 2 / 3, 0.0]), np.array([3, 2, 1]), benefit=100, loss=300, least=3).round(3).tolist()
    [100.0, -116.667, -200.0]
    """
    attacked = np.ones(len(people), bool) if least is None else people < least
    return np.asarray(benefit * (1.0 - lost) - np.where(attacked, loss / people, 0.0))
