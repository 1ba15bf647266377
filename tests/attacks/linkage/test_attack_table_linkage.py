"""Table linkage against brute force, with overlapping groups, and with a table that does not hold everybody."""

from __future__ import annotations

import numpy as np
import pytest

import sfumato
from oracles.naive_attacks import interval
from oracles.naive_linkage import presence
from sfumato.attacks.linkage.attack_table_linkage import Presence

LABELS = ["[20-30)", "[30-40)", "[20-40)", "25", "35", "*"]


@pytest.mark.parametrize("seed", range(25))
def test_against_brute_force(seed: int) -> None:
    rng = np.random.default_rng(seed)
    labels = LABELS[:2] if seed % 2 else LABELS
    rows = [(rng.choice(labels).item(), rng.choice(["f", "m"]).item()) for _ in range(int(rng.integers(1, 12)))]
    people = [
        (f"p{n}", int(rng.integers(18, 42)), rng.choice(["f", "m"]).item()) for n in range(int(rng.integers(1, 30)))
    ]
    found = sfumato.attack(
        sfumato.from_rows(["Age", "Sex"], rows),
        "attack-table-linkage",
        external=sfumato.from_rows(["Name", "Age", "Sex"], people),
        name="Name",
    )
    assert isinstance(found, Presence)
    wanted = presence(rows, [person[1:] for person in people], [interval, lambda label, value: label == value])
    assert found.per_victim == pytest.approx([float(share) for share in wanted])
    assert [name for name, _ in found.presence_probability()] == found.names() == [person[0] for person in people]
    assert found.surely_absent() == [p[0] for p, share in zip(people, wanted, strict=True) if share == 0]
    assert found.details["surely_present"] == len(found.surely_present())
    assert found.details["surely_absent"] == len(found.surely_absent())
    assert found.details["lowest_presence"] == pytest.approx(float(min(wanted)))


def test_everybody_is_known() -> None:
    table = sfumato.from_rows(["Age", "Disease"], [("[20-30)", "Flu")] * 3)
    people = sfumato.from_rows(["Age"], [(20,), (21,), (22,), (23,), (50,)])
    found = sfumato.attack(table, "attack-table-linkage", external=people, qid=["Age"], sensitive="Disease")
    assert found.per_victim.tolist() == [0.75, 0.75, 0.75, 0.75, 0.0]
    assert isinstance(found, Presence)
    assert found.surely_absent() == [4]
    assert found.warnings == ()


def test_a_table_that_lacks_somebody() -> None:
    table = sfumato.from_rows(["Age"], [("[20-30)",)] * 3 + [("[60-70)",)])
    found = sfumato.attack(table, "attack-table-linkage", external=sfumato.from_rows(["Age"], [(20,), (21,)]))
    assert found.per_victim.tolist() == [1.0, 1.0]
    assert found.details["groups_with_too_few_persons"] == 2
    assert "2 of 2 groups" in found.warnings[0]


def test_nobody_is_published() -> None:
    table = sfumato.from_rows(["Age"], [(20,)]).drop_groups(["Age"], [(20,)])
    found = sfumato.attack(table, "attack-table-linkage", external=sfumato.from_rows(["Age"], [(20,)]))
    assert found.per_victim.tolist() == [0.0]


def test_needs_a_larger_table() -> None:
    with pytest.raises(sfumato.BadRequest) as caught:
        sfumato.attack(sfumato.from_rows(["Age"], [(20,)]), "attack-table-linkage", qid=["Age"])
    assert caught.value.parameter == "external"
