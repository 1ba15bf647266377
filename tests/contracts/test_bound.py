"""Bounds: the one place where a measured value meets a threshold."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sfumato.contracts.model import at_least, at_most


def test_whole_thresholds_compare_exactly() -> None:
    assert at_least(3).holds(np.array([2, 3, 4])).tolist() == [False, True, True]
    assert at_most(3).holds(np.array([2, 3, 4])).tolist() == [True, True, False]
    assert not at_least(10**12).holds(np.array([10**12 - 1])).any()


@pytest.mark.parametrize("threshold", [math.log(3), 0.2, 1e-6])
def test_real_thresholds_have_a_slack_of_one_in_a_billion(threshold: float) -> None:
    near, far = threshold * (1 - 5e-10), threshold * (1 - 5e-9)
    assert at_least(threshold).holds(np.array([near, far])).tolist() == [True, False]
    near, far = threshold * (1 + 5e-10), threshold * (1 + 5e-9)
    assert at_most(threshold).holds(np.array([near, far])).tolist() == [True, False]


def test_strict_thresholds_have_none() -> None:
    assert at_least(0.5, strict=True).holds(np.array([0.5, math.nextafter(0.5, 1)])).tolist() == [False, True]
    assert at_most(0.5, strict=True).holds(np.array([0.5, math.nextafter(0.5, 0)])).tolist() == [False, True]
    assert at_least(3, strict=True).holds(np.array([3, 4])).tolist() == [False, True]


def test_worst_is_on_the_unsafe_side() -> None:
    assert at_least(3).worst(np.array([5, 2, 9])) == 2
    assert at_most(3).worst(np.array([5, 2, 9])) == 9
    assert at_least(3).worst(np.array([], np.int64)) is None


def test_bounds_read_as_conditions() -> None:
    assert [str(b) for b in (at_least(3), at_most(0.25), at_least(1, strict=True), at_most(2, strict=True))] == [
        ">= 3",
        "<= 0.25",
        "> 1",
        "< 2",
    ]
