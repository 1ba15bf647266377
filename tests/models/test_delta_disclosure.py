"""δ-disclosure privacy: both readings of an absent value, both bases, strictness."""

from __future__ import annotations

from math import e, inf
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import naive_distributions as naive
from sfumato.errors import BadRequest
from sfumato.groups.stats import GroupStats
from sfumato.models import BasicBetaLikeness, DeltaDisclosure
from sfumato.testing.draws import random_merge

HISTOGRAMS = st.lists(st.dictionaries(st.sampled_from("abcd"), st.integers(1, 6), min_size=1), min_size=1, max_size=5)


@given(groups=HISTOGRAMS, base=st.sampled_from([2, 10, e, 3.5]))
def test_logarithms_like_anybody_would(groups: list[dict[str, int]], base: float) -> None:
    table = naive.overall(groups)
    stats = GroupStats.from_histograms(groups, column="s")
    skip = DeltaDisclosure(delta=0.5, sensitive="s", base=base)
    wanted = [naive.largest_log(group, table, base) for group in groups]
    assert skip.measure(stats).tolist() == pytest.approx(wanted, abs=1e-12)
    lacking = [naive.absent(group, table) for group in groups]
    assert skip.skipped(stats) == sum(lacking)
    verdict = skip.check(stats)
    assert f"{sum(lacking)} absent values skipped" in verdict.bound
    assert verdict.parameters["base"] == base
    assert verdict.parameters["absent"] == "skip"
    strict = DeltaDisclosure(delta=0.5, sensitive="s", base=base, absent="violate")
    numbers = [inf if lack else number for lack, number in zip(lacking, wanted, strict=True)]
    assert strict.measure(stats).tolist() == pytest.approx(numbers, abs=1e-12)
    assert strict.check(stats).strongest == (None if any(lacking) else pytest.approx(max(wanted), abs=1e-12))


@given(groups=HISTOGRAMS, delta=st.sampled_from([0.25, 0.5, 1, 2]))
def test_it_bounds_gains(groups: list[dict[str, int]], delta: float) -> None:
    stats = GroupStats.from_histograms(groups, column="s")
    if DeltaDisclosure(delta=delta, sensitive="s").check(stats):
        assert BasicBetaLikeness(beta=2**delta - 1, sensitive="s").check(stats)


def test_the_comparison_is_strict() -> None:
    # B has twice its share in the first group: one bit.
    stats = GroupStats.from_histograms([{"A": 2, "B": 2}, {"A": 4}], column="s")
    assert not DeltaDisclosure(delta=1, sensitive="s").check(stats)
    assert DeltaDisclosure(delta=1.0000001, sensitive="s").check(stats)


def test_skipping_is_not_kept_under_merging_and_violating_is() -> None:
    for trait in ("closed_under_merge", "violations_shrink_under_merge"):
        groups, target = DeltaDisclosure.counterexamples[trait]
        model = DeltaDisclosure(delta=0.5, sensitive="Disease")
        assert model.check(groups).satisfied
        after = model.check(groups.merge(target))
        assert after.strongest == 1.0
        assert after.violating_records > 0
    rng = np.random.default_rng(2)
    kept = 0
    for _ in range(600):
        # Few values and many records, so that a group often holds them all.
        count = int(rng.integers(2, 6))
        drawn = rng.multinomial(30, [0.5, 0.5], count)
        if (drawn == 0).any():
            continue
        stats = GroupStats.from_histograms([{"a": int(a), "b": int(b)} for a, b in drawn], column="s")
        model = DeltaDisclosure(delta=0.5, sensitive="s", absent="violate")
        if model.check(stats):
            kept += 1
            assert model.check(stats.merge(random_merge(rng, count)))
    assert kept > 100


def test_witness() -> None:
    stats = GroupStats.from_histograms([{"A": 8, "B": 2}, {"A": 10}, {"A": 30, "B": 8, "C": 2}], column="s")
    witness = DeltaDisclosure(delta=0.1, sensitive="s").witness(stats, 1)
    assert witness["value"] == "A"
    assert witness["absent_values"] == ["B", "C"]
    assert witness["log_ratio"] == pytest.approx(np.log2(1 / 0.8))
    loss = DeltaDisclosure(delta=0.1, sensitive="s").witness(stats, 2)
    assert (loss["value"], loss["log_ratio"] > 0) == ("C", True)


@pytest.mark.parametrize(
    "wrong", [{"delta": 0}, {"delta": -0.1}, {"base": 1}, {"base": 0}, {"absent": "ignore"}, {"qid": ("s",)}]
)
def test_refusals(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadRequest) as refused:
        DeltaDisclosure(**{"delta": 1, "sensitive": "s", **wrong})
    assert refused.value.parameter == f"delta-disclosure.{next(iter(wrong))}"
