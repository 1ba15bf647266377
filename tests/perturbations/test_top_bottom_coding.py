"""Top and bottom coding: the ends are shared by enough records, the rest stays."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from sfumato.perturbations import TopBottomCoding
from sfumato.perturbations.top_bottom_coding import quantile

RNG = np.random.default_rng


def coded(held: list[float | None], **asked: object) -> list[float | None]:
    table = sfumato.from_rows(["pay"], [(value,) for value in held])
    made = TopBottomCoding.from_spec({"column": "pay", **asked}).apply(table, RNG(1))
    return made.values("pay")  # type: ignore[return-value]


def test_bounds_given_and_bounds_by_quantile() -> None:
    held: list[float | None] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    assert coded(held, top=8, bottom=3) == [3, 3, 3, 4, 5, 6, 7, 8, 8, 8]
    assert coded(held, top_quantile=0.8, bottom_quantile=0.3) == [3, 3, 3, 4, 5, 6, 7, 8, 8, 8]
    assert coded(held, top=8, code="mean") == [1, 2, 3, 4, 5, 6, 7, 8, 9.5, 9.5]
    assert coded([1, None, 5], top=3, missing="keep") == [1, None, 3]


def test_the_mean_of_whole_numbers_keeps_its_decimals_in_the_published_table() -> None:
    table = sfumato.from_rows(["pay"], [(1,), (5,), (7,), (9,), (100,), (-50,)])
    spec = {"id": "top-bottom-coding", "column": "pay", "top_quantile": 0.5, "code": "mean"}
    new = [row[0] for row in sfumato.perturb(table, spec).table.to_rows()]
    assert new == [1, 5, *[pytest.approx(116 / 3)] * 3, -50]
    assert sum(new) == pytest.approx(72)
    halved = sfumato.perturb(table, {"id": "top-bottom-coding", "column": "pay", "top": 7.5}).table.to_rows()
    assert [row[0] for row in halved] == [1, 5, 7, 7.5, 7.5, -50]
    gap = sfumato.from_rows(["pay"], [(1,), (None,), (6,), (9,)])
    kept = sfumato.perturb(gap, {**spec, "missing": "keep", "top_quantile": 0.3}).table.to_rows()
    assert [row[0] for row in kept] == [1, None, 7.5, 7.5]


@settings(max_examples=150)
@given(
    st.lists(st.integers(0, 12), min_size=3, max_size=30),
    st.integers(1, 4),
    st.integers(4, 12),
    st.sampled_from(["bound", "mean"]),
)
def test_enough_records_share_an_end_and_the_rest_stays(held: list[int], k: int, top: int, code: str) -> None:
    if k > len(held):
        return
    new = coded(list(held), top=top, k=k, code=code)
    changed = [(old, now) for old, now in zip(held, new, strict=True) if old != now]
    assert len({now for _, now in changed}) <= 1
    for _, now in changed:
        assert Counter(new)[now] >= k
    if code == "mean":
        assert sum(new) == pytest.approx(sum(held))  # type: ignore[arg-type]
    beyond = [old for old in held if old > top]
    # No number lies higher than before, and none above the bound is left where the bound did not need the mean.
    assert max(new) <= max(held)  # type: ignore[type-var, operator]
    if beyond and code == "bound":
        assert max(new) <= top  # type: ignore[type-var, operator]


def test_a_quantile_occurs_in_the_column() -> None:
    numbers = RNG(1).normal(size=101)
    for share in (0.01, 0.5, 0.99, 1.0):
        found = quantile(numbers, share)
        assert found in numbers
        assert (numbers <= found).mean() >= share


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({}, "needs a bound"),
        ({"top": 3, "bottom": 3}, "below the upper bound"),
        ({"top": 3, "top_quantile": 0.9}, "not both"),
        ({"top": float("inf")}, "finite"),
        ({"top": 8, "bottom": 2, "k": 5}, "bounds meet"),
        ({"top": 8, "k": 99}, "at most"),
    ],
)
def test_bounds_that_make_no_sense_are_refused(asked: dict[str, object], said: str) -> None:
    with pytest.raises(sfumato.BadRequest, match=said):
        coded([1, 2, 3, 4, 5, 6, 7, 8, 9], **asked)
