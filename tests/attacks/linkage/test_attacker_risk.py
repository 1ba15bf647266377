"""Prosecutor, journalist and marketer, record by record."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from oracles.naive_risk import attackers
from sfumato.attacks import AttackerRisk
from sfumato.attacks.linkage.attacker_risk import AttackerRisks

# A person: an age, and whether the person is in the table.
PEOPLE = st.lists(st.tuples(st.integers(20, 59), st.booleans()), min_size=1, max_size=40).filter(
    lambda people: any(sampled for _, sampled in people)
)


def label(age: int) -> str:
    return f"[{age // 10 * 10}-{age // 10 * 10 + 10})"


def figures(found: AttackerRisks) -> dict[str, float]:
    prosecutor, journalist = found.prosecutor, found.journalist
    return {
        "prosecutor_max": prosecutor.max,
        "prosecutor_min": prosecutor.min,
        "prosecutor_average": prosecutor.average,
        "prosecutor_share": prosecutor.share_at_risk,
        "journalist_max": journalist.max,
        "journalist_min": journalist.min,
        "journalist_average": journalist.average,
        "journalist_share": journalist.share_at_risk,
        "marketer": found.marketer.average,
    }


@given(people=PEOPLE, threshold=st.sampled_from([0.0, 0.1, 0.2, 0.34, 0.5, 1.0]))
def test_against_the_definition(people: list[tuple[int, bool]], threshold: float) -> None:
    shown = [label(age) for age, sampled in people if sampled]
    found = sfumato.attack(
        sfumato.from_rows(["Age"], [(one,) for one in shown]),
        AttackerRisk(threshold=threshold),
        qid=["Age"],
        external=sfumato.from_rows(["Age"], [(age,) for age, _ in people]),
    )
    assert isinstance(found, AttackerRisks)
    wanted = attackers(shown, [label(age) for age, _ in people], threshold)
    assert figures(found) == pytest.approx({name: float(value) for name, value in wanted.items()})
    assert found.population_known
    assert not found.warnings
    assert found.highest == pytest.approx(float(wanted["prosecutor_max"]))
    assert found.mean == pytest.approx(float(wanted["prosecutor_average"]))
    assert found.victims == len(shown)


@given(people=PEOPLE)
def test_without_a_population_the_journalist_is_a_prosecutor(people: list[tuple[int, bool]]) -> None:
    shown = [label(age) for age, _ in people]
    found: Any = sfumato.attack(sfumato.from_rows(["Age"], [(one,) for one in shown]), "attacker-risk", qid=["Age"])
    wanted = attackers(shown, shown, 0.2)
    assert figures(found) == pytest.approx({name: float(value) for name, value in wanted.items()})
    assert found.details["population_known"] is False
    assert "without a table of the population" in found.reading


def test_a_population_that_lacks_somebody() -> None:
    table = sfumato.from_rows(["Age"], [("[20-30)",), ("[20-30)",), ("[30-40)",), (None,)])
    people = sfumato.from_rows(["Age"], [(21,), (31,), (32,)])
    found: Any = sfumato.attack(table, "attacker-risk", qid=["Age"], external=people)
    assert found.warnings[0].startswith("2 of 3 groups have more records")
    assert sorted(zip(found.sample.tolist(), found.population.tolist(), strict=True)) == [(1, 1), (1, 2), (2, 2)]


def test_a_person_counts_for_every_group_that_covers_her() -> None:
    table = sfumato.from_rows(["Age"], [("[20-30)",), ("[20-40)",), ("*",)])
    people = sfumato.from_rows(["Age"], [(21,), (31,), (52,)])
    found: Any = sfumato.attack(table, "attacker-risk", qid=["Age"], external=people)
    assert sorted(found.population.tolist()) == [1, 2, 3]


def test_classes_by_their_sizes() -> None:
    found = AttackerRisk(threshold=0.3).of_classes(sample=[1, 2, 3, 4], population=[2, 5, 4, 20])
    assert (found.prosecutor.max, found.prosecutor.average, found.prosecutor.share_at_risk) == (1.0, 0.4, 0.6)
    assert (found.journalist.max, found.journalist.share_at_risk) == (0.5, 0.1)
    assert found.journalist.average == found.marketer.average == pytest.approx(0.185)
    alone = AttackerRisk().of_classes(sample=[5, 5])
    # One over five is at the threshold of 0.2, not above it.
    assert (alone.prosecutor.share_at_risk, alone.journalist.share_at_risk) == (0.0, 0.0)


def test_nobody() -> None:
    found = AttackerRisk().of_classes(sample=[])
    assert set(figures(found).values()) == {0.0}
    assert (found.highest, found.mean, found.victims) == (0.0, 0.0, 0)
    assert found.reading == "No record is published, so none can be found."


@pytest.mark.parametrize(
    ("given", "parameter"),
    [
        ({"sample": [0]}, "sample"),
        ({"sample": [1.5]}, "sample"),
        ({"sample": [2], "population": [1]}, "population"),
        ({"sample": [2], "population": [2, 3]}, "population"),
        ({"sample": [2], "population": [-2]}, "population"),
    ],
)
def test_bad_classes(given: dict[str, Any], parameter: str) -> None:
    with pytest.raises(sfumato.BadRequest) as caught:
        AttackerRisk().of_classes(**given)
    assert caught.value.parameter == parameter


def test_bad_requests() -> None:
    table = sfumato.from_rows(["Age"], [(1,)])
    with pytest.raises(sfumato.BadRequest) as caught:
        sfumato.attack(table, "attacker-risk")
    assert caught.value.parameter == "qid"
    with pytest.raises(sfumato.BadRequest) as caught:
        sfumato.attack(table, "attacker-risk", qid=["Age"], external=sfumato.from_rows(["Zip"], [(1,)]))
    assert caught.value.parameter == "qid"
    with pytest.raises(sfumato.BadRequest) as caught:
        sfumato.attack(table, {"id": "attacker-risk", "threshold": 2}, qid=["Age"])
    assert caught.value.parameter == "attacker-risk.threshold"
