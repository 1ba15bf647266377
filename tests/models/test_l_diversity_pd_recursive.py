"""pd-recursive diversity: the ranks of the definition against trying every exclusion."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.naive_diversity import least_c_tolerating, merges, partitions
from sfumato import GroupStats
from sfumato.models import PDRecursiveLDiversity, RecursiveLDiversity

CS = st.fractions(Fraction(1, 6), 6, max_denominator=12)
TOLERATED = st.sets(st.sampled_from("abcde"), max_size=4).map(lambda values: tuple(sorted(values)))


def drawn(groups: list[dict[str, int]]) -> GroupStats:
    return GroupStats.from_histograms(groups, column="S")


# Few different counts, so that ties are common.
@given(st.one_of(partitions(2), partitions(12)), CS, st.integers(1, 5), TOLERATED)
def test_agrees_with_every_exclusion(groups: list[dict[str, int]], c: Fraction, l: int, tolerated: Any) -> None:
    verdict = PDRecursiveLDiversity(c=float(c), l=l, tolerated=tolerated, sensitive="S").check(drawn(groups))
    needed = [least_c_tolerating(group, l, tolerated) for group in groups]
    finite = [value for value in needed if value is not None]
    assert verdict.satisfied == (len(finite) == len(needed) and all(value < c for value in finite))
    wanted = float(max(finite)) if len(finite) == len(needed) else None
    assert verdict.strongest == (wanted if wanted is None else pytest.approx(wanted))


@given(merges(30), CS, st.integers(1, 4), TOLERATED)
def test_merging_keeps_it(draw: tuple[list[dict[str, int]], list[int]], c: Fraction, l: int, tolerated: Any) -> None:
    model, before = PDRecursiveLDiversity(c=float(c), l=l, tolerated=tolerated, sensitive="S"), drawn(draw[0])
    assert model.check(before.merge(draw[1])) or not model.check(before)


def test_merging_may_add_violating_records() -> None:
    groups, target = PDRecursiveLDiversity.counterexamples["violations_shrink_under_merge"]
    model = PDRecursiveLDiversity(c=2, l=3, sensitive="Disease", tolerated=("s1",))
    assert (model.check(groups).violating_records, model.check(groups.merge(target)).violating_records) == (30, 42)


@given(partitions(), CS, st.integers(1, 5), st.booleans())
def test_without_tolerated_values_it_is_recursive(groups: Any, c: Fraction, l: int, strict: bool) -> None:
    mine = PDRecursiveLDiversity(c=float(c), l=l, strict=strict, sensitive="S").check(drawn(groups))
    other = RecursiveLDiversity(c=float(c), l=l, strict=strict, sensitive="S").check(drawn(groups))
    assert (mine.satisfied, mine.strongest) == (other.satisfied, other.strongest)


def test_witness_names_a_value_that_must_not_be_learnt() -> None:
    model = PDRecursiveLDiversity(c=0.5, l=2, tolerated=("a",), sensitive="S")
    verdict = model.check(drawn([{"a": 5, "b": 4, "c": 1}, {"a": 9}]))
    assert [violation.witness for violation in verdict.violations] == [{"value": "b", "counts": [5, 4, 1]}]


def test_a_group_of_tolerated_values_may_be_small() -> None:
    assert PDRecursiveLDiversity(c=1, l=3, sensitive="S").least_size() == 3
    assert PDRecursiveLDiversity(c=1, l=3, tolerated=("a",), sensitive="S").check(drawn([{"a": 1}]))


def test_saved_and_rebuilt() -> None:
    model = PDRecursiveLDiversity(c=2, l=3, sensitive="S", tolerated=("a", 3, True, 2.5))
    again = PDRecursiveLDiversity.from_spec(model.spec())
    assert again == model
    assert [type(value) for value in again.tolerated] == [str, int, bool, float]
