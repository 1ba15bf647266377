"""A privacy budget: what procedures on one table may cost together, spent step by step and never overdrawn.

Procedures on the same records add up (sequential composition); of procedures on disjoint parts of the records only the
dearest counts (parallel composition, for neighbours that have one record more or less).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest, Infeasible

__all__ = ["Budget", "Spending"]


@frozen
class Spending:
    """One entry of the ledger: what it was for and what it cost."""

    purpose: str
    epsilon: float
    delta: float


class Budget:
    """A privacy budget of epsilon (and delta), with a ledger of what was spent.

    Amounts are added exactly: a number stands for what is written, so ten times 0.1 is 1. What comes back from
    :meth:`spend` is rounded down to the next float, so that a procedure calibrated to it never costs more than was
    taken.

    >>> budget = Budget(1.0)
    >>> budget.spend(0.75, purpose="a histogram")
    0.75
    >>> budget.left
    0.25
    >>> budget.spend(0.5)
    Traceback (most recent call last):
    sfumato.errors.Infeasible: the privacy budget is exhausted: 0.25 of 1 is left, 0.5 was asked for
    """

    def __init__(self, epsilon: float | Fraction, delta: float | Fraction = 0) -> None:
        self._total = amount(epsilon, "epsilon")
        self._total_delta = amount(delta, "delta", zero=True)
        if self._total_delta >= 1:
            raise BadRequest("must be below 1", parameter="delta", value=delta)
        self._spent = self._spent_delta = Fraction(0)
        self._ledger: list[Spending] = []

    @property
    def epsilon(self) -> float:
        """The whole budget."""
        return float(self._total)

    @property
    def spent(self) -> float:
        """What is gone."""
        return float(self._spent)

    @property
    def left(self) -> float:
        """What is left, rounded down."""
        return _down(self._total - self._spent)

    @property
    def left_delta(self) -> float:
        """What is left of delta, rounded down."""
        return _down(self._total_delta - self._spent_delta)

    @property
    def ledger(self) -> tuple[Spending, ...]:
        """What was spent, in order."""
        return tuple(self._ledger)

    def spend(self, epsilon: float | Fraction, *, delta: float | Fraction = 0, purpose: str = "") -> float:
        """Take an amount and return it, rounded down; refuse more than is left, and then take nothing."""
        asked, beside = amount(epsilon, "epsilon"), amount(delta, "delta", zero=True)
        self._refuse_overdraft(asked, self._total - self._spent, self._total, "privacy budget")
        self._refuse_overdraft(beside, self._total_delta - self._spent_delta, self._total_delta, "budget of delta")
        self._spent += asked
        self._spent_delta += beside
        self._ledger.append(Spending(purpose, float(asked), float(beside)))
        return _down(asked)

    def spend_parallel(self, epsilons: Sequence[float | Fraction], *, purpose: str = "") -> list[float]:
        """Take the largest of several amounts that are spent on disjoint records, and return each.

        >>> budget = Budget(1.0)
        >>> budget.spend_parallel([0.25, 0.5]), budget.spent
        ([0.25, 0.5], 0.5)
        """
        if not epsilons:
            raise BadRequest("needs at least one amount", parameter="epsilons")
        asked = [amount(epsilon, "epsilon") for epsilon in epsilons]
        self.spend(max(asked), purpose=purpose)
        return [_down(each) for each in asked]

    def shares(self, count: int) -> list[Fraction]:
        """Return what is left in even parts, exactly; refuse if nothing is.

        >>> budget = Budget(1)
        >>> [budget.spend(share) for share in budget.shares(4)], budget.left
        ([0.25, 0.25, 0.25, 0.25], 0.0)
        """
        left = self._total - self._spent
        if left <= 0:
            raise Infeasible(
                f"the privacy budget is exhausted: nothing of {float(self._total):g} is left",
                measured=self.spent,
                bound=self.epsilon,
            )
        return [left / count] * count

    @staticmethod
    def _refuse_overdraft(asked: Fraction, left: Fraction, total: Fraction, name: str) -> None:
        if asked > left:
            raise Infeasible(
                f"the {name} is exhausted: {float(left):g} of {float(total):g} is left, {float(asked):g} was asked for",
                measured=float(total - left + asked),
                bound=float(total),
            )


def amount(value: object, parameter: str, *, zero: bool = False) -> Fraction:
    """Return a number exactly as it is written; refuse what is not finite or not positive.

    >>> amount(0.1, "epsilon")
    Fraction(1, 10)
    """
    known = isinstance(value, (int, float, Fraction)) and not isinstance(value, bool)
    if not known or not math.isfinite(value):  # type: ignore[arg-type]
        raise BadRequest("must be a finite number", parameter=parameter, value=value)
    exact = value if isinstance(value, Fraction) else Fraction(repr(float(value)))  # type: ignore[arg-type]
    if exact < 0 or (exact == 0 and not zero):
        raise BadRequest(f"must be {'>= 0' if zero else '> 0'}", parameter=parameter, value=value)
    return exact


def _down(value: Fraction) -> float:
    nearest = float(value)
    return math.nextafter(nearest, 0.0) if Fraction(nearest) > value else nearest
