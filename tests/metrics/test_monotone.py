"""Whether merging groups can only raise a cost may depend on the parameters: then each instance has its own claim."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from sfumato.catalogue import build
from sfumato.groups.published import PublishedStats
from sfumato.groups.stats import GroupStats
from sfumato.metrics import ClassificationMetric, KLDivergence
from sfumato.testing.check_metric import check_metric


def classes(*groups: dict[str, int]) -> PublishedStats:
    """Return groups with the classes of their records."""
    return PublishedStats(
        sum(sum(group.values()) for group in groups), 0, GroupStats.from_histograms(list(groups), "c"), target="c"
    )


@pytest.mark.parametrize(
    ("gs_factor", "first", "second"),
    [
        # The tie, all of which is charged, is resolved by one more record.
        (0.5, {"Y": 1, "N": 1}, {"Y": 1}),
        (1.0, {"Y": 1, "N": 1}, {"Y": 1}),
        # A tie comes about, and costs nothing.
        (0.0, {"Y": 2, "N": 1}, {"N": 1}),
    ],
)
def test_a_merge_lowers_the_classification_metric_of_arx(
    gs_factor: float, first: dict[str, int], second: dict[str, int]
) -> None:
    merged = {name: first.get(name, 0) + second.get(name, 0) for name in first | second}
    arx, literature = ClassificationMetric(variant="arx", gs_factor=gs_factor), ClassificationMetric()
    assert arx.measure(classes(merged)).value < arx.measure(classes(first, second)).value
    assert literature.measure(classes(merged)).value >= literature.measure(classes(first, second)).value


def covering(sizes: Sequence[int], cover: Sequence[float], group: Sequence[int]) -> PublishedStats:
    """Return 4, 2 and 2 records of three raw values out of six, in groups that cover some of the six."""
    return PublishedStats(
        8,
        0,
        GroupStats.from_sizes(list(sizes)),
        group_cover=np.array([[float(cells)] for cells in cover]),
        cover_domain=np.array([6.0]),
        raw_sizes=np.array([4, 2, 2]),
        raw_group=np.array(group),
    )


def test_a_merge_lowers_the_divergence_of_arx() -> None:
    """Four equal records stand for four values, then for six with two denser ones among them."""
    apart, merged = covering([4, 4], [4, 2], [0, 1, 1]), covering([8], [6], [0, 0, 0])
    arx, literature = KLDivergence(variant="arx"), KLDivergence()
    assert arx.measure(apart).value == pytest.approx(16 * np.log2(4) / 8)
    assert arx.measure(merged).value == pytest.approx((16 * np.log2(3) + 8 * np.log2(1.5)) / 8)
    assert arx.measure(merged).value < arx.measure(apart).value
    assert literature.measure(merged).value >= literature.measure(apart).value


@pytest.mark.parametrize("name", ["classification-metric", "kl-divergence"])
def test_the_claim_is_that_of_the_variant(name: str) -> None:
    arx, literature = (build({"id": name, "variant": variant}, "metric") for variant in ("arx", "literature"))
    assert not arx.traits.monotone_under_merge
    assert not arx.rises_under_merge()
    assert literature.traits.monotone_under_merge
    assert literature.rises_under_merge()
    assert type(arx).traits.monotone_under_merge, "the class keeps the claims of its default parameters"
    assert arx.traits.needs_target == literature.traits.needs_target
    assert arx.spec() == {"id": name, "variant": "arx"}


@pytest.mark.parametrize(
    "spec",
    [
        {"id": "classification-metric", "variant": "arx"},
        {"id": "classification-metric", "variant": "arx", "gs_factor": 0.0},
        {"id": "classification-metric", "variant": "arx", "gs_factor": 1.0},
        {"id": "average-group-size", "variant": "arx"},
        {"id": "non-uniform-entropy", "variant": "arx"},
        {"id": "non-uniform-entropy", "variant": "monotone"},
        {"id": "precision", "variant": "monotone"},
        {"id": "discernibility", "variant": "monotone"},
    ],
)
def test_variants_keep_the_common_promises(spec: dict[str, Any]) -> None:
    check_metric(build(spec, "metric"), np.random.default_rng(20))
