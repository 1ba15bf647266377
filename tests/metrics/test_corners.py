"""Metrics at the ends: suppressed records, ranges of numbers, one value, no record, weights."""

from __future__ import annotations

import numpy as np
import pytest

import sfumato
from sfumato.groups.published import AttributeStats, PublishedStats
from sfumato.groups.stats import GroupStats
from sfumato.metrics import (
    IGPL,
    AverageGroupSize,
    Discernibility,
    ILoss,
    InfoGain,
    Loss,
    LossDecrease,
    MinimalDistortion,
)
from sfumato.metrics.infogain import entropy, information_gain


def attribute(**changed: object) -> AttributeStats:
    facts: dict[str, object] = {
        "name": "a",
        "count": np.array([2, 3]),
        "label": np.array([0, 1]),
        "covered": np.array([1.0, 4.0]),
        "domain": 5.0,
        "climbed": np.array([0, 2]),
        "root_climb": np.array([3, 3]),
    }
    return AttributeStats(**{**facts, **changed})  # type: ignore[arg-type]


GROUPS = GroupStats.from_sizes([2, 3])


def published(stats: AttributeStats, *, suppressed: int = 0, climb: int = 0) -> PublishedStats:
    return PublishedStats(5 + suppressed, suppressed, GROUPS, {"a": stats}, {"a": climb})


def test_suppressed_records_pay() -> None:
    release = published(attribute(), suppressed=2, climb=6)
    assert Discernibility().measure(release).value == 4 + 9 + 2 * 7
    assert Loss().measure(release).value == pytest.approx((3 * 3 / 4 + 2) / 7)
    assert ILoss().measure(release).value == pytest.approx(3 * 3 / 5 + 2 * 4 / 5)
    assert MinimalDistortion().measure(release).value == 6 + 6
    assert AverageGroupSize(k=2).measure(release).value == 5 / 2 / 2
    for metric in (Discernibility(), Loss(), ILoss(), MinimalDistortion(), AverageGroupSize(k=2)):
        measured = metric.measure(release)
        assert measured.lowest is not None
        assert measured.highest is not None
        assert measured.lowest <= measured.value <= measured.highest


def test_intervals_of_numbers_cost_their_width() -> None:
    none = np.array([-1, -1])
    stats = attribute(covered=np.array([10.0, 30.0]), domain=40.0, climbed=none, root_climb=none, continuous=True)
    assert Loss().measure(published(stats)).value == pytest.approx((2 * 10 / 40 + 3 * 30 / 40) / 5)
    assert ILoss().measure(published(stats)).value == pytest.approx(2 * 10 / 40 + 3 * 30 / 40)
    assert MinimalDistortion().measure(published(stats)).value == 5


@pytest.mark.parametrize("continuous", [True, False])
def test_a_domain_of_one_value_costs_nothing(continuous: bool) -> None:
    width = 0.0 if continuous else 1.0
    stats = attribute(covered=np.array([width, width]), domain=width, continuous=continuous)
    assert Loss().measure(published(stats)).value == 0
    assert ILoss().measure(published(stats)).value == 0


def test_no_record() -> None:
    empty = PublishedStats(0, 0, GroupStats.from_sizes([]))
    assert Discernibility().measure(empty).value == 0
    assert AverageGroupSize().measure(empty).value == 0
    assert Loss().measure(empty).value == 0


def test_discernibility_of_huge_groups_is_exact() -> None:
    assert Discernibility().of_groups(GroupStats.from_sizes([5_000_000_000])) == 25 * 10**18


def test_weights_count_and_move_the_bounds() -> None:
    stats = attribute(covered=np.array([5.0, 5.0]))
    measured = ILoss(weights={"a": 3}).measure(published(stats))
    assert measured.value == pytest.approx(3 * 5 * 4 / 5)
    assert measured.highest == 15
    assert ILoss(weights={"a": 0}).measure(published(stats)).value == 0


@pytest.mark.parametrize("metric", [ILoss, MinimalDistortion])
@pytest.mark.parametrize("weights", [{"a": -1}, {"a": "x"}, {"a": float("inf")}, {"a": True}, 5, [1]])
def test_wrong_weights_are_refused(metric: type[ILoss] | type[MinimalDistortion], weights: object) -> None:
    with pytest.raises(sfumato.BadRequest, match="numbers >= 0") as caught:
        metric(weights=weights)  # type: ignore[arg-type]
    assert caught.value.parameter == f"{metric.id}.weights"


def test_search_metrics_do_not_measure_releases() -> None:
    policy = {
        "columns": {"a": {"role": "quasi-identifier"}},
        "requirements": [{"id": "k-anonymity", "k": 1}],
        "metrics": ["igpl"],
    }
    with pytest.raises(sfumato.BadRequest, match="not a release"):
        sfumato.Policy.of(policy)


# ---- search metrics ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "bits"), [([4, 4], 1.0), ([8, 0], 0.0), ([0, 0], 0.0), ([1, 1, 1, 1], 2.0), ([3, 1], 0.8112781244591328)]
)
def test_entropy(counts: list[int], bits: float) -> None:
    assert entropy(np.array(counts)) == pytest.approx(bits, abs=1e-15)


def test_information_gain_of_a_perfect_split_is_the_entropy() -> None:
    assert information_gain(np.array([5, 3]), np.array([[5, 0], [0, 3]])) == pytest.approx(entropy(np.array([5, 3])))
    assert information_gain(np.array([4, 2]), np.array([[2, 1], [2, 1]])) == pytest.approx(0, abs=1e-15)
    assert information_gain(np.array([4, 2]), np.array([[4, 2], [0, 0]])) == 0


def test_scores_weigh_gain_against_loss() -> None:
    gain, loss = np.array([0.5, 0.5]), np.array([0.0, 4.0])
    assert IGPL().score(gain, loss).tolist() == [0.5, 0.1]
    assert LossDecrease().score(gain, loss).tolist() == [0.5, 0.1]
    assert InfoGain().score(gain, loss).tolist() == [0.5, 0.5]
