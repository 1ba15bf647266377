"""Change of belief against brute force, with the table's own distribution and with given ones."""

from __future__ import annotations

from fractions import Fraction
from math import inf
from typing import Any

import numpy as np
import pytest

import sfumato
from oracles.naive_linkage import change, grouped, shares
from sfumato.attacks.linkage.attack_probabilistic import AttackProbabilistic, BeliefChange


def text(value: Any) -> str:
    return "?" if value is None else str(value)


def attacked(rows: list[Any], prior: Any = None) -> BeliefChange:
    found = sfumato.attack(
        sfumato.from_rows(["Zip", "Disease"], rows),
        AttackProbabilistic(prior=prior),
        qid=["Zip"],
        sensitive="Disease",
    )
    assert isinstance(found, BeliefChange)
    return found


@pytest.mark.parametrize("given", [False, True])
@pytest.mark.parametrize("seed", range(25))
def test_against_brute_force(seed: int, given: bool) -> None:
    rng = np.random.default_rng(seed)
    values = [None, "Flu", "Ulcer", "HIV", "Gout"] if seed % 2 else [1, 2, 3]
    rows = [(int(rng.integers(5)), values[rng.integers(len(values))]) for _ in range(int(rng.integers(1, 40)))]
    weights = {text(value): int(rng.integers(0, 4)) for value in [*values, "never published"][seed % 3 :]}
    weights["Flu"] = weights.get("Flu", 0) + 1
    found = attacked(rows, weights if given else None)
    prior: Any = shares([text(row[1]) for row in rows])
    if given:
        prior = {value: Fraction(weight, sum(weights.values())) for value, weight in weights.items()}
    impossible = 0
    for at, (group, inside) in enumerate(sorted(grouped(rows, 1).items())):
        ratio, difference, variation = change(prior, shares([text(value) for value in inside]))
        impossible += len(inside) * (ratio == inf)
        assert found.ratio[at] == pytest.approx(float(ratio))
        assert found.difference[at] == pytest.approx(float(difference))
        assert found.total_variation[at] == pytest.approx(float(variation))
        one = found.of({"Zip": group[0]})
        assert one.largest_ratio == pytest.approx(float(ratio))
        assert one.largest_difference == pytest.approx(float(difference))
        assert one.total_variation == pytest.approx(float(variation))
    assert found.details["records_with_a_value_held_impossible"] == impossible
    ratio_told = found.details["largest_ratio"]
    assert ratio_told is None if impossible else ratio_told == pytest.approx(found.ratio.max())
    assert found.details["largest_total_variation"] == found.highest
    top = found.worst(1)[0]
    gains = [belief.difference for belief in found.worst(1000)]
    assert top.difference == pytest.approx(max(gains))
    assert gains == pytest.approx(sorted(gains, reverse=True))


def test_a_victim_nobody_covers_teaches_nothing() -> None:
    one = attacked([("x", "Flu"), ("y", "HIV")]).of({"Zip": "z"})
    assert (one.posterior, one.total_variation, one.largest_difference, one.largest_ratio) == ({}, 0.0, 0.0, 1.0)


def test_weights_need_not_add_up_to_one() -> None:
    rows = [("x", "Flu"), ("x", "HIV"), ("y", "Flu")]
    assert np.array_equal(
        attacked(rows, {"Flu": 3, "HIV": 1}).per_victim, attacked(rows, {"Flu": 0.75, "HIV": 0.25}).per_victim
    )


def test_saved_with_values_that_are_no_texts() -> None:
    made = AttackProbabilistic(prior={30: 1, 40: 2})  # type: ignore[dict-item]
    assert made.prior == {"30": 1, "40": 2}
    assert AttackProbabilistic.from_spec(made.spec()) == made
    found = sfumato.attack(
        sfumato.from_rows(["Zip", "Salary"], [("x", 30), ("x", 40), ("x", 40)]), made, qid=["Zip"], sensitive="Salary"
    )
    assert found.highest == pytest.approx(0.0)


def test_nobody() -> None:
    table = sfumato.from_rows(["Zip", "Disease"], [("x", "Flu")]).drop_groups(["Zip"], [("x",)])
    for prior in (None, {"Flu": 1}):
        found = sfumato.attack(table, AttackProbabilistic(prior=prior), qid=["Zip"], sensitive="Disease")
        assert (found.victims, found.highest) == (0, 0.0)


@pytest.mark.parametrize(
    "prior",
    [{}, {"Flu": 0}, {"Flu": -1, "HIV": 2}, {"Flu": "much"}, {"Flu": True}, {"Flu": inf}, {"Flu": float("nan")}, []],
)
def test_bad_priors(prior: Any) -> None:
    with pytest.raises(sfumato.BadRequest) as caught:
        AttackProbabilistic(prior=prior)
    assert caught.value.parameter == "attack-probabilistic.prior"


@pytest.mark.parametrize("portion", [1, 2, 5])
def test_groups_are_looked_at_in_portions(portion: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(str(at % 7), "abcdefg"[at * at % (at % 7 + 1)]) for at in range(60)]
    table = sfumato.from_rows(["Zip", "Disease"], rows)

    def found() -> list[object]:
        tried = sfumato.attack(table, AttackProbabilistic(), qid=["Zip"], sensitive="Disease")
        return [tried.details, tried.per_victim.tolist(), tried.ratio.tolist(), tried.difference.tolist()]

    at_once = found()
    monkeypatch.setattr("sfumato.models.shares._PORTION", portion)
    assert found() == at_once
