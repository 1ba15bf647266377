"""Reconstruction from anatomy against tables that are drawn and compared one by one."""

from __future__ import annotations

from collections import Counter
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest

import sfumato
from sfumato.attacks.anatomy.attack_anatomy_reconstruction import Reconstructed

DISEASES = ["Flu", "Ulcer", "Cancer"]


def drawn(seed: int, groups: int, most: int, ages: int) -> tuple[list[Any], list[Any]]:
    """Draw raw records (age, disease) and the group of each."""
    rng = np.random.default_rng(seed)
    number = np.repeat(np.arange(groups), rng.integers(1, most + 1, groups))
    raw = [(int(rng.integers(0, ages)), rng.choice(DISEASES).item()) for _ in number]
    return raw, number.tolist()


def attacked(raw: list[Any], number: list[int], *, truth: bool, **parameters: Any) -> Reconstructed:
    counts = Counter((group, disease) for (_, disease), group in zip(raw, number, strict=True))
    pair = {
        "qit": sfumato.from_rows(["Age", "Group"], [(age, group) for (age, _), group in zip(raw, number, strict=True)]),
        "st": sfumato.from_rows(
            ["Group", "Disease", "Count"], [(*key, count) for key, count in sorted(counts.items())]
        ),
    }
    found = sfumato.attack(
        pair,
        {"id": "attack-anatomy-reconstruction", **parameters},
        qid=["Age"],
        sensitive="Disease",
        raw=sfumato.from_rows(["Age", "Disease"], raw) if truth else None,
    )
    assert isinstance(found, Reconstructed)
    return found


@pytest.mark.parametrize("seed", range(20))
def test_against_all_tables(seed: int) -> None:
    """Every way to give values out, one by one; ages are distinct, so that the truth is known record by record."""
    raw, number = drawn(seed, 3, 4, 1)
    raw = [(at, disease) for at, (_, disease) in enumerate(raw)]
    found = attacked(raw, number, truth=True)
    groups = [[disease for (_, disease), own in zip(raw, number, strict=True) if own == group] for group in range(3)]
    right, tables = 0, 0
    for world in product(*(list(permutations(values)) for values in groups)):
        tables += 1
        right += sum(
            a == b for given, values in zip(world, groups, strict=True) for a, b in zip(given, values, strict=True)
        )
    assert found.details["right_if_drawn"] == pytest.approx(right / tables)
    assert found.details["share_true_if_drawn"] == pytest.approx(right / tables / len(raw))
    best = [max(Counter(values).values()) for values in groups]
    assert found.details["right_by_best_guess"] == sum(best)
    assert found.details["certain"] == sum(len(values) for values in groups if len(set(values)) == 1)
    assert found.per_victim.tolist() == pytest.approx([best[group] / len(groups[group]) for group in number])
    guessed = found.guessed()
    assert sum(guess == disease for guess, (_, disease) in zip(guessed, raw, strict=True)) == sum(best)
    # Where values are equally frequent the guess is drawn among them, and is right as often on average.
    assert found.details["share_true_by_best_guess"] == pytest.approx(sum(best) / len(raw))
    # Ages that occur once tell nothing: learning across groups comes to the same.
    assert found.details["share_true_by_definetti"] == pytest.approx(sum(best) / len(raw))


@pytest.mark.parametrize("seed", range(20))
def test_records_that_look_alike_share_the_truth(seed: int) -> None:
    raw, number = drawn(seed, 3, 4, 3)
    found = attacked(raw, number, truth=True, method="exact")
    shares = {}
    for group in set(number):
        values = Counter(disease for (_, disease), own in zip(raw, number, strict=True) if own == group)
        shares[group] = {value: count / values.total() for value, count in values.items()}
    truth = {age: Counter(disease for own, disease in raw if own == age) for age, _ in raw}
    wanted = 0.0
    for (age, _), group in zip(raw, number, strict=True):
        wanted += sum(share * truth[age][value] / truth[age].total() for value, share in shares[group].items())
    assert found.details["share_true_if_drawn"] == pytest.approx(wanted / len(raw))
    assert found.details["records_with_a_raw_record"] == len(raw)


def test_drawn_tables_fit_the_pair_and_are_right_as_often_as_said() -> None:
    raw, number = drawn(3, 40, 5, 20)
    found = attacked(raw, number, truth=False)
    assert "share_true_by_definetti" not in found.details
    listed = Counter((group, disease) for (_, disease), group in zip(raw, number, strict=True))
    right = []
    for seed in range(300):
        values = found.drawn(seed)
        assert Counter(zip(number, values, strict=True)) == listed
        right.append(sum(value == disease for value, (_, disease) in zip(values, raw, strict=True)))
    assert found.drawn(1) == found.drawn(1) != found.drawn(2)
    assert np.mean(right) == pytest.approx(found.details["right_if_drawn"], abs=4 * np.std(right) / np.sqrt(300))


def test_learning_across_groups_finds_more() -> None:
    rng = np.random.default_rng(1)
    raw = [(age, DISEASES[age % 3] if rng.random() < 0.8 else "Flu") for age in rng.integers(0, 30, 900).tolist()]
    found = attacked(raw, [at // 3 for at in range(900)], truth=True)
    assert found.details["share_true_by_definetti"] > found.details["share_true_by_best_guess"] + 0.1
    assert "learning across groups" in found.reading


def test_raw_table_of_others() -> None:
    raw, number = drawn(2, 3, 3, 5)
    pair = attacked(raw, number, truth=False)
    strangers = [(age + 100, disease) for age, disease in raw]
    found = sfumato.attack(
        {
            "qit": sfumato.from_rows(
                ["Age", "Group"], [(age, group) for (age, _), group in zip(raw, number, strict=True)]
            ),
            "st": sfumato.from_rows(
                ["Group", "Disease"], [(group, one[1]) for one, group in zip(raw, number, strict=True)]
            ),
        },
        "attack-anatomy-reconstruction",
        qid=["Age"],
        sensitive="Disease",
        raw=sfumato.from_rows(["Age", "Disease"], strangers),
    )
    assert np.array_equal(found.per_victim, pair.per_victim)
    assert found.details["records_with_a_raw_record"] == 0
    assert found.details["share_true_by_definetti"] == 0.0


def test_needs_a_pair() -> None:
    table = sfumato.from_rows(["Age", "Disease"], [(20, "Flu")])
    for source in (table, {"data": table}):
        with pytest.raises(sfumato.BadRequest, match="anatomy pair") as caught:
            sfumato.attack(source, "attack-anatomy-reconstruction", qid=["Age"], sensitive="Disease")
        assert caught.value.parameter == "parts"
