"""Nugget suppression on random baskets: requirements hold, nuggets are those of the original without what was left out."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from sfumato.contracts.run import Run
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.transactions import Baskets
from sfumato.transactions.algorithms.association_rule_hiding import AssociationRuleHiding, rule_figures
from sfumato.transactions.algorithms.nugget_suppression import NuggetSuppression
from sfumato.transactions.built import BuiltBaskets
from sfumato.transactions.models import HKPCoherence, TransactionalKAnonymity
from sfumato.transactions.nuggets import border, nuggets
from sfumato.transactions.task import BasketTask

sets = st.lists(st.frozensets(st.sampled_from("abcdex"), min_size=1, max_size=4), min_size=4, max_size=12)


def made(baskets: list[frozenset[str]]) -> Baskets:
    return Baskets.of(baskets, private=["x"] if any("x" in one for one in baskets) else [])


def plain_greedy(baskets: list[frozenset[str]], model: HKPCoherence, support: int, size: int) -> list[str]:
    """Leave items out as the definition says, listing every mole and every nugget anew."""
    out: list[str] = []
    while True:
        left = [one - set(out) for one in baskets]
        items = sorted(set().union(*left))

        def count(one: tuple[str, ...], left: list[frozenset[str]] = left) -> int:
            return sum(set(one) <= other for other in left)

        def mole(one: tuple[str, ...], left: list[frozenset[str]] = left) -> bool:
            having = [other for other in left if set(one) <= other]
            sure = sum("x" in other for other in having)
            return bool(having) and (len(having) < model.k or Fraction(sure, len(having)) > Fraction(str(model.h)))

        every = [one for n in (1, 2) for one in combinations(items, n)]
        moles = [one for one in every if "x" not in one and len(one) <= model.p and mole(one)]
        if not moles:
            return out
        gems = [one for one in every if len(one) <= size and count(one) >= support]

        def worth(
            name: str, moles: list[tuple[str, ...]] = moles, gems: list[tuple[str, ...]] = gems
        ) -> tuple[object, ...]:
            m, n = sum(name in one for one in moles), sum(name in one for one in gems)
            return (
                (0, Fraction(0), -m, count((name,)), name) if not n else (1, -Fraction(m, n), -m, count((name,)), name)
            )

        out.append(min({name for one in moles for name in one}, key=worth))


@given(baskets=sets, k=st.integers(1, 3), p=st.integers(1, 2), support=st.integers(1, 3))
def test_as_the_definition_says(baskets: list[frozenset[str]], k: int, p: int, support: int) -> None:
    model, data = HKPCoherence(h=0.7, k=k, p=p), made(baskets)
    task = BasketTask(data, [model])
    if model.empty_mole(data) is not None:
        with pytest.raises(Infeasible):
            NuggetSuppression(support=support).run(task, Run())
        return
    outcome = NuggetSuppression(support=support).run(task, Run())
    assert list(outcome.facts["suppressed"]) == plain_greedy(baskets, model, support, 2)
    assert isinstance(outcome.built, BuiltBaskets)
    masked = outcome.built.masked
    assert model.judge(masked).satisfied
    gone = set(outcome.facts["suppressed"])
    assert nuggets(masked, support, 2) == [one for one in nuggets(data, support, 2) if not gone & set(one)]


@given(family=st.lists(st.frozensets(st.sampled_from("abcd"), min_size=1), max_size=12))
def test_borders(family: list[frozenset[str]]) -> None:
    found = border(tuple(sorted(one)) for one in family)
    assert {frozenset(one) for one in found.minimal} == {
        one for one in family if not any(other < one for other in family)
    }
    assert {frozenset(one) for one in found.maximal} == {
        one for one in family if not any(one < other for other in family)
    }


def test_public_nuggets_and_bad_requests() -> None:
    baskets = Baskets.of([{"a", "x"}, {"a", "x"}], private=["x"])
    assert nuggets(baskets, 2, 2, public=True) == [("a",)]
    assert [one.tolist() for one in NuggetSuppression(support=2, universe="public").nugget_codes(baskets)] == [
        [[0]],
        [],
    ]
    with pytest.raises(BadRequest, match="at least 1"):
        nuggets(baskets, 0, 2)
    with pytest.raises(Unsupported):
        NuggetSuppression(support=2).run(BasketTask(baskets, [TransactionalKAnonymity(k=2)]), Run())


rules = st.lists(
    st.tuples(
        st.frozensets(st.sampled_from("abc"), min_size=1, max_size=2),
        st.frozensets(st.sampled_from("dex"), min_size=1, max_size=2),
    ),
    min_size=1,
    max_size=3,
)


@given(baskets=sets, asked=rules, support=st.integers(1, 3), confidence=st.sampled_from([0.3, 0.6, 1.0]))
def test_every_rule_is_hidden(
    baskets: list[frozenset[str]],
    asked: list[tuple[frozenset[str], frozenset[str]]],
    support: int,
    confidence: float,
) -> None:
    data = made(baskets)
    hiding = AssociationRuleHiding(
        rules=tuple({"if": sorted(left), "then": sorted(right)} for left, right in asked),
        support=support,
        confidence=confidence,
        size=2,
    )
    found = hiding.hide(data)
    assert all(hiding.hidden(rule_figures(found.baskets, left, right)) for left, right in asked)
    assert len(found.baskets) == len(data)
    left = [set(one) for one in baskets]
    for at, name in found.deletions:
        left[at].remove(name)
    assert [set(one) for one in found.baskets] == left

    def mined(data: Baskets) -> set[tuple[tuple[str, ...], tuple[str, ...]]]:
        pairs = [(a, b) for a in data.items for b in data.items if a != b]
        return {((a,), (b,)) for a, b in pairs if not hiding.hidden(rule_figures(data, [a], [b]))}

    named = set(hiding.asked())
    assert set(found.lost) == mined(data) - mined(found.baskets) - named
    assert set(found.ghosts) == mined(found.baskets) - mined(data) - named


def test_hiding_as_an_algorithm() -> None:
    baskets = Baskets.of([{"a", "b"}, {"a", "b"}, {"a", "b"}, {"a", "c"}, {"b", "c"}])
    hiding = AssociationRuleHiding(rules=({"if": ["a"], "then": ["b"]},), support=2, confidence=0.6)
    outcome = hiding.run(BasketTask(baskets, []), Run())
    assert "no person is protected" in outcome.warnings[0]
    with pytest.raises(Unsupported, match="protects nobody"):
        hiding.run(BasketTask(baskets, [HKPCoherence(h=1, k=2, p=1)]), Run())
    with pytest.raises(Infeasible):
        hiding.run(BasketTask(baskets, [], lose_at_most=0.0), Run())


@pytest.mark.parametrize(
    "rules",
    [(), ({"if": ["a"]},), ({"if": [], "then": ["b"]},), ({"if": ["a"], "then": ["a"]},), ({"if": "a", "then": "b"},)],
)
def test_bad_rules(rules: tuple[dict[str, list[str]], ...]) -> None:
    with pytest.raises(BadRequest, match="rule"):
        AssociationRuleHiding(rules=rules, support=2, confidence=0.5)


def test_rules_are_hidden_through_the_public_door_where_nothing_else_is_asked_for() -> None:
    asked = {
        "shape": "transactions",
        "requirements": [{"id": "km-anonymity", "k": 1, "m": 1}],
        "algorithm": {
            "id": "association-rule-hiding",
            "rules": [{"if": ["a"], "then": ["b"]}],
            "support": 3,
            "confidence": 0.6,
        },
    }
    baskets = [{"a", "b"}, {"a", "b"}, {"a", "b"}, {"a", "c"}, {"b", "c"}]
    release = sfumato.anonymize(baskets, asked)
    held: dict[int, set[str]] = {}
    for basket, item in release.tables["items"].to_rows():
        held.setdefault(basket, set()).add(item)
    assert sum({"a", "b"} <= one for one in held.values()) == 2
    assert any("no person is protected" in text for text in release.warnings)
    with pytest.raises(Unsupported, match="protects nobody"):
        sfumato.anonymize(baskets, {**asked, "requirements": [{"id": "km-anonymity", "k": 2, "m": 1}]})
