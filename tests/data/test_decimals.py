"""Decimal thresholds as fractions, and the small fractions that stand for them up to a size."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.decimals import exact_share, fraction_above, fraction_below
from sfumato.errors import BadRequest


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("0.1", Fraction(1, 10)),
        (0.1, Fraction(1, 10)),
        (1, Fraction(1)),
        ("1/3", Fraction(1, 3)),
        ("1e-2", Fraction(1, 100)),
    ],
)
def test_means_what_was_written(given: Any, meant: Fraction) -> None:
    assert exact_share(given, parameter="t") == meant


@pytest.mark.parametrize(
    "wrong", ["", "a tenth", "-0.1", "1.01", 2, -1, True, None, float("nan"), float("inf"), "1/0", [1]]
)
def test_refuses_what_is_no_share(wrong: Any) -> None:
    with pytest.raises(BadRequest) as error:
        exact_share(wrong, parameter="model.t")
    assert error.value.parameter == "model.t"


@given(value=st.fractions(0, 50, max_denominator=10**9), most=st.integers(1, 60))
def test_small_fractions_have_the_same_floors_and_ceilings(value: Fraction, most: int) -> None:
    below, above = fraction_below(value, most), fraction_above(value, most)
    assert below <= value <= above
    assert below.denominator <= most
    assert above.denominator <= most
    for size in range(most + 1):
        assert floor(size * below) == floor(size * value)
        assert ceil(size * above) == ceil(size * value)
