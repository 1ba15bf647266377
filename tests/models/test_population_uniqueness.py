"""Population uniqueness as a requirement: its verdict, its denied traits, and what it refuses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from sfumato.errors import BadRequest, Unsupported
from sfumato.estimates.uniqueness import Dankar, class_sizes, estimate
from sfumato.groups.stats import GroupStats
from sfumato.models import PopulationUniqueness

SIZES = st.lists(st.integers(1, 6), min_size=1, max_size=25)
NAMES = st.sampled_from(["dankar", "zayatz", "pitman", "snb"])


@settings(max_examples=60)
@given(sizes=SIZES, factor=st.integers(1, 40), name=NAMES, threshold=st.sampled_from([0.0, 0.01, 0.05, 0.2, 1.0]))
def test_the_verdict_follows_the_estimate(sizes: list[int], factor: int, name: str, threshold: float) -> None:
    groups = GroupStats.from_sizes(sizes)
    population = sum(sizes) * factor
    model = PopulationUniqueness(threshold=threshold, population=population, estimator=name)
    (verdict,) = sfumato.check(groups, model, worst=100)
    wanted = estimate(name, class_sizes(groups.sizes), population)
    silent = isinstance(wanted, Dankar) and wanted.silent is not None
    assert verdict.strongest == (None if silent else wanted.share)
    assert verdict.satisfied == (not silent and wanted.share is not None and wanted.share <= threshold * (1 + 1e-9))
    assert (verdict.groups, verdict.records) == (len(sizes), sum(sizes))
    alone = 0 if verdict.satisfied else sizes.count(1)
    assert verdict.violating_groups == verdict.violating_records == len(verdict.violations) == alone
    assert all(sizes[found.group[0]] == 1 for found in verdict.violations)  # type: ignore[index]
    for found in verdict.violations:
        assert found.witness["chance_alone_in_population"] == wanted.chance
    if 1 not in sizes:
        assert verdict.satisfied
        assert verdict.strongest == 0


def test_no_answer_is_no() -> None:
    groups = GroupStats.from_sizes([1] * 9)
    for name in ("pitman", "snb"):
        (verdict,) = sfumato.check(groups, PopulationUniqueness(threshold=1, population=1000, estimator=name))
        assert not verdict.satisfied
        assert verdict.strongest is None
        assert verdict.violations[0].measured == 1.0
    for population in (1000, 20):  # Pitman is asked, SNB is asked
        rule = PopulationUniqueness(threshold=1, population=population)
        (verdict,) = sfumato.check(groups, rule)
        assert (verdict.satisfied, verdict.strongest) == (False, None)
        assert verdict.bound.endswith(f"but {'pitman' if population == 1000 else 'snb'} has no answer for this table")
        (verdict,) = sfumato.check(groups, replace(rule, fallback="zayatz"))
        assert verdict.satisfied
        assert verdict.strongest == rule.estimate(groups).share
        assert "estimated by zayatz because" in verdict.bound


def test_the_verdict_says_which_estimator_spoke() -> None:
    groups = GroupStats.from_sizes([1] * 12 + [2] * 5 + [3] * 3 + [4] * 2 + [6])
    for name, spoke in (("dankar", "snb"), ("zayatz", "zayatz"), ("snb", "snb")):
        (verdict,) = sfumato.check(groups, PopulationUniqueness(threshold=0.5, population=120, estimator=name))
        assert verdict.bound == f"<= 0.5, estimated by {spoke}"


def test_leaving_out_what_is_listed_repairs_it() -> None:
    rows = [("a",)] * 3 + [("b",), ("c",), ("d",), ("d",)]
    table = sfumato.from_rows(["q"], rows)
    model = PopulationUniqueness(threshold=0.01, population=70)
    (verdict,) = sfumato.check(table, model, qid=["q"])
    assert not verdict.satisfied
    assert sorted(found.group for found in verdict.violations) == [("b",), ("c",)]
    assert sfumato.check(table.drop_groups(["q"], [found.group for found in verdict.violations]), model, qid=["q"])


def test_the_stored_counter_example_to_both_merge_traits() -> None:
    model = PopulationUniqueness(threshold=0.12, population=120)
    for trait in ("closed_under_merge", "violations_shrink_under_merge"):
        assert not getattr(PopulationUniqueness.traits, trait)
        groups, target = PopulationUniqueness.counterexamples[trait]
        before, after = model.check(groups), model.check(groups.merge(target))
        assert (before.satisfied, after.satisfied) == (True, False)
        assert (before.violating_records, after.violating_records) == (0, 12)


@pytest.mark.parametrize("name", ["dankar", "zayatz", "pitman", "snb"])
def test_no_estimator_is_monotone(name: str) -> None:
    """Merging groups of two, which nobody is alone in, raises the estimate of each; other tools trust one of them."""
    sizes = [1] * 30 + [2] * 8 + [3] * 4 + [4] * 2 + [5] + [9]
    groups = GroupStats.from_sizes(sizes)
    merged = groups.merge([*range(30), *[30 + number // 2 for number in range(8)], *range(34, 42)])
    model = PopulationUniqueness(threshold=1, population=320 if name != "pitman" else 1500, estimator=name)
    before, after = model.estimate(groups).share, model.estimate(merged).share
    assert before is not None
    if name == "snb":
        assert after is None  # nobody is in a group of two: no answer, so it no longer holds
    else:
        assert after is not None
        assert after > before


def test_searches_keep_it_and_those_that_rely_on_merging_refuse_it() -> None:
    table = sfumato.from_rows(["Job"], [(job,) for job in ["Clerk", "Pilot", "Baker", "Clerk"]])
    jobs = {"id": "taxonomy", "tree": {"Any": [{"Office": ["Clerk"]}, {"Other": ["Pilot", "Baker"]}]}}
    policy: dict[str, Any] = {
        "columns": {"Job": {"role": "quasi-identifier", "hierarchy": jobs}},
        "requirements": [{"id": "population-uniqueness", "threshold": 0.1, "population": 1000}],
    }
    for algorithm in ("mondrian", "datafly", "optimal"):
        assert sfumato.anonymize(table, {**policy, "algorithm": {"id": algorithm}}).verdict.satisfied
    for algorithm in ("tdr", "bottom-up-generalization"):
        with pytest.raises(Unsupported):
            sfumato.anonymize(table, {**policy, "algorithm": {"id": algorithm}})


def test_nobody_at_all() -> None:
    nobody = sfumato.from_rows(["q"], [("a",)]).drop_groups(["q"], [("a",)])
    (verdict,) = sfumato.check(nobody, PopulationUniqueness(threshold=0, population=5), qid=["q"])
    assert (verdict.satisfied, verdict.strongest) == (True, None)


def test_refused_tables() -> None:
    table = sfumato.from_rows(["q", "w"], [("a", 2), ("b", 3)])
    with pytest.raises(BadRequest) as caught:
        sfumato.check(table, PopulationUniqueness(threshold=0.1, population=1), qid=["q"])
    assert caught.value.parameter == "population-uniqueness.population"
    with pytest.raises(BadRequest) as caught:
        sfumato.check(table, PopulationUniqueness(threshold=0.1, population=10), qid=["q"], weights="w")
    assert caught.value.parameter == "weights"


@pytest.mark.parametrize("wrong", [{"threshold": 1.1}, {"threshold": -0.1}, {"population": 0}, {"estimator": "best"}])
def test_refusals(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadRequest) as refused:
        PopulationUniqueness(**{"threshold": 0.1, "population": 10, **wrong})
    assert refused.value.parameter == f"population-uniqueness.{next(iter(wrong))}"


def test_spec_survives() -> None:
    model = PopulationUniqueness(threshold=0.1, population=10, estimator="snb", qid=("q",))
    assert PopulationUniqueness.from_spec(model.spec()) == model
