"""k-combinations against counting by hand: sizes, suppressed cells, missing values, weights."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from sfumato.errors import BadRequest
from sfumato.groups.stats import GroupStats
from sfumato.models.k_combinations import KCombinations

NAMES = ("a", "b", "c", "d")
CELL = st.sampled_from(["x", "y", "*", None])
ROWS = st.lists(st.tuples(CELL, CELL, CELL, CELL), min_size=1, max_size=14)


def counted(rows: list[tuple[Any, ...]], size: int) -> Counter[Any]:
    out: Counter[Any] = Counter()
    for row in rows:
        for count in range(1, size + 1):
            for chosen in combinations(range(len(row)), count):
                if all(row[at] != "*" for at in chosen):
                    out[tuple((NAMES[at], row[at]) for at in chosen)] += 1
    return out


@settings(max_examples=80, deadline=None)
@given(rows=ROWS, k=st.integers(1, 4), size=st.integers(1, 5))
def test_counts_every_combination_without_the_symbol(rows: list[tuple[Any, ...]], k: int, size: int) -> None:
    table = sfumato.from_rows(NAMES, rows)
    (verdict,) = sfumato.check(table, KCombinations(k=k, size=size), qid=NAMES, worst=1000)
    counts = counted(rows, min(size, 4))
    bad = {combination: count for combination, count in counts.items() if count < k}
    assert verdict.satisfied == (not bad)
    assert verdict.strongest == (min(counts.values()) if counts else None)
    assert verdict.violating_groups == len(bad)
    told = {
        tuple(zip(violation.witness["columns"], violation.group, strict=True)): violation.size
        for violation in verdict.violations
    }
    assert told == bad
    assert [v.measured for v in verdict.violations] == sorted(v.measured for v in verdict.violations)
    unsafe = [row for row in rows if set(counted([row], min(size, 4))) & set(bad)]
    assert verdict.violating_records == len(unsafe)


def test_a_table_of_nothing_but_the_symbol_is_safe() -> None:
    (verdict,) = sfumato.check(sfumato.from_rows(["a"], [("*",)]), KCombinations(k=5), qid=["a"])
    assert verdict.satisfied
    assert verdict.strongest is None


def test_worst_combinations_are_listed_first_and_limited() -> None:
    rows = [("x", "u")] * 3 + [("y", "u")] * 2 + [("z", "v")]
    (verdict,) = sfumato.check(sfumato.from_rows(["a", "b"], rows), KCombinations(k=4), qid=["a", "b"], worst=3)
    assert [violation.measured for violation in verdict.violations] == [1, 1, 1]
    assert verdict.violations[0].witness["record_link_probability"] == 1
    assert verdict.violating_groups == 7


def test_a_requirement_may_name_its_own_columns() -> None:
    table = sfumato.from_rows(["a", "b"], [("x", "u"), ("x", "v")])
    assert sfumato.check(table, {"id": "k-combinations", "k": 2, "qid": ["a"]}, qid=["a", "b"])
    assert not sfumato.check(table, {"id": "k-combinations", "k": 2}, qid=["a", "b"])


def test_weights_are_summed() -> None:
    table = sfumato.from_rows(["a", "w"], [("x", 2.5), ("y", 1.5)])
    (verdict,) = sfumato.check(table, KCombinations(k=2), qid=["a"], weights="w")
    assert (verdict.satisfied, verdict.strongest) == (False, 1.5)


def test_no_group_no_violation() -> None:
    assert KCombinations(k=3).check(GroupStats.from_sizes([])).satisfied


def test_suppressing_a_cell_may_break_it() -> None:
    """Why it is not claimed to be closed under merging."""
    before = sfumato.from_rows(["a", "b"], [("x", "u"), ("x", "*"), ("*", "u")])
    after = sfumato.from_rows(["a", "b"], [("x", "*"), ("x", "*"), ("*", "u")])
    model = KCombinations(k=2, size=1)
    assert sfumato.check(before, model, qid=["a", "b"])
    assert not sfumato.check(after, model, qid=["a", "b"])
    assert not KCombinations.traits.closed_under_merge


@pytest.mark.parametrize("wrong", [{"k": 2, "qid": ()}])
def test_bad_parameters_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadRequest):
        KCombinations(**wrong)
