"""Records that are alone, counted one by one, and the chance that they are alone in the population."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from sfumato.attacks import Uniqueness
from sfumato.attacks.uniqueness.uniqueness import Uniques
from sfumato.estimates.uniqueness import estimate

ROWS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz")), min_size=1, max_size=25)


def tried(rows: list[tuple[str, str]], **more: Any) -> Uniques:
    found = sfumato.attack(sfumato.from_rows(["q", "r"], rows), {"id": "uniqueness", **more}, qid=["q", "r"])
    assert isinstance(found, Uniques)
    return found


@given(rows=ROWS)
def test_counts_like_anybody_would(rows: list[tuple[str, str]]) -> None:
    found, held = tried(rows), Counter(rows)
    alone = sum(held[row] == 1 for row in rows)
    assert found.sample_uniques == found.details["sample_uniques"] == alone
    assert found.victims == len(rows)
    assert found.above(0.5) == alone
    assert found.highest == (1.0 if alone else 0.0)
    assert found.mean == pytest.approx(alone / len(rows))
    assert found.share_of_sample == alone / len(rows)
    assert found.estimate is None


@given(rows=ROWS, factor=st.integers(1, 30))
def test_the_risk_is_the_chance_of_being_alone_in_the_population(rows: list[tuple[str, str]], factor: int) -> None:
    population = len(rows) * factor
    found = tried(rows, population=population, estimator="zayatz")
    sizes = Counter(Counter(rows).values())
    wanted = estimate("zayatz", sizes, population)
    assert found.estimate == wanted
    assert found.highest == wanted.chance
    again = Uniqueness(population=population, estimator="zayatz").of_sizes(sizes)
    assert (again.mean, again.victims) == (pytest.approx(found.mean), len(rows))
    assert again.details == found.details
    assert again.reading == found.reading


def test_every_estimator_can_be_asked() -> None:
    rows = [(str(number), "x") for number in range(30) for _ in range(1 + number % 3)]
    for name in ("dankar", "zayatz", "pitman", "snb"):
        found = tried(rows, population=300, estimator=name)
        assert found.estimate == estimate(name, {1: 10, 2: 10, 3: 10}, 300)


def test_without_an_answer_it_is_said() -> None:
    rows = [(str(number), "x") for number in range(20)]
    found = tried(rows, population=300, estimator="snb")
    assert found.highest == 1.0
    assert "no answer" in found.warnings[0]
    assert "cannot be estimated" in found.reading


def test_few_records_are_warned_about() -> None:
    few, more = ([(str(number), "x") for number in range(count)] for count in (999, 1000))
    assert "may be far too low" in tried(few, population=3000).warnings[0]
    assert not tried(few, population=999).warnings  # a whole population is counted
    assert not tried(few).warnings
    assert [text for text in tried(more, population=3000).warnings if "estimate is that of zayatz" not in text] == []
    assert not tried([("a", "x")] * 9, population=3000).warnings


def test_the_rule_says_whom_it_took() -> None:
    assert tried([("a", "x"), ("b", "x"), ("b", "x")], population=5).details["estimator"] in ("snb", "zayatz")
    alone = tried([(str(number), "x") for number in range(20)], population=40)
    assert any("snb, which the rule asks for, has no answer" in text for text in alone.warnings)


def test_the_same_through_a_release() -> None:
    rng = np.random.default_rng(4)
    people = sfumato.from_rows(
        ["Age", "Job"], [(int(rng.integers(20, 60)), rng.choice(["Clerk", "Pilot"]).item()) for _ in range(80)]
    )
    policy = {
        "columns": {"Age": {"role": "quasi-identifier"}, "Job": {"role": "quasi-identifier"}},
        "requirements": [{"id": "k-anonymity", "k": 4}],
        "algorithm": {"id": "mondrian"},
    }
    before: Any = sfumato.attack(people, "uniqueness", qid=["Age", "Job"])
    after: Any = sfumato.attack(sfumato.anonymize(people, policy), "uniqueness")
    assert before.sample_uniques > 10
    assert (after.sample_uniques, after.highest) == (0, 0.0)


@pytest.mark.parametrize(
    ("more", "parameter"),
    [
        ({"population": 3}, "uniqueness.population"),
        ({"population": 0}, "uniqueness.population"),
        ({"estimator": "guess"}, "uniqueness.estimator"),
    ],
)
def test_bad_requests(more: dict[str, Any], parameter: str) -> None:
    with pytest.raises(sfumato.BadRequest) as caught:
        tried([("a", "x")] * 4, **more)
    assert caught.value.parameter == parameter


def test_bad_sizes() -> None:
    for sizes in ({0: 1}, {1: -1}, {"1": 2}):
        with pytest.raises(sfumato.BadRequest) as caught:
            Uniqueness().of_sizes(sizes)  # type: ignore[arg-type]
        assert caught.value.parameter == "sizes"
