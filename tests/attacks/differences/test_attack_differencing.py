"""Differencing of two releases against brute force: candidates, worlds that agree with both, isolated rows."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import sfumato
from oracles.naive_attacks import interval
from oracles.naive_differencing import candidates, isolated, worlds
from sfumato.attacks.differences.attack_differencing import AttackDifferencing, Compared

LABELS = ["[20-30)", "[25-35]", "[20-40)", "*", "25"]
DISEASES = ["Flu", "Ulcer", "Cancer", None]


def compared(one: list[Any], two: list[Any], people: list[Any], **parameters: Any) -> Compared:
    found = sfumato.attack(
        sfumato.from_rows(["Age", "Disease"], one),
        AttackDifferencing(**parameters),
        other=sfumato.from_rows(["Age", "Disease"], two),
        external=sfumato.from_rows(["Name", "Age"], people),
        name="Name",
        qid=["Age"],
        sensitive="Disease",
    )
    assert isinstance(found, Compared)
    return found


@pytest.mark.parametrize("seed", range(40))
def test_against_brute_force(seed: int) -> None:
    rng = np.random.default_rng(seed)
    one, two = (
        [(rng.choice(LABELS).item(), DISEASES[rng.integers(0, 4)]) for _ in range(int(rng.integers(1, 12)))]
        for _ in range(2)
    )
    people = [(f"p{number}", int(rng.integers(18, 42))) for number in range(int(rng.integers(1, 15)))]
    found = compared(one, two, people, estimate="product")
    first, second = (
        candidates([row[:1] for row in rows], [row[1] for row in rows], [one[1:] for one in people], [interval])
        for rows in (one, two)
    )
    wanted = Counter[str]()
    for person, (a, b) in enumerate(zip(first, second, strict=True)):
        common = set(a) & set(b)
        assert found.common(person) == common
        wanted["in_both"] += bool(a and b)
        wanted["only_in_published"] += bool(a and not b)
        wanted["only_in_other"] += bool(b and not a)
        wanted["contradicted"] += bool(a and b and not common)
        wanted["certain"] += len(common) == 1
        wanted["newly_certain"] += len(common) == 1 and len(a) > 1 and len(b) > 1
        wanted["shrunk"] += bool(common) and len(common) < min(len(a), len(b))
        if common:
            weights = {value: a[value] / a.total() * b[value] / b.total() for value in common}
            beliefs = {value: weight / sum(weights.values()) for value, weight in weights.items()}
            assert found.posterior(person) == pytest.approx(beliefs)
            assert found.per_victim[person] == pytest.approx(max(beliefs.values()))
        else:
            alone = a or b
            assert found.per_victim[person] == pytest.approx(max(alone.values()) / alone.total() if alone else 0.0)
    assert {key: found.details[key] for key in wanted} == wanted
    assert found.names() == [name for name, _ in people]


def released(ages: list[int], diseases: list[str], width: int) -> tuple[list[Any], list[list[int]]]:
    """Publish ages by steps; return the rows and who is in which group."""
    labels = [f"[{age // width * width}-{age // width * width + width})" for age in ages]
    groups = [[at for at, own in enumerate(labels) if own == label] for label in sorted(set(labels))]
    return [(labels[at], diseases[at]) for group in groups for at in group], groups


@pytest.mark.parametrize("seed", range(25))
def test_certain_in_every_world(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(3, 8))
    ages = rng.integers(0, 30, count).tolist()
    diseases = rng.choice(["Flu", "Ulcer", "Cancer"], count).tolist()
    (one, first), (two, second) = released(ages, diseases, 10), released(ages, diseases, 7)
    found = compared(one, two, [(f"p{at}", age) for at, age in enumerate(ages)])
    listed = [[diseases[at] for at in group] for group in (*first, *second)]
    possible = worlds(first, second, listed)
    sure = 0
    for person in range(count):
        values = {world[person] for world in possible}
        assert diseases[person] in values <= found.common(person)
        beliefs = found.posterior(person)
        left = {value for value, belief in beliefs.items() if belief > 0}
        assert values <= left, "counting rules out only what no world has"
        sure += len(left) == 1
        assert sum(beliefs.values()) == pytest.approx(1)
    assert found.details["certain"] <= found.details["certain_by_counting"]
    assert found.details["contradicted"] == 0
    assert sure >= found.details["certain_by_counting"]
    # Balanced beliefs give back what both releases count.
    for group, values in zip((*first, *second), listed, strict=True):
        for value in set(values):
            expected = sum(found.posterior(person).get(value, 0.0) for person in group)
            assert expected == pytest.approx(values.count(value), abs=0.02)


@pytest.mark.parametrize("width", [10, 100])
def test_nothing_is_learnt_from_the_same_again_or_from_one_group(width: int) -> None:
    rng = np.random.default_rng(5)
    ages, diseases = rng.integers(0, 60, 40).tolist(), rng.choice(["Flu", "Ulcer", "Cancer"], 40).tolist()
    (one, groups), (two, _) = released(ages, diseases, 10), released(ages, diseases, width)
    found = compared(one, two, [(f"p{at}", age) for at, age in enumerate(ages)])
    for group in groups:
        shares = Counter(diseases[at] for at in group)
        for at in group:
            assert found.posterior(at) == pytest.approx(
                {value: n / len(group) for value, n in shares.items()}, abs=1e-6
            )
    assert found.details["newly_certain"] == found.details["shrunk"] == found.details["isolated_groups"] == 0
    product = compared(one, two, [(f"p{at}", age) for at, age in enumerate(ages)], estimate="product")
    assert product.mean > found.mean  # the usual product counts the same evidence twice


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("k", [2, 4])
def test_isolated_rows(seed: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    one = [(rng.choice(LABELS[:3]).item(), DISEASES[rng.integers(0, 4)]) for _ in range(20)]
    two = [row for row in one if rng.random() < 0.85] + ([("[90-99)", "Gout")] if seed % 2 else [])
    two += [(rng.choice(LABELS[:3]).item(), "Gout")] if seed % 3 else []
    for first, second, name in ((one, two, "published"), (two, one, "other")):
        found = compared(first, second, [("a", 25)], k=k)
        shown = found.isolated()
        assert {one.key: Counter(one.values) for one in shown} == isolated(first, second, k)
        assert found.details["isolated_groups"] == len(shown)
        assert found.details["isolated_rows"] == sum(sum(one.values.values()) for one in shown)
        more = Counter(first) - Counter(second)
        assert found.details["rows_only_in_published"] == more.total()
        for one_shown in shown:
            grew = sum(row[:1] == one_shown.key for row in first) > sum(row[:1] == one_shown.key for row in second)
            assert one_shown.only_in == ("published" if grew else "other"), name


def test_a_person_joins() -> None:
    before = [("[20-30)", "Flu"), ("[20-30)", "Ulcer"), ("[30-40)", "Flu")]
    after = [*before, ("[20-30)", "Cancer")]
    found = compared(after, before, [("Ann", 22), ("Bob", 33)])
    assert [(one.key, one.only_in, one.values) for one in found.isolated()] == [
        (("[20-30)",), "published", {"Cancer": 1})
    ]
    assert found.details["rows_only_in_other"] == 0
    assert "Cancer" not in found.reading


@pytest.mark.parametrize(
    ("options", "parameter"),
    [
        ({"other": None}, "other"),
        ({"other": sfumato.from_rows(["Disease"], [("Flu",)])}, "other"),
        ({"other": sfumato.from_rows(["Age"], [("*",)])}, "other"),
        ({"external": None}, "external"),
        ({"sensitive": None}, "sensitive"),
        ({"attack": {"id": "attack-differencing", "k": 1}}, "attack-differencing.k"),
        ({"attack": {"id": "attack-differencing", "estimate": "best"}}, "attack-differencing.estimate"),
    ],
)
def test_bad_requests(options: dict[str, Any], parameter: str) -> None:
    table = sfumato.from_rows(["Age", "Disease"], [("*", "Flu")])
    given: dict[str, Any] = {
        "attack": "attack-differencing",
        "other": table,
        "external": sfumato.from_rows(["Name", "Age"], [("a", 20)]),
        "sensitive": "Disease",
        "qid": ["Age"],
    }
    with pytest.raises(sfumato.BadRequest) as caught:
        sfumato.attack(table, **{**given, **options})
    assert caught.value.parameter == parameter


def test_names_are_places_without_a_column_of_names() -> None:
    table = sfumato.from_rows(["Age", "Disease"], [("*", "Flu")])
    found: Any = sfumato.attack(
        table,
        "attack-differencing",
        other=table,
        external=sfumato.from_rows(["Age"], [(20,), (30,)]),
        qid=["Age"],
        sensitive="Disease",
    )
    assert found.names() == [0, 1]
    assert found.per_victim.tolist() == [1.0, 1.0]
