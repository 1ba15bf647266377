"""Breach probabilities against the definition, and reconstructions against counting all of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sfumato
from oracles.naive_attacks import breach, interval, reconstructions
from sfumato.attacks.linkage.breach_probability import Breaches, BreachProbability, Reconstruction

AGES = ["[20-30)", "[25-35]", "[20-40)", "*", "25"]
DISEASES = ["Flu", "Ulcer", "Cancer"]


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("own", [True, False])
def test_against_the_definition(seed: int, own: bool) -> None:
    rng = np.random.default_rng(seed)
    rows = [(rng.choice(AGES).item(), rng.choice(DISEASES).item()) for _ in range(int(rng.integers(1, 15)))]
    people = [
        (f"p{number}", int(rng.integers(18, 42)), rng.choice([*DISEASES, "Rare"]).item())
        for number in range(int(rng.integers(1, 20)))
    ]
    owners = people[:: int(rng.integers(1, 3))]
    columns = ["Name", "Age", "Disease"]
    found = sfumato.attack(
        sfumato.from_rows(["Age", "Disease"], rows),
        {"id": "breach-probability"} if own else BreachProbability(values=("Ulcer", "Cancer")),
        external=sfumato.from_rows(columns[:2], [person[:2] for person in people]),
        owners=sfumato.from_rows(columns, owners),
        name="Name",
        qid=["Age"],
        sensitive="Disease",
    )
    assert isinstance(found, Breaches)
    for place, (name, age, disease) in enumerate(owners):
        wanted = {disease} if own else {"Ulcer", "Cancer"}
        outside, inside = breach(
            [row[:1] for row in rows], [row[1] for row in rows], [[p[1]] for p in people], [age], wanted, [interval]
        )
        exact = found.of(name)
        assert (exact.bp, exact.bp_member) == (outside, inside)
        assert found.bp[place] == pytest.approx(float(outside))
        assert found.bp_member[place] == pytest.approx(float(inside))
        assert outside <= inside
    short = any(len(one.persons) < one.y for name, _, _ in owners for one in found.of(name).groups)
    assert bool(found.warnings) == short


@pytest.mark.parametrize("persons", range(1, 6))
@pytest.mark.parametrize("rows", range(1, 5))
def test_reconstructions_are_counted(persons: int, rows: int) -> None:
    if rows > persons:
        return
    sensitive = (["Flu", "Ulcer", "Flu", "Cancer"])[:rows]
    matching = sensitive.count("Flu")
    one = Reconstruction(("g",), ("p",) * persons, persons, rows, matching)
    assert (one.possible, one.breaching) == reconstructions(sensitive, persons, {"Flu"})


def test_before_and_after_masking() -> None:
    raw = [(f"p{n}", 20 + n, DISEASES[n % 3]) for n in range(30)]
    people = sfumato.from_rows(["Name", "Age", "Disease"], raw)
    policy = {
        "columns": {
            "Name": {"role": "identifier"},
            "Age": {"role": "quasi-identifier"},
            "Disease": {"role": "sensitive"},
        },
        "requirements": [{"id": "l-diversity-distinct", "l": 3, "sensitive": "Disease"}],
        "algorithm": {"id": "mondrian"},
    }
    release = sfumato.anonymize(people, policy)
    options: dict[str, Any] = {"external": people, "name": "Name"}
    before = sfumato.attack(people, "breach-probability", qid=["Age"], sensitive="Disease", **options)
    after = sfumato.attack(release, "breach-probability", **options)
    assert before.highest == 1.0
    assert before.details["certain"] == 30
    assert after.highest <= 0.5
    assert after.details["covered"] == 30


@pytest.mark.parametrize(
    ("attack", "options", "named"),
    [
        ({"id": "breach-probability", "values": []}, {}, "breach-probability.values"),
        ("breach-probability", {"sensitive": None}, "sensitive"),
        ("breach-probability", {}, "owners"),
        ({"id": "breach-probability", "values": ["Flu"]}, {"owners": [("Age", 20)]}, None),
    ],
)
def test_bad_requests(attack: Any, options: dict[str, Any], named: str | None) -> None:
    table = sfumato.from_rows(["Age", "Disease"], [(20, "Flu")])
    people = sfumato.from_rows(["Name", "Age"], [("a", 20)])
    given: dict[str, Any] = {"sensitive": "Disease", **options}
    if "owners" in given:
        given["owners"] = sfumato.from_rows(["Age"], [(20,)])
    with pytest.raises(sfumato.BadRequest) as caught:
        sfumato.attack(table, attack, external=people, name="Name", **given)
    assert caught.value.parameter == named or caught.value.column == "Name"


def test_names_that_do_not_tell_who() -> None:
    table = sfumato.from_rows(["Age", "Disease"], [(20, "Flu")])
    people = sfumato.from_rows(["Name", "Age"], [("a", 20), ("a", 20)])
    found = sfumato.attack(table, BreachProbability(values=("Flu",)), external=people, name="Name", sensitive="Disease")
    for name in ("a", "b"):
        with pytest.raises(sfumato.BadRequest, match="exactly one owner"):
            found.of(name)  # type: ignore[attr-defined]
