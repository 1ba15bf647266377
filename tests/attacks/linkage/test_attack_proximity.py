"""Proximity against brute force: the given interval, the fullest one, and numbers that are missing or rounded."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sfumato
from oracles.naive_linkage import grouped, near
from sfumato.attacks.linkage._candidates import candidates
from sfumato.attacks.linkage.attack_proximity import AttackProximity, Proximity
from sfumato.contracts.knowledge import Seen, TableKnowledge
from sfumato.contracts.run import Run
from sfumato.groups.stats import GroupStats


def attacked(rows: list[Any], **parameters: Any) -> Proximity:
    table = sfumato.from_rows(["Job", "Salary"], rows)
    found = sfumato.attack(table, AttackProximity(**parameters), qid=["Job"], sensitive="Salary")
    assert isinstance(found, Proximity)
    return found


@pytest.mark.parametrize("seed", range(30))
def test_against_brute_force(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows: list[Any] = [
        (int(rng.integers(4)), None if seed % 2 and rng.random() < 0.2 else int(rng.integers(-20, 40)))
        for _ in range(int(rng.integers(1, 50)))
    ]
    rows.append((9, 7))  # at least one number
    known = [row[1] for row in rows if row[1] is not None]
    groups = sorted(grouped(rows, 1).items())
    for width in (0, 3, int(rng.integers(0, 80))):
        found = attacked(rows, width=width)
        assert found.per_victim == pytest.approx([near(values, width) / len(values) for _, values in groups])
        for cluster in found.worst(3):
            inside = dict(groups)[cluster.group]
            low, high = cluster.interval
            assert cluster.size == len(inside)
            if not any(value is not None for value in inside):
                assert cluster.confidence == 0
                continue
            assert high - low == width
            held = sum(value is not None and low <= value <= high for value in inside)
            assert held / len(inside) == pytest.approx(cluster.confidence)
    low, high = sorted(int(end) for end in rng.integers(-25, 45, 2))
    found = attacked(rows, interval=(low, high))
    wanted = [sum(v is not None and low <= v <= high for v in values) / len(values) for _, values in groups]
    assert found.per_victim == pytest.approx(wanted)
    assert found.worst(1)[0].interval == (low, high)
    share = float(rng.uniform(0.01, 1))
    found = attacked(rows, share=share)
    assert found.width == pytest.approx(share * (max(known) - min(known)))
    assert found.per_victim == pytest.approx([near(values, found.width) / len(values) for _, values in groups])
    assert found.details["records_without_a_number"] == len(rows) - len(known)


def test_ends_belong_to_the_interval_although_they_are_rounded() -> None:
    assert attacked([("x", 0.3), ("x", 0.9)], width=0.6).confidence == 1.0  # 0.3 + 0.6 is a little less than 0.9
    assert attacked([("x", 0.3), ("x", 0.9001)], width=0.6).confidence == 0.5


def test_width_is_a_twentieth_of_the_range_by_default() -> None:
    found = attacked([("x", 0), ("x", 5), ("x", 6), ("y", 100)])
    assert found.width == 5.0
    assert found.per_victim == pytest.approx([2 / 3, 1.0])
    assert found.details["width_as_share_of_range"] == pytest.approx(0.05)
    assert found.details["records_in_groups_inside_one_interval"] == 1


def test_numbers_counted_by_group_in_any_order() -> None:
    groups = GroupStats.from_histograms({1: {30: 2, 100: 1}, 2: {4: 1, 30: 1, 31: 2}}, column="Salary")
    seen = Seen(
        sfumato.from_rows(["Job", "GroupID"], [("a", 1)]),
        counted=groups,
        parts={"st": sfumato.from_rows(["Salary"], [(30,)])},
    )
    knowledge = TableKnowledge(known=("Job",), learn=("Salary",))
    found = AttackProximity(width=1).run(seen, knowledge, Run())
    assert found.per_victim == pytest.approx([2 / 3, 3 / 4])
    with pytest.raises(sfumato.BadRequest, match="nobody can be looked up"):
        candidates(seen, knowledge, {"Job": "a"})


def test_numbers_that_are_all_missing_or_nobodys() -> None:
    table = sfumato.from_rows(["Job", "Salary"], [("x", 1), ("y", None)])
    alone = table.drop_groups(["Job"], [("x",)])
    found = sfumato.attack(alone, "attack-proximity", qid=["Job"], sensitive="Salary")
    assert found.per_victim.tolist() == [0.0]
    nobody = alone.drop_groups(["Job"], [("y",)])
    found = sfumato.attack(nobody, "attack-proximity", qid=["Job"], sensitive="Salary")
    assert (found.victims, found.highest) == (0, 0.0)


@pytest.mark.parametrize("value", ["thirty", True])
def test_only_numbers(value: Any) -> None:
    table = sfumato.from_rows(["Job", "Salary"], [("x", value)])
    with pytest.raises(sfumato.BadRequest, match="must hold numbers") as caught:
        sfumato.attack(table, "attack-proximity", qid=["Job"], sensitive="Salary")
    assert caught.value.column == "Salary"
    knowledge = TableKnowledge(known=("Job",), learn=("Salary",))
    assert AttackProximity().unfit(Seen(table), knowledge) == "needs a sensitive column of numbers"


def test_endless_numbers() -> None:
    with pytest.raises(sfumato.BadRequest, match="finite"):
        attacked([("x", 1.0), ("x", float("inf"))])


@pytest.mark.parametrize(
    ("parameters", "named"),
    [
        ({"interval": (5, 3)}, "interval"),
        ({"interval": (0, float("inf"))}, "interval"),
        ({"interval": (1, 2, 3)}, "interval"),
        ({"width": -1}, "width"),
        ({"width": float("inf")}, "width"),
        ({"share": 0}, "share"),
        ({"share": 1.5}, "share"),
        ({"interval": (0, 1), "width": 1}, "width"),
    ],
)
def test_bad_parameters(parameters: dict[str, Any], named: str) -> None:
    with pytest.raises(sfumato.BadRequest) as caught:
        AttackProximity(**parameters)
    assert caught.value.parameter == f"attack-proximity.{named}"
