"""(ε,m)-anonymity: neighbours counted one by one, both kinds of centres, and why no search may prune on it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from oracles import naive_distributions as naive
from sfumato.engines import from_rows
from sfumato.errors import BadRequest, Unsupported
from sfumato.groups.stats import GroupStats, Histogram
from sfumato.models import EpsilonMAnonymity
from sfumato.testing.draws import random_merge

NUMBERS = st.integers(-12, 12).map(lambda number: number / 2 if number % 2 else number // 2)
HISTOGRAMS = st.lists(st.dictionaries(NUMBERS, st.integers(1, 3), min_size=1, max_size=7), min_size=1, max_size=5)


@given(
    groups=HISTOGRAMS,
    epsilon=st.sampled_from([0, 0.25, 0.5, 1]),
    m=st.integers(1, 4),
    relative=st.booleans(),
    centres=st.sampled_from(["group", "table"]),
)
def test_counts_like_anybody_would(
    groups: list[dict[float, int]], epsilon: float, m: int, relative: bool, centres: str
) -> None:
    model = EpsilonMAnonymity(epsilon=epsilon, m=m, sensitive="s", relative=relative, centres=centres)
    stats = GroupStats.from_histograms(groups, column="s")
    table = naive.overall(groups)
    wanted = [
        naive.nearest_share(group, group if centres == "group" else table, Fraction(epsilon), relative=relative)
        for group in groups
    ]
    assert model.shares(stats).tolist() == pytest.approx([float(share) for share in wanted])
    verdict = model.check(stats, worst=10)
    assert verdict.satisfied == all(share <= Fraction(1, m) for share in wanted)
    assert verdict.strongest == int(1 / max(wanted))
    for found in verdict.violations:
        group = groups[found.group[0]]
        witness = found.witness
        inside = sum(
            count for value, count in group.items() if witness["interval"][0] <= value <= witness["interval"][1]
        )
        assert witness["share"] == pytest.approx(inside / sum(group.values()))
        assert witness["share"] == pytest.approx(float(wanted[found.group[0]]))
        assert witness["centre"] in (group if centres == "group" else table)


@given(groups=HISTOGRAMS, epsilon=st.sampled_from([0, 0.5, 2, 5]))
def test_centres_of_the_table_are_stricter(groups: list[dict[float, int]], epsilon: float) -> None:
    stats = GroupStats.from_histograms(groups, column="s")
    own = EpsilonMAnonymity(epsilon=epsilon, m=1, sensitive="s").shares(stats)
    table = EpsilonMAnonymity(epsilon=epsilon, m=1, sensitive="s", centres="table").shares(stats)
    assert (table >= own).all()


def test_a_closed_interval_stays_closed_when_rounded() -> None:
    stats = GroupStats.from_histograms([{0.7: 1, 0.8: 1}], column="s")  # 0.7 + 0.1 is 0.7999999999999999
    assert EpsilonMAnonymity(epsilon=0.1, m=1, sensitive="s").shares(stats)[0] == 1.0


def test_merging_breaks_own_centres_and_keeps_those_of_the_table() -> None:
    groups, target = EpsilonMAnonymity.counterexamples["closed_under_merge"]
    own = EpsilonMAnonymity(epsilon=1, m=2, sensitive="Salary")
    assert own.check(groups).satisfied
    assert own.check(groups.merge(target)).strongest == 1
    rng = np.random.default_rng(4)
    told = 0
    for _ in range(500):
        drawn = [dict.fromkeys(rng.choice(60, int(rng.integers(2, 8)), replace=False).tolist(), 1) for _ in range(4)]
        stats = GroupStats.from_histograms(drawn, column="s")
        model = EpsilonMAnonymity(epsilon=2, m=2, sensitive="s", centres="table")
        if model.check(stats):
            told += 1
            assert model.check(stats.merge(random_merge(rng, 4)))
    assert told > 50


def test_a_pruning_search_refuses() -> None:
    columns = {"job": "quasi-identifier", "pay": "sensitive"}
    policy = {
        "columns": {name: {"role": role} for name, role in columns.items()},
        "requirements": [{"id": "epsilon-m-anonymity", "epsilon": 1, "m": 2, "sensitive": "pay"}],
        "algorithm": {"id": "tdr"},
    }
    table = from_rows(list(columns), [(job, pay) for job in "ab" for pay in (10, 20, 30, 40)])
    with pytest.raises(Unsupported, match="closed under merge"):
        sfumato.anonymize(table, policy)


@pytest.mark.parametrize(
    ("wrong", "parameter"),
    [
        ({"epsilon": -1}, "epsilon"),
        ({"m": 0}, "m"),
        ({"m": 1.5}, "m"),
        ({"centres": "mine"}, "centres"),
        ({"relative": 1}, "relative"),
        ({"relative": True, "epsilon": 1.5}, "epsilon"),
        ({"qid": ("s",)}, "qid"),
    ],
)
def test_refusals(wrong: dict[str, Any], parameter: str) -> None:
    with pytest.raises(BadRequest) as refused:
        EpsilonMAnonymity(**{"epsilon": 1, "m": 2, "sensitive": "s", **wrong})
    assert refused.value.parameter == f"epsilon-m-anonymity.{parameter}"


def test_text_is_refused() -> None:
    with pytest.raises(BadRequest, match="finite numbers"):
        EpsilonMAnonymity(epsilon=1, m=2, sensitive="s").check(GroupStats.from_histograms([{"low": 2}], column="s"))


@given(groups=HISTOGRAMS)
def test_weights_that_are_no_whole_numbers(groups: list[dict[float, int]]) -> None:
    stats = GroupStats.from_histograms(groups, column="s")
    histogram = stats.histograms["s"]
    light = Histogram(histogram.values, histogram.start, histogram.code, histogram.count / 7)
    weighted = GroupStats(stats.columns, stats.keys, stats.sizes / 7, {"s": light})
    model = EpsilonMAnonymity(epsilon=1, m=2, sensitive="s")
    assert model.shares(weighted) == pytest.approx(model.shares(stats))
    assert model.measure(weighted).tolist() == model.measure(stats).tolist()


def test_missing_numbers_cannot_count() -> None:
    with pytest.raises(BadRequest) as refused:
        EpsilonMAnonymity(epsilon=1, m=2, sensitive="s", missing="count")
    assert refused.value.parameter == "epsilon-m-anonymity.missing"
