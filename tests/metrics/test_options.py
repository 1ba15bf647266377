"""Options of metrics at the ends, and the contracts of metrics that score the steps of a search."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any, ClassVar

import numpy as np
import pytest

import sfumato
from sfumato.contracts.metric import Coarsening, CoarseningMetric, Measured, MetricTraits
from sfumato.data.tree import Tree
from sfumato.groups.published import AttributeStats, PublishedStats
from sfumato.groups.stats import GroupStats
from sfumato.metrics import (
    ILPG,
    AverageGroupSize,
    ClassificationMetric,
    DiscernibilityIncrease,
    DistinctiveAttribute,
    Loss,
    MinimalDistortion,
    NonUniformEntropy,
    NormalizedCertaintyPenalty,
    Precision,
)
from sfumato.metrics.aggregation import factors, relative_weights
from sfumato.metrics.discernibility import sum_of_squares
from sfumato.testing.check_metric import check_metric


@pytest.mark.parametrize(
    ("x", "wanted"), [(0.0, (1.0, 0.0)), (0.25, (1.0, 0.5)), (0.5, (1.0, 1.0)), (0.75, (0.5, 1.0)), (1.0, (0.0, 1.0))]
)
def test_factors(x: float, wanted: tuple[float, float]) -> None:
    assert factors(x) == pytest.approx(wanted)


def test_weights_of_nothing() -> None:
    assert relative_weights({"a": 0.0}, {"a": 1}) == {"a": 0.0}
    assert relative_weights(None, {}) == {}


@pytest.mark.parametrize("metric", [Loss, Precision, NonUniformEntropy, NormalizedCertaintyPenalty])
@pytest.mark.parametrize("weights", [{"a": -1}, {"a": "x"}, {"a": float("inf")}, 5])
def test_wrong_weights_are_refused(metric: Any, weights: object) -> None:
    with pytest.raises(sfumato.BadRequest, match="numbers >= 0") as caught:
        metric(weights=weights)
    assert caught.value.parameter == f"{metric.id}.weights"


def test_normalised_needs_two_different_bounds() -> None:
    assert Measured("m", 2.0, lowest=1.0, highest=3.0).normalised == 0.5
    for bounds in (
        {},
        {"lowest": 1.0},
        {"highest": 1.0},
        {"lowest": 2.0, "highest": 2.0},
        {"lowest": 0.0, "highest": inf},
    ):
        assert Measured("m", 2.0, **bounds).normalised is None


def test_no_group_and_no_weight_for_groups() -> None:
    groups = GroupStats.from_sizes([2, 3])
    assert AverageGroupSize(variant="arx", gs_factor=0).measure(PublishedStats(5, 0, groups)).value == inf
    assert AverageGroupSize(variant="arx").measure(PublishedStats(6, 1, groups)).value == 2
    nobody = PublishedStats(0, 0, GroupStats.from_histograms({}, "class"), target="class")
    assert ClassificationMetric().measure(nobody).value == 0
    all_gone = PublishedStats(4, 4, GroupStats.from_histograms({}, "class"), target="class")
    assert ClassificationMetric().measure(all_gone).value == 1


def test_arx_charges_ties_whole() -> None:
    groups = GroupStats.from_histograms([{"x": 2, "y": 2}, {"x": 3, "y": 1}], "class")
    published = PublishedStats(10, 2, groups, target="class")
    assert ClassificationMetric().measure(published).value == pytest.approx((2 + 1 + 2) / 10)
    assert ClassificationMetric(variant="arx").measure(published).value == pytest.approx((4 + 1 + 2 * 0.5) / 10)


def test_penalty_multiplies_value_and_bound() -> None:
    stats = AttributeStats(
        "a", np.array([2, 3]), np.array([0, 1]), np.array([1.0, 4.0]), 5.0, np.array([0, 2]), np.array([3, 3])
    )
    published = PublishedStats(5, 0, GroupStats.from_sizes([2, 3]), {"a": stats})
    once, tenfold = (MinimalDistortion(penalty=price).measure(published) for price in (1, 10))
    assert (once.value, once.highest) == (6, 15)
    assert (tenfold.value, tenfold.highest) == (60, 150)
    with pytest.raises(sfumato.BadRequest, match="> 0"):
        MinimalDistortion(penalty=0)


def test_precision_is_level_over_height_in_balanced_trees() -> None:
    leaves: list[Any] = [{f"{a}": [{f"{a}{b}": [f"{a}{b}{c}" for c in "01"]} for b in "01"]} for a in "01"]
    tree = Tree.from_nested({"root": leaves})
    table = sfumato.from_rows(["code"], [(leaf,) for leaf in tree.leaves])
    for level in range(4):
        release = sfumato.recode(table, {"code": {"id": "full-domain-generalization", "level": level}}, {"code": tree})
        assert sfumato.measure(table, release, "precision").value == pytest.approx(level / 3)


def test_sums_of_squares_are_exact() -> None:
    assert sum_of_squares(np.array([], np.int64)) == 0
    assert sum_of_squares(np.array([3_000_000_000, 1])) == 9 * 10**18 + 1
    assert sum_of_squares(np.array([2**30] * 3)) == 3 * 2**60


@pytest.mark.parametrize(
    "metric", [ILPG(), DiscernibilityIncrease(), DiscernibilityIncrease(mode="seed-literal"), DistinctiveAttribute()]
)
def test_search_contracts_hold(metric: Any) -> None:
    check_metric(metric, np.random.default_rng(4))


class Backwards(CoarseningMetric):
    """A higher gain makes the score worse."""

    id: ClassVar[str] = "ilpg"
    traits: ClassVar[MetricTraits] = MetricTraits(better="lower")

    def cost(self, step: Coarsening) -> float:
        return float(step.coarser.sum())

    def score(self, cost: Any, anonymity_gain: Any) -> Any:
        return cost * (1 + anonymity_gain)


def test_a_score_that_runs_backwards_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sfumato.testing.check_metric.check_thing", lambda metric: None)
    with pytest.raises(AssertionError, match="gaining more anonymity never raises the score"):
        check_metric(Backwards(), np.random.default_rng(4))


def test_ties_and_infinite_scores() -> None:
    cost, none = np.array([0.3, 0.1, 0.1]), np.zeros(3)
    assert ILPG().best(cost, none) == 1
    assert ILPG().best(cost, np.array([4.0, 0.0, 0.0])) == 0
    assert ILPG().best(np.array([0.2, 0.1]), np.array([2.0, 1.0])) == 1  # equal scores: the smaller loss
    with pytest.raises(sfumato.BadRequest, match="at least one attribute"):
        DistinctiveAttribute().choose({})
    distinct: Mapping[str, int] = {"b": 3, "a": 3}
    assert DistinctiveAttribute().choose(distinct) == "b"


def test_a_node_above_a_single_leaf_costs_what_the_leaf_costs() -> None:
    """Who reads it knows the value; the docstring says that this is the definition taken."""
    job = Tree.from_nested({"ANY": [{"Law": ["Lawyer"]}, {"Artist": ["Dancer", "Writer"]}]})
    penalty = NormalizedCertaintyPenalty()
    assert [penalty.of_value(job, label) for label in ("Lawyer", "Law", "Artist")] == [0.0, 0.0, 2 / 3]
    assert "single leaf costs 0" in " ".join((NormalizedCertaintyPenalty.__doc__ or "").split())
