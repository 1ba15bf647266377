"""npd-recursive diversity: the pd part and the least share of values that must not be excluded."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from oracles.naive_diversity import least_c_tolerating, merges, partitions, share
from sfumato import GroupStats
from sfumato.models import NPDRecursiveLDiversity

CS = st.fractions(Fraction(1, 6), 6, max_denominator=12)
SHARES = st.fractions(0, Fraction(1, 2), max_denominator=20)
SOME = st.sets(st.sampled_from("abcde"), max_size=2).map(lambda values: tuple(sorted(values)))


def drawn(groups: list[dict[str, int]]) -> GroupStats:
    return GroupStats.from_histograms(groups, column="S")


def built(c1: Fraction, c2: Fraction, l: int, y: Any, w: Any) -> NPDRecursiveLDiversity:
    return NPDRecursiveLDiversity(c1=float(c1), c2=float(c2), l=l, tolerated=y, never_excluded=w, sensitive="S")


@given(partitions(), CS, SHARES, st.integers(1, 3), SOME, SOME)
def test_both_parts_must_hold(groups: Any, c1: Fraction, c2: Fraction, l: int, y: Any, w: Any) -> None:
    def holds(group: dict[str, int]) -> bool:
        needed = least_c_tolerating(group, l, y)
        return needed is not None and needed < c1 and all(share(group, value) >= c2 for value in w)

    verdict = built(c1, c2, l, y, w).check(drawn(groups))
    assert verdict.satisfied == all(map(holds, groups))
    assert verdict.violating_groups == sum(not holds(group) for group in groups)


@given(merges(30), CS, SHARES, st.integers(1, 3), SOME, SOME)
def test_merging_keeps_it(draw: Any, c1: Fraction, c2: Fraction, l: int, y: Any, w: Any) -> None:
    model, before = built(c1, c2, l, y, w), drawn(draw[0])
    assert model.check(before.merge(draw[1])) or not model.check(before)


def test_merging_may_add_violating_records() -> None:
    groups, target = NPDRecursiveLDiversity.counterexamples["violations_shrink_under_merge"]
    model = NPDRecursiveLDiversity(c1=2, c2=0.2, l=2, sensitive="Disease", never_excluded=("s1",))
    assert (model.check(groups).violating_records, model.check(groups.merge(target)).violating_records) == (30, 42)


def test_a_share_on_the_boundary_holds() -> None:
    groups = drawn([{"a": 29, **{f"b{i}": 1 for i in range(71)}}])
    assert NPDRecursiveLDiversity(c1=5, c2=0.29, l=2, sensitive="S", never_excluded=("a",)).check(groups)
    assert not NPDRecursiveLDiversity(c1=5, c2=0.2901, l=2, sensitive="S", never_excluded=("a",)).check(groups)


def test_witness_names_what_can_be_excluded() -> None:
    model = NPDRecursiveLDiversity(c1=5, c2=0.25, l=2, sensitive="S", tolerated=("a",), never_excluded=("b", "z"))
    verdict = model.check(drawn([{"a": 4, "b": 4}, {"a": 1}]))
    assert verdict.strongest is None
    assert verdict.bound == "< 5 and each of W >= 0.25"
    assert [violation.witness for violation in verdict.violations] == [
        {"value": "b", "too_rare": {"z": 0.0}, "counts": [4, 4]},
        {"value": None, "too_rare": {"b": 0.0, "z": 0.0}, "counts": [1]},
    ]


def test_saved_and_rebuilt() -> None:
    model = NPDRecursiveLDiversity(c1=2, c2=0.1, l=3, sensitive="S", tolerated=("a",), never_excluded=("b", 1))
    assert NPDRecursiveLDiversity.from_spec(model.spec()) == model
