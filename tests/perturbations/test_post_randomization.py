"""PRAM: transitions have their probabilities, counts are estimated without bias, the invariant form keeps them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sfumato
from sfumato.perturbations import PostRandomization
from sfumato.perturbations.post_randomization import invariant_matrix

MATRIX = {"a": {"a": 0.7, "b": 0.2, "c": 0.1}, "b": {"a": 0.1, "b": 0.9}, "c": {"b": 0.3, "c": 0.7}}
COUNTS = {"a": 9000, "b": 5000, "c": 1000}
TABLE = sfumato.from_rows(["x"], [(name,) for name, count in COUNTS.items() for _ in range(count)])


def drawn(asked: PostRandomization, seed: int = 2) -> list[str]:
    return asked.apply(TABLE, np.random.default_rng(seed)).values("x")


def test_transitions_have_their_probabilities(shares: Callable[..., None]) -> None:
    asked = PostRandomization(column="x", matrix=MATRIX)
    new, at = drawn(asked), 0
    for name, count in COUNTS.items():
        went = Counter(new[at : at + count])
        possible = [to for to, p in MATRIX[name].items() if p > 0]
        assert set(went) <= set(possible)
        shares([went[to] for to in possible], [MATRIX[name][to] * count for to in possible])
        at += count


def test_keep_spreads_the_rest_evenly(shares: Callable[..., None]) -> None:
    went = Counter(drawn(PostRandomization(column="x", keep=0.4))[: COUNTS["a"]])
    shares([went[name] for name in "abc"], [0.4 * 9000, 0.3 * 9000, 0.3 * 9000])
    assert drawn(PostRandomization(column="x", keep=1.0)) == [value for (value,) in TABLE.to_rows()]


def test_estimates_are_unbiased(near: Callable[..., None]) -> None:
    asked = PostRandomization(column="x", matrix=MATRIX)
    estimates = [asked.estimate(Counter(drawn(asked, seed))) for seed in range(60)]
    for name, count in COUNTS.items():
        found = np.array([estimate[name] for estimate in estimates])
        near(found.mean(), count, found.std(ddof=1) / 60**0.5)
        assert sum(estimates[0].values()) == pytest.approx(15_000)
    # The published counts themselves are far off, so the estimate does something.
    assert abs(Counter(drawn(asked))["b"] - COUNTS["b"]) > 1000


def test_estimating_expected_counts_is_exact() -> None:
    asked = PostRandomization(column="x", matrix=MATRIX)
    published = np.array(list(COUNTS.values())) @ asked.transition(list(COUNTS))
    found = asked.estimate(dict(zip(COUNTS, published.tolist(), strict=True)))
    assert found == pytest.approx(COUNTS)


def test_the_invariant_form_keeps_counts_in_expectation(near: Callable[..., None]) -> None:
    asked = PostRandomization(column="x", matrix=MATRIX, invariant=True)
    made = asked.apply(TABLE, np.random.default_rng(1))
    both = np.array(made.private["matrix"])
    counts = np.array(list(COUNTS.values()))
    assert both.sum(axis=1) == pytest.approx(np.ones(3))
    assert counts @ both == pytest.approx(counts)
    assert "matrix" not in made.facts, "the matrix tells the counts of the original"
    runs = [Counter(drawn(asked, seed)) for seed in range(60)]
    for name, count in COUNTS.items():
        found = np.array([run[name] for run in runs], float)
        near(found.mean(), count, found.std(ddof=1) / 60**0.5)
    assert asked.estimate({"a": 10, "b": 20, "c": 0}) == {"a": 10.0, "b": 20.0, "c": 0.0}


def test_invariance_with_categories_that_do_not_occur() -> None:
    probabilities = np.array([[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.0, 0.0, 1.0]])
    both = invariant_matrix(probabilities, np.array([4, 6, 0]))
    assert np.array([4, 6, 0]) @ both == pytest.approx([4, 6, 0])
    assert both.sum(axis=1) == pytest.approx(np.ones(3))


def test_the_worked_example_of_the_invariant_form() -> None:
    """30 and 70 records, 0.8 stays: Q turns back what P did, row by row as Bayes says, so that t P Q = t."""
    stays = np.array([[0.8, 0.2], [0.2, 0.8]])
    back = np.array([[0.631579, 0.368421], [0.096774, 0.903226]])
    counts = np.array([30, 70])
    both = invariant_matrix(stays, counts)
    assert both == pytest.approx(stays @ back, abs=1e-6)
    assert counts @ both == pytest.approx(counts)


def test_declared_categories_may_be_drawn_in_their_type() -> None:
    table = sfumato.from_rows(["grade"], [(1,), (2,), (1,), (None,)])
    asked = PostRandomization(column="grade", keep=0.0, categories=(1, 2, 3), missing="keep")
    new = asked.apply(table, np.random.default_rng(1)).values("grade")
    assert new[3] is None
    assert all(a != b and b in (1, 2, 3) for (a,), b in zip(table.to_rows()[:3], new[:3], strict=True))
    made = sfumato.perturb(table, asked, seed=1)
    assert made.table.types == table.types


def test_a_matrix_without_inverse_estimates_nothing() -> None:
    with pytest.raises(sfumato.BadRequest, match="no inverse"):
        PostRandomization(column="x", keep=0.5).estimate({"yes": 3, "no": 5})


def test_one_category_stays() -> None:
    table = sfumato.from_rows(["x"], [("a",), ("a",)])
    assert PostRandomization(column="x", keep=0.0).apply(table, np.random.default_rng(1)).values("x") == ["a", "a"]


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({}, "either keep or matrix"),
        ({"keep": 0.5, "matrix": MATRIX}, "either keep or matrix"),
        ({"keep": 1.2}, r"keep: must be >= 0 and <= 1"),
        ({"matrix": {"a": {"a": 0.5}}}, "sum to 1"),
        ({"matrix": {"a": {"a": 1.5, "b": -0.5}, "b": {"b": 1.0}}}, "sum to 1"),
        ({"matrix": {"a": {"z": 1.0}}}, "without a row"),
        ({"matrix": {"a": 1.0}}, "a row of probabilities"),
        ({"matrix": MATRIX, "categories": ("a", "b")}, "those of the matrix"),
        ({"keep": 0.5, "categories": ("a", "a")}, "each category once"),
    ],
)
def test_wrong_parameters(asked: dict[str, Any], words: str) -> None:
    with pytest.raises(sfumato.BadRequest, match=words):
        PostRandomization(column="x", **asked)


def test_values_that_are_not_declared() -> None:
    with pytest.raises(sfumato.BadRequest, match="1 category of the column is not declared"):
        PostRandomization(column="x", keep=0.5, categories=("a", "b")).apply(TABLE, np.random.default_rng(1))
    asked = PostRandomization(column="n", keep=0.5, categories=("1", "two"))
    with pytest.raises(sfumato.BadRequest, match="no integer"):
        asked.apply(sfumato.from_rows(["n"], [(1,)]), np.random.default_rng(1))
    with pytest.raises(sfumato.BadRequest, match="not a category"):
        PostRandomization(column="x", matrix=MATRIX).estimate({"z": 1})


def test_every_stratum_keeps_its_counts_in_expectation() -> None:
    rows = [("north", "a")] * 90 + [("north", "b")] * 10 + [("south", "a")] * 5 + [("south", "b")] * 95
    table = sfumato.from_rows(["where", "what"], rows)
    asked = PostRandomization(column="what", keep=0.5, invariant=True, strata=("where",))
    runs = [asked.apply(table, np.random.default_rng(seed)).values("what") for seed in range(300)]
    north = np.mean([drawn[:100].count("a") for drawn in runs])
    south = np.mean([drawn[100:].count("a") for drawn in runs])
    # Each count varies by at most 5 from run to run, so its mean by less than 0.3.
    assert north == pytest.approx(90, abs=1)
    assert south == pytest.approx(5, abs=1)
    for spec, said in (({"strata": ("where",)}, "invariant"), ({"strata": ("what",), "invariant": True}, "itself")):
        with pytest.raises(sfumato.BadRequest, match=said):
            PostRandomization(column="what", keep=0.5, **spec)  # type: ignore[arg-type]
