"""k-map with a population table: sizes of the population, counted one by one."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from sfumato.engines import from_rows
from sfumato.errors import BadRequest
from sfumato.models import KAnonymity, KMap

PEOPLE = st.lists(st.tuples(st.sampled_from("abcd"), st.booleans()), min_size=1, max_size=24).filter(
    lambda people: any(sampled for _, sampled in people)
)


def judged(people: list[tuple[str, bool]], model: KMap, merge: dict[str, str] | None = None) -> Any:
    shown = [(merge[q] if merge else q, sampled) for q, sampled in people]
    sample = from_rows(["q"], [(q,) for q, sampled in shown if sampled])
    population = from_rows(["q"], [(q,) for q, _ in shown])
    (verdict,) = sfumato.check(sample, model, qid=["q"], external=population, worst=10)
    return verdict


@given(people=PEOPLE, k=st.integers(1, 6))
def test_counts_like_anybody_would(people: list[tuple[str, bool]], k: int) -> None:
    everybody = Counter(q for q, _ in people)
    sampled = Counter(q for q, taken in people if taken)
    verdict = judged(people, KMap(k=k))
    bad = {q for q in sampled if everybody[q] < k}
    assert verdict.satisfied == (not bad)
    assert verdict.strongest == min(everybody[q] for q in sampled)
    assert {found.group[0]: found.measured for found in verdict.violations} == {q: everybody[q] for q in bad}
    assert (verdict.groups, verdict.records) == (len(sampled), sum(sampled.values()))
    assert verdict.violating_records == sum(sampled[q] for q in bad)
    for found in verdict.violations:
        assert found.witness["journalist_risk"] == 1 / everybody[found.group[0]]


@given(people=PEOPLE, k=st.integers(1, 6), targets=st.lists(st.sampled_from("xyz"), min_size=4, max_size=4))
def test_merging_keeps_it_and_never_adds_violating_records(
    people: list[tuple[str, bool]], k: int, targets: list[str]
) -> None:
    before = judged(people, KMap(k=k))
    after = judged(people, KMap(k=k), dict(zip("abcd", targets, strict=True)))
    assert after.satisfied or not before.satisfied
    assert after.violating_records <= before.violating_records


@given(people=PEOPLE, k=st.integers(1, 4))
def test_k_anonymity_implies_it(people: list[tuple[str, bool]], k: int) -> None:
    sample = from_rows(["q"], [(q,) for q, taken in people if taken])
    if sfumato.check(sample, KAnonymity(k=k), qid=["q"]):
        assert judged(people, KMap(k=k))


def test_refused_tables() -> None:
    sample = from_rows(["q"], [("a",), ("a",)])
    with pytest.raises(BadRequest, match="external"):
        sfumato.check(sample, KMap(k=2), qid=["q"])
    for population in ([("a",)], [("b",), ("b",)]):
        with pytest.raises(BadRequest, match="must be part of it"):
            sfumato.check(sample, KMap(k=2), qid=["q"], external=from_rows(["q"], population))


@pytest.mark.parametrize("wrong", [{"k": 0}, {"k": 2.5}, {"qid": ()}])
def test_refusals(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadRequest) as refused:
        KMap(**{"k": 2, **wrong})
    assert refused.value.parameter == f"k-map.{next(iter(wrong))}"


def test_spec_survives() -> None:
    model = KMap(k=3, qid=("q",))
    assert KMap.from_spec(model.spec()) == model
