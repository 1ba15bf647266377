"""Microaggregation: groups keep their sizes and means."""

from __future__ import annotations

from statistics import fmean, median
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from sfumato.perturbations import Microaggregation
from sfumato.perturbations.microaggregation import aggregate, groups_of_neighbours

RNG = np.random.default_rng


def averaged(values: list[Any], **asked: Any) -> list[Any]:
    table = sfumato.from_rows(["x"], [(value,) for value in values])
    return Microaggregation(columns=("x",), **asked).apply(table, RNG(1)).values("x")


@given(values=st.lists(st.integers(-1000, 1000), min_size=1, max_size=40), k=st.integers(1, 8))
@settings(max_examples=150, deadline=None, derandomize=True)
def test_against_a_naive_twin(values: list[int], k: int) -> None:
    if k > len(values):
        with pytest.raises(sfumato.BadRequest, match="at most the number of values"):
            averaged(values, k=k)
        return
    order = sorted(range(len(values)), key=values.__getitem__)
    groups = [order[start : start + k] for start in range(0, len(order), k)]
    if len(groups[-1]) < k:
        last = groups.pop()
        groups[-1] += last
    for statistic, of in (("mean", fmean), ("median", median)):
        new = averaged(values, k=k, statistic=statistic)
        for group in groups:
            assert [new[at] for at in group] == pytest.approx([of([values[at] for at in group])] * len(group))
    assert sum(averaged(values, k=k)) == pytest.approx(sum(values), abs=1e-6)


def test_group_sizes() -> None:
    sizes = np.bincount(groups_of_neighbours(RNG(1).normal(size=103), 10))
    assert sizes.tolist() == [10] * 9 + [13]


def test_given_groups_keep_size_and_mean() -> None:
    rows = [("a", 1, 10.0), ("a", 3, 20.0), ("b", 5, 40.0), ("b", 7, 60.0), ("b", 9, 80.0)]
    table = sfumato.from_rows(["g", "x", "y"], rows)
    made = sfumato.perturb(table, Microaggregation(columns=("x", "y"), by=("g",), k=2), seed=1)
    assert made.table.to_rows() == [("a", 2.0, 15.0)] * 2 + [("b", 7.0, 60.0)] * 3
    assert made.table.groups(["g"]).as_dict() == table.groups(["g"]).as_dict()
    assert made.steps[0].facts == {"smallest_group": {"x": 2, "y": 2}, "groups": {"x": 2, "y": 2}}
    with pytest.raises(sfumato.BadRequest, match="1 of 2 groups hold fewer than 3"):
        Microaggregation(columns=("x",), by=("g",), k=3).apply(table, RNG(1))


def test_large_numbers_lose_no_digits() -> None:
    assert aggregate(np.array([1e15 + 1, 1e15 + 3]), np.array([0, 0])).tolist() == [1e15 + 2] * 2


def test_missing_and_decimals() -> None:
    with pytest.raises(sfumato.BadRequest, match="1 missing value;"):
        averaged([1, 2, None], k=2)
    new = averaged([1, 2, None, 2], k=3, missing="keep", decimals=1)
    assert new[0] == new[1] == new[3] == 1.7
    assert np.isnan(new[2])
    table = sfumato.from_rows(["x"], [(1,), (None,), (2,)])
    made = sfumato.perturb(table, Microaggregation(columns=("x",), k=2, missing="keep"), seed=1)
    assert made.table.to_rows() == [(1.5,), (None,), (1.5,)]


def test_wrong_requests() -> None:
    with pytest.raises(sfumato.BadRequest, match=r"k: must be >= 1"):
        averaged([1], k=0)
    with pytest.raises(sfumato.BadRequest, match="needs numbers"):
        averaged(["a", "b"], k=1)
    with pytest.raises(sfumato.BadRequest, match="cannot make groups"):
        Microaggregation(columns=("x",), by=("x",), k=2)


def test_what_is_kept_depends_on_the_statistic() -> None:
    assert "exactly" in Microaggregation(columns=("x",), k=2)._keeps()[1]
    assert "rounding" in Microaggregation(columns=("x",), k=2, decimals=0)._keeps()[1]
    assert "mean" not in "".join(Microaggregation(columns=("x",), k=2, statistic="median")._keeps())


# ---- all columns together ------------------------------------------------------------------------------------------------

MIXED = [(30, "Cook", "x"), (61, "Dancer", "y"), (34, "Smith", "x"), (59, "Writer", "y"), (66, "Writer", "x")]
JOB = {"value": "any", "children": [{"value": "craft", "children": [{"value": "Cook"}, {"value": "Smith"}]},
                                    {"value": "art", "children": [{"value": "Dancer"}, {"value": "Writer"}]}]}  # fmt: skip


@pytest.mark.parametrize("method", ["mdav", "v-mdav"])
@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_groups_in_all_columns_keep_means_and_number_k(method: str, engine: str) -> None:
    numbers = RNG(4).normal(size=(83, 3)).round(2)
    table = sfumato.from_rows(["a", "b", "c"], [tuple(row) for row in numbers.tolist()])
    table = sfumato.read(table.to_native(), engine=engine)
    asked = Microaggregation(columns=("a", "b", "c"), k=4, method=method, gamma=1.1)
    made = sfumato.perturb(table, asked, seed=1)
    rows = np.array(made.table.to_rows())
    assert rows.mean(axis=0) == pytest.approx(numbers.mean(axis=0))
    step = made.steps[0]
    sizes = np.unique(rows, axis=0, return_counts=True)[1]
    assert (len(sizes), sizes.min(), sizes.max()) == tuple(
        step.facts[name] for name in ("groups", "smallest_group", "largest_group")
    )
    assert 4 <= sizes.min() <= sizes.max() <= 7
    scaled = numbers / np.ptp(numbers, axis=0)
    assert step.private["sse"] == pytest.approx((((rows - numbers) / np.ptp(numbers, axis=0)) ** 2).sum())
    assert step.private["sst"] == pytest.approx(((scaled - scaled.mean(axis=0)) ** 2).sum())
    verdict = sfumato.check(made.table, [{"id": "k-anonymity", "k": 4}], qid=["a", "b", "c"])
    assert verdict.satisfied


def test_mixed_columns_by_gower_distance() -> None:
    table = sfumato.from_rows(["age", "job", "town"], MIXED)
    asked = Microaggregation(columns=("age", "job", "town"), k=2, method="mdav", distance="gower", trees={"job": JOB})
    made = sfumato.perturb(table, asked, seed=1)
    assert made.table.to_rows() == [(32.0, "Cook", "x"), (62.0, "Writer", "y")] * 2 + [(62.0, "Writer", "y")]
    median = sfumato.perturb(table, {**asked.spec(), "statistic": "median"}, seed=1)
    assert median.table.to_rows()[1] == (61.0, "Writer", "y")
    assert made.steps[0].private == {}


def test_trees_of_numbers_make_them_categories() -> None:
    table = sfumato.from_rows(["level"], [(1,), (1,), (2,), (3,), (3,)])
    tree = {"any": [{"low": ["1", "2"]}, {"high": ["3"]}]}
    asked = Microaggregation(columns=("level",), k=2, method="mdav", distance="gower", trees={"level": tree})
    assert asked.apply(table, RNG(1)).values("level") == [1, 1, 1, 3, 3]


def test_wrong_requests_for_groups_in_all_columns() -> None:
    table = sfumato.from_rows(["age", "job", "town"], MIXED)

    def ask(**more: Any) -> Microaggregation:
        return Microaggregation(**{"columns": ("age", "job"), "k": 2, "method": "mdav", **more})

    with pytest.raises(sfumato.BadRequest, match="needs numbers"):
        ask().apply(table, RNG(1))
    with pytest.raises(sfumato.BadRequest, match="given or found"):
        ask(by=("town",))
    with pytest.raises(sfumato.BadRequest, match="no place among the others"):
        ask(missing="keep")
    with pytest.raises(sfumato.BadRequest, match="for groups by nearness"):
        ask(method="single", distance="gower")
    with pytest.raises(sfumato.BadRequest, match="for gower distances"):
        ask(trees={"job": JOB})
    with pytest.raises(sfumato.BadRequest, match="is not one of the columns"):
        ask(distance="gower", trees={"town": JOB})
    with pytest.raises(sfumato.BadRequest, match="must map columns"):
        ask(distance="gower", trees=[JOB])
    with pytest.raises(sfumato.BadRequest, match="no leaf"):
        ask(distance="gower", trees={"job": {"any": ["Cook"]}}).apply(table, RNG(1))
    with pytest.raises(sfumato.BadRequest, match="at most the number of values, 5"):
        ask(distance="gower", k=6).apply(table, RNG(1))
    with pytest.raises(sfumato.BadRequest, match=r"gamma: must be >= 0"):
        ask(gamma=-1)
    with pytest.raises(sfumato.BadRequest, match="1 missing value"):
        ask(distance="gower").apply(sfumato.from_rows(["age", "job"], [(1, "a"), (2, None), (3, "b")]), RNG(1))
    with pytest.raises(sfumato.BadRequest, match="1 missing value"):
        ask(columns=("age",)).apply(sfumato.from_rows(["age"], [(1,), (None,), (3,)]), RNG(1))
