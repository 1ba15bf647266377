"""Groups along the first component: the worked example, sizes, and what few extreme records change."""

from __future__ import annotations

import numpy as np
import pytest

import sfumato
from sfumato.perturbations import Microaggregation
from sfumato.perturbations.projected_groups import clusters_of, first_component, standardised

RNG = np.random.default_rng
ROWS = [(1, 2), (2, 1), (3, 5), (4, 4)]


def test_the_worked_example_of_the_method() -> None:
    scores = first_component(np.array(ROWS, float))
    assert scores.tolist() == pytest.approx([-1.209, -1.048, 1.048, 1.209], abs=5e-4)
    made = Microaggregation(columns=("a", "b"), k=2, method="pca").apply(sfumato.from_rows(["a", "b"], ROWS), RNG(1))
    assert list(zip(made.values("a"), made.values("b"), strict=True)) == [
        (1.5, 1.5),
        (1.5, 1.5),
        (3.5, 4.5),
        (3.5, 4.5),
    ]


@pytest.mark.parametrize("method", ["pca", "robust", "clustered"])
def test_every_published_combination_stands_for_k_records(method: str) -> None:
    points = np.vstack([RNG(1).normal(size=(70, 3)), RNG(2).normal(8, 1, size=(33, 3))])
    table = sfumato.from_rows(["a", "b", "c"], [tuple(map(float, row)) for row in points])
    asked = Microaggregation(columns=("a", "b", "c"), k=5, method=method, clusters=4)
    made = asked.apply(table, RNG(1))
    published = list(zip(*(made.values(name) for name in "abc"), strict=True))
    sizes = [published.count(row) for row in set(published)]
    assert min(sizes) >= 5
    assert max(sizes) < 10
    for at, name in enumerate("abc"):
        assert sum(made.values(name)) == pytest.approx(points[:, at].sum())  # type: ignore[arg-type]


def test_clusters_are_found_where_they_are_and_none_is_small() -> None:
    points = np.vstack([RNG(1).normal(size=(40, 2)), RNG(2).normal(50, 1, size=(40, 2)), [[500.0, 500.0]]])
    clusters = clusters_of(points, 3, 5)
    assert len(set(clusters[:40])) == 1
    assert len(set(clusters[40:80])) == 1
    assert min(np.bincount(clusters)) >= 5


def test_few_extreme_records_do_not_decide_a_robust_direction() -> None:
    line = np.column_stack([np.arange(50.0), RNG(1).normal(size=50)])
    far = np.vstack([line, [[25.0, 1e6], [25.0, -1e6]]])
    assert np.abs(standardised(far, robust=True)[:50, 1]).max() > 1
    assert np.abs(standardised(far)[:50, 1]).max() < 0.01
    assert (standardised(np.ones((4, 2))) == 0).all()
