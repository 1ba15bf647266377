"""Skewness against brute force, in exact fractions."""

from __future__ import annotations

import numpy as np
import pytest

import sfumato
from oracles.naive_linkage import grouped, growth
from sfumato.attacks.linkage.attack_skewness import Skewness


@pytest.mark.parametrize("seed", range(25))
def test_against_brute_force(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = [None, "Flu", "Ulcer", "HIV"] if seed % 2 else ["Flu", "HIV"]
    rows = [(int(rng.integers(4)), values[rng.integers(len(values))]) for _ in range(int(rng.integers(1, 50)))]
    table = sfumato.from_rows(["Zip", "Disease"], rows)
    found = sfumato.attack(table, "attack-skewness", qid=["Zip"], sensitive="Disease")
    assert isinstance(found, Skewness)
    groups = {group: growth(inside, [row[1] for row in rows]) for group, inside in grouped(rows, 1).items()}
    largest = [float(max(difference for difference, _ in one.values())) for _, one in sorted(groups.items())]
    assert found.per_victim == pytest.approx(largest)
    assert found.per_victim.min() >= 0
    ratios = [float(ratio) for one in groups.values() for _, ratio in one.values()]
    assert found.details["largest_ratio"] == pytest.approx(max(ratios))
    doubled = sum(any(ratio >= 2 for _, ratio in groups[row[:1]].values()) for row in rows)
    assert found.details["records_with_a_value_at_least_twice_as_likely"] == doubled
    told = found.worst(1000)
    assert len(told) == len(ratios)
    for belief in told:
        difference, ratio = groups[belief.group][belief.value]
        assert (belief.difference, belief.ratio) == pytest.approx((float(difference), float(ratio)))
        assert belief.size == len(grouped(rows, 1)[belief.group])
    assert [one.difference for one in told] == pytest.approx(sorted((one.difference for one in told), reverse=True))
    assert found.worst(1, by_ratio=True)[0].ratio == pytest.approx(max(ratios))


def test_one_group_tells_nothing() -> None:
    table = sfumato.from_rows(["Zip", "Disease"], [("x", "Flu"), ("x", "HIV"), ("x", "HIV")])
    found = sfumato.attack(table, "attack-skewness", qid=["Zip"], sensitive="Disease")
    assert (found.highest, found.details["largest_ratio"]) == (0.0, 1.0)


def test_nobody() -> None:
    table = sfumato.from_rows(["Zip", "Disease"], [("x", "Flu")]).drop_groups(["Zip"], [("x",)])
    found = sfumato.attack(table, "attack-skewness", qid=["Zip"], sensitive="Disease")
    assert (found.victims, found.highest) == (0, 0.0)


def test_needs_something_to_learn() -> None:
    with pytest.raises(sfumato.BadRequest) as caught:
        sfumato.attack(sfumato.from_rows(["Zip"], [("x",)]), "attack-skewness", qid=["Zip"])
    assert caught.value.parameter == "sensitive"
