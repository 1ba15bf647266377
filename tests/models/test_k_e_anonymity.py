"""(k,e)-anonymity: different values and their range, counted one by one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from sfumato.errors import BadRequest
from sfumato.groups.stats import GroupStats
from sfumato.models import KEAnonymity

NUMBERS = st.integers(-8, 8).map(lambda number: number / 2 if number % 2 else number // 2)
HISTOGRAMS = st.lists(st.dictionaries(NUMBERS, st.integers(1, 3), min_size=1), min_size=1, max_size=5)


@given(groups=HISTOGRAMS, k=st.integers(1, 4), e=st.sampled_from([0, 0.5, 2, 3.5, 6]))
def test_counts_like_anybody_would(groups: list[dict[float, int]], k: int, e: float) -> None:
    model = KEAnonymity(k=k, e=e, sensitive="s")
    stats = GroupStats.from_histograms(groups, column="s")
    assert model.distinct(stats).tolist() == [len(group) for group in groups]
    assert model.ranges(stats).tolist() == [max(group) - min(group) for group in groups]
    bad = {at for at, group in enumerate(groups) if len(group) < k or max(group) - min(group) < e}
    verdict = model.check(stats, worst=10)
    assert verdict.satisfied == (not bad)
    assert {found.group[0] for found in verdict.violations} == bad
    for found in verdict.violations:
        group = groups[found.group[0]]
        assert found.witness == {"distinct": len(group), "range": max(group) - min(group)}
    wide = all(max(group) - min(group) >= e for group in groups)
    assert verdict.strongest == (min(len(group) for group in groups) if wide else None)
    if verdict.strongest is not None:
        assert KEAnonymity(k=int(verdict.strongest), e=e, sensitive="s").check(stats)
        assert not KEAnonymity(k=int(verdict.strongest) + 1, e=e, sensitive="s").check(stats)


def test_a_rounded_range_is_not_held_against_it() -> None:
    stats = GroupStats.from_histograms([{0.7: 1, 0.4: 1}], column="s")  # 0.29999999999999993
    assert KEAnonymity(k=2, e=0.3, sensitive="s").check(stats)


def test_too_few_records() -> None:
    assert KEAnonymity(k=3, e=1, sensitive="s").necessary(2) is not None
    assert KEAnonymity(k=3, e=1, sensitive="s").necessary(3) is None
    assert KEAnonymity(k=1, e=1, sensitive="s").least_size() == 2
    assert KEAnonymity(k=1, e=0, sensitive="s").least_size() == 1


@pytest.mark.parametrize("value", ["high", None, True])
def test_what_is_no_number_is_refused(value: Any) -> None:
    table = sfumato.from_rows(["q", "s"], [("x", value), ("x", value)])
    with pytest.raises(BadRequest, match="finite numbers") as refused:
        sfumato.check(table, KEAnonymity(k=1, e=0, sensitive="s"), qid=["q"])
    assert refused.value.column == "s"


@pytest.mark.parametrize("wrong", [{"k": 0}, {"k": 1.5}, {"e": -1}, {"missing": "count"}, {"qid": ("s",)}])
def test_refusals(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadRequest) as refused:
        KEAnonymity(**{"k": 2, "e": 1, "sensitive": "s", **wrong})
    assert refused.value.parameter == f"k-e-anonymity.{next(iter(wrong))}"
