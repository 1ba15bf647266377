"""Attribute linkage against brute force, for records and for victims looked up by their values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sfumato
from oracles.naive_attacks import interval
from oracles.naive_linkage import candidates, confidence, grouped, shares
from sfumato.attacks.linkage.attack_attribute_linkage import AttackAttributeLinkage, AttributeLinkage

AGES = ["[20-30)", "[30-40)", "[20-40)", "25", "*", None]


def same(label: Any, value: Any) -> bool:
    return bool(label == value)


def drawn(seed: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [
        (
            AGES[rng.integers(len(AGES))],
            rng.choice(["f", "m"]).item(),
            None if rng.random() < 0.1 else rng.choice(["Flu", "Ulcer", "HIV"]).item(),
        )
        for _ in range(int(rng.integers(1, 60)))
    ]


@pytest.mark.parametrize("seed", range(25))
def test_against_brute_force(seed: int) -> None:
    rows = drawn(seed)
    threshold = [0.2, 0.5, 0.8][seed % 3]
    table = sfumato.from_rows(["Age", "Sex", "Disease"], rows)
    found = sfumato.attack(table, AttackAttributeLinkage(threshold=threshold), qid=["Age", "Sex"], sensitive="Disease")
    assert isinstance(found, AttributeLinkage)
    groups = grouped(rows, 2)
    assert found.counts is not None
    each = sorted(np.repeat(found.per_victim, found.counts).tolist())
    assert each == pytest.approx(sorted(float(confidence(groups[row[:2]])) for row in rows))
    alone = [values for values in groups.values() if len(set(values)) == 1]
    assert found.details["homogeneous_groups"] == len(alone)
    assert found.details["homogeneous_records"] == sum(map(len, alone))
    above = sum(len(values) for values in groups.values() if confidence(values) > threshold)
    assert found.details["records_above_threshold"] == found.above(threshold) == above
    assert found.details["share_above_threshold"] == pytest.approx(above / len(rows))
    for age, sex in ((22, "f"), (25, "m"), (35, "f"), (50, "m"), (None, "f")):
        guess = found.of({"Age": age, "Sex": sex, "Name": "whoever"})
        numbers = candidates([row[:2] for row in rows], (age, sex), [interval, same])
        assert guess.group_size == len(numbers)
        wanted = shares([rows[number][2] for number in numbers]) if numbers else {}
        assert guess.posterior == pytest.approx({value: float(share) for value, share in wanted.items()})
        assert guess.best_guess_confidence == pytest.approx(float(max(wanted.values(), default=0)))
        assert guess.best_guess is None or wanted[guess.best_guess] == max(wanted.values())


def test_first_of_several_best_guesses() -> None:
    table = sfumato.from_rows(["Age", "Disease"], [(20, "Ulcer"), (20, "Flu")])
    found = sfumato.attack(table, "attack-attribute-linkage", qid=["Age"], sensitive="Disease")
    assert isinstance(found, AttributeLinkage)
    assert found.of({"Age": 20}).best_guess == "Flu"
    assert found.of({"Age": 21}).best_guess is None


def test_nobody() -> None:
    table = sfumato.from_rows(["Age", "Disease"], [(20, "Flu")]).drop_groups(["Age"], [(20,)])
    found = sfumato.attack(table, "attack-attribute-linkage", qid=["Age"], sensitive="Disease")
    assert isinstance(found, AttributeLinkage)
    assert (found.victims, found.highest, found.mean) == (0, 0.0, 0.0)
    assert found.of({"Age": 20}).group_size == 0


def test_groups_of_an_anatomy_pair() -> None:
    policy = {
        "columns": {"Age": {"role": "quasi-identifier"}, "Disease": {"role": "sensitive"}},
        "requirements": [{"id": "l-diversity-frequency", "l": 2, "sensitive": "Disease"}],
        "algorithm": {"id": "anatomize"},
    }
    rows = [(20 + at, ["Flu", "Ulcer", "HIV"][at % 3]) for at in range(9)]
    release = sfumato.anonymize(sfumato.from_rows(["Age", "Disease"], rows), policy)
    (only,) = sfumato.audit(release, attacks=["attack-attribute-linkage"]).tried
    assert only.after.victims == 9
    assert only.after.highest <= 0.5


@pytest.mark.parametrize("victim", [{}, {"Age": 20}, {"Sex": "f"}])
def test_a_victim_must_be_known_whole(victim: dict[str, Any]) -> None:
    table = sfumato.from_rows(["Age", "Sex", "Disease"], [(20, "f", "Flu")])
    found = sfumato.attack(table, "attack-attribute-linkage", qid=["Age", "Sex"], sensitive="Disease")
    assert isinstance(found, AttributeLinkage)
    with pytest.raises(sfumato.BadRequest) as caught:
        found.of(victim)
    assert caught.value.parameter == "victim"


@pytest.mark.parametrize(
    ("options", "parameter"),
    [({"qid": []}, "qid"), ({"sensitive": None}, "sensitive"), ({"sensitive": "Shoe"}, "sensitive")],
)
def test_bad_requests(options: dict[str, Any], parameter: str) -> None:
    table = sfumato.from_rows(["Age", "Disease"], [(20, "Flu")])
    with pytest.raises(sfumato.BadRequest) as caught:
        sfumato.attack(table, "attack-attribute-linkage", **{"qid": ["Age"], "sensitive": "Disease", **options})
    assert caught.value.parameter == parameter
