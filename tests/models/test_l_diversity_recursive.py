"""Recursive (c,l)-diversity against sorted counts, and the property it is named after."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.naive_diversity import histograms, least_c, merges, partitions, without
from sfumato import GroupStats
from sfumato.models import RecursiveLDiversity

CS = st.fractions(Fraction(1, 6), 6, max_denominator=12)


def drawn(groups: list[dict[str, int]]) -> GroupStats:
    return GroupStats.from_histograms(groups, column="S")


def holds(group: dict[str, int], c: Fraction, l: int, strict: bool = True) -> bool:
    needed = least_c(group, l)
    return needed is not None and (needed < c if strict else needed <= c)


@given(partitions(), CS, st.integers(1, 5), st.booleans())
def test_agrees_with_sorted_counts(groups: list[dict[str, int]], c: Fraction, l: int, strict: bool) -> None:
    verdict = RecursiveLDiversity(c=float(c), l=l, strict=strict, sensitive="S").check(drawn(groups))
    assert verdict.satisfied == all(holds(group, c, l, strict) for group in groups)
    needed = [least_c(group, l) for group in groups]
    finite = [value for value in needed if value is not None]
    wanted = float(max(finite)) if len(finite) == len(needed) else None
    assert verdict.strongest == (wanted if wanted is None else pytest.approx(wanted))


@given(merges(30), CS, st.integers(1, 4))
def test_merging_keeps_it(draw: tuple[list[dict[str, int]], list[int]], c: Fraction, l: int) -> None:
    model, before = RecursiveLDiversity(c=float(c), l=l, sensitive="S"), drawn(draw[0])
    assert model.check(before.merge(draw[1])) or not model.check(before)


def test_merging_may_add_violating_records() -> None:
    groups, target = RecursiveLDiversity.counterexamples["violations_shrink_under_merge"]
    model = RecursiveLDiversity(c=3, l=2, sensitive="Disease")
    assert (model.check(groups).violating_records, model.check(groups.merge(target)).violating_records) == (30, 40)


@given(histograms(), CS, st.integers(2, 5), st.sampled_from("abcde"))
def test_excluding_a_value_costs_one_l(group: dict[str, int], c: Fraction, l: int, value: str) -> None:
    rest = without(group, value)
    if rest and RecursiveLDiversity(c=float(c), l=l, sensitive="S").check(drawn([group])):
        assert RecursiveLDiversity(c=float(c), l=l - 1, sensitive="S").check(drawn([rest]))


@given(partitions(), CS, st.integers(1, 5))
def test_larger_c_is_weaker_and_larger_l_stronger(groups: list[dict[str, int]], c: Fraction, l: int) -> None:
    if RecursiveLDiversity(c=float(c), l=l + 1, sensitive="S").check(drawn(groups)):
        assert RecursiveLDiversity(c=float(c), l=l, sensitive="S").check(drawn(groups))
        assert RecursiveLDiversity(c=float(c) + 1, l=l + 1, sensitive="S").check(drawn(groups))


def test_too_few_values_violate_and_leave_no_level() -> None:
    verdict = RecursiveLDiversity(c=1000, l=3, sensitive="S").check(drawn([{"a": 2, "b": 2}, {"a": 1, "b": 1, "c": 1}]))
    assert not verdict.satisfied
    assert verdict.strongest is None
    assert verdict.violations[0].witness == {"value": "a", "counts": [2, 2]}


def test_one_diversity_always_holds() -> None:
    assert RecursiveLDiversity(c=0.001, l=1, sensitive="S").check(drawn([{"a": 7}]))
