"""The privacy budget: exact sums, never overdrawn, the largest of disjoint parts."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import BadRequest, Infeasible
from sfumato.perturbations.budget import Budget

amounts = st.floats(1e-6, 10, allow_nan=False).map(lambda x: float(f"{x:.6f}")).filter(lambda x: x > 0)


def test_ten_tenths_are_one() -> None:
    budget = Budget(1.0)
    for _ in range(10):
        assert budget.spend(0.1) <= 0.1
    assert (budget.spent, budget.left) == (1.0, 0.0)
    with pytest.raises(Infeasible, match="exhausted") as refused:
        budget.spend(1e-12)
    assert refused.value.bound == 1.0
    assert budget.spent == 1.0


@given(total=amounts, asked=st.lists(amounts, max_size=12))
def test_never_overdrawn_whatever_is_asked(total: float, asked: list[float]) -> None:
    budget, given_out = Budget(total), Fraction(0)
    for epsilon in asked:
        fits = given_out + Fraction(repr(epsilon)) <= Fraction(repr(total))
        if fits:
            assert Fraction(budget.spend(epsilon)) <= Fraction(repr(epsilon))
            given_out += Fraction(repr(epsilon))
        else:
            with pytest.raises(Infeasible):
                budget.spend(epsilon)
    assert math.isclose(budget.spent, float(given_out))
    assert sum((Fraction(entry.epsilon) for entry in budget.ledger), Fraction(0)) <= Fraction(repr(total)) + Fraction(
        1, 10**9
    )


@given(total=amounts, count=st.integers(1, 50))
def test_even_shares_use_all_and_no_more(total: float, count: int) -> None:
    budget = Budget(total)
    taken = [Fraction(budget.spend(share)) for share in budget.shares(count)]
    assert sum(taken) <= Fraction(repr(total))
    assert budget.left == 0.0
    with pytest.raises(Infeasible):
        budget.shares(1)


def test_disjoint_parts_cost_the_largest() -> None:
    budget = Budget(1.0)
    assert budget.spend_parallel([0.5, 0.25, 0.5], purpose="wards") == [0.5, 0.25, 0.5]
    assert [(entry.purpose, entry.epsilon) for entry in budget.ledger] == [("wards", 0.5)]
    with pytest.raises(Infeasible):
        budget.spend_parallel([0.1, 0.6])
    assert budget.spent == 0.5


def test_delta_is_a_budget_too() -> None:
    budget = Budget(1.0, delta=1e-5)
    budget.spend(0.5, delta=1e-5)
    with pytest.raises(Infeasible, match="delta"):
        budget.spend(0.1, delta=1e-9)
    assert budget.spent == 0.5
    assert budget.left_delta == 0.0


@pytest.mark.parametrize("wrong", [0, -1, math.inf, math.nan, True, "1", None])
def test_amounts_that_are_none(wrong: object) -> None:
    with pytest.raises(BadRequest):
        Budget(wrong)  # type: ignore[arg-type]
    with pytest.raises(BadRequest):
        Budget(1).spend(wrong)  # type: ignore[arg-type]


def test_delta_of_one_promises_nothing() -> None:
    with pytest.raises(BadRequest):
        Budget(1.0, delta=1.0)
    with pytest.raises(BadRequest):
        Budget(1.0).spend_parallel([])
