"""Dimensionality reduction keeps squared distances in expectation, hides its columns, and refuses what it cannot do."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from oracles.naive_clustering import naive_stress
from sfumato.perturbations.drbt import DRBT, distances, projection, stress

ROWS = [(20 + i % 13, 50.0 + (7 * i) % 31, 150 + (11 * i) % 47, ("f", "m")[i % 2]) for i in range(50)]
NAMES = ("age", "weight", "height")


@pytest.fixture
def table() -> sfumato.Table:
    return sfumato.from_rows([*NAMES, "sex"], ROWS)


@pytest.mark.parametrize("law", ["gaussian", "sparse"])
@pytest.mark.parametrize("columns, dimensions", [(30, 8), (3, 2), (2, 1)])
def test_squared_distances_stay_in_expectation(law: str, columns: int, dimensions: int) -> None:
    rng = np.random.default_rng(5)
    point = rng.normal(size=columns)
    found = [
        float(np.sum((point @ projection(columns, dimensions, law, rng)) ** 2)) / float(point @ point)
        for _ in range(4000)
    ]
    near = 5 * np.std(found) / math.sqrt(len(found))
    assert abs(np.mean(found) - 1) < near
    assert near < 0.11


def test_columns_of_a_gaussian_matrix_have_one_length() -> None:
    lengths = np.linalg.norm(projection(7, 3, "gaussian", np.random.default_rng(1)), axis=0)
    assert lengths == pytest.approx([math.sqrt(7 / 3)] * 3)


def test_a_sparse_matrix_holds_three_values_and_never_nothing() -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        matrix = projection(2, 1, "sparse", rng)
        assert matrix.any()
        assert len(np.unique(np.abs(matrix[matrix != 0]).round(12))) == 1


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(*[st.integers(-50, 50)] * 3), min_size=2, max_size=12, unique=True),
    st.integers(0, 2**32),
)
def test_stress_against_the_definition(points: list[tuple[int, int, int]], seed: int) -> None:
    reduced = np.array(points) @ projection(3, 2, "gaussian", np.random.default_rng(seed))
    assert stress(points, reduced) == pytest.approx(naive_stress(points, reduced.tolist()))
    assert stress(points, points) == 0


def test_stress_of_many_records_is_that_of_all_pairs() -> None:
    rng = np.random.default_rng(2)
    before = rng.normal(size=(700, 3))  # more than one block
    after = before @ projection(3, 2, "sparse", rng)
    d, shown = np.array(distances(before)), np.array(distances(after))
    assert stress(before, after) == pytest.approx(((shown - d) ** 2).sum() / (d**2).sum())
    relative = stress(before, after, relative_to="reduced")
    assert relative == pytest.approx(((shown - d) ** 2).sum() / (shown**2).sum())


def test_what_is_published(table: sfumato.Table) -> None:
    made = sfumato.perturb(table, {"id": "drbt", "columns": list(NAMES), "dimensions": 2}, seed=3)
    assert made.table.columns == ("mixture 1", "mixture 2", "sex")
    assert [row[2] for row in made.table.to_rows()] == [row[3] for row in ROWS]
    told = json.dumps(made.statement)
    assert "no k-anonymity" in told
    assert "seed" not in json.dumps(made.statement["steps"][0]["facts"])
    assert "stress" not in told
    (step,) = made.steps
    numbers = np.array([row[:3] for row in ROWS], np.float64)
    scaled = (numbers - numbers.mean(0)) / numbers.std(0)
    shown = np.array([row[:2] for row in made.table.to_rows()])
    assert step.private["stress"] == pytest.approx(naive_stress(scaled.tolist(), shown.tolist()))
    assert step.private["stress_records"] == 50


def test_the_mixtures_are_linear_in_the_columns() -> None:
    rng = np.random.default_rng(8)
    numbers = rng.normal(size=(40, 4))
    table = sfumato.from_rows(list("abcd"), [tuple(map(float, row)) for row in numbers])
    made = DRBT(columns=tuple("abcd"), dimensions=2, standardize=False).apply(table, np.random.default_rng(1))
    shown = np.column_stack([made.columns[name] for name in made.columns])
    found, left, rank, _ = np.linalg.lstsq(numbers, shown, rcond=None)
    assert rank == 4
    assert np.allclose(numbers @ found, shown)
    assert np.allclose(left, 0)


def test_known_records_locate_the_others(table: sfumato.Table) -> None:
    """The weakness that the page of weaknesses names: a few known records give the map away."""
    made = sfumato.perturb(table, DRBT(columns=NAMES, dimensions=2, standardize=False), seed=3)
    shown = np.array([row[:2] for row in made.table.to_rows()])
    raw = np.array([row[:3] for row in ROWS], np.float64)
    known = [0, 9, 17, 30, 44]
    found = np.linalg.lstsq(raw[known], shown[known], rcond=None)[0]
    assert np.allclose(raw @ found, shown)


def test_large_tables_are_compared_by_a_sample() -> None:
    rng = np.random.default_rng(4)
    table = sfumato.from_rows(["a", "b"], [(float(x), float(y)) for x, y in rng.normal(size=(2500, 2))])
    made = DRBT(columns=("a", "b"), dimensions=1).apply(table, np.random.default_rng(0))
    assert made.private["stress_records"] == 2000
    assert 0 < made.private["stress"] < 1


@pytest.mark.parametrize(
    "asked, words",
    [
        ({"columns": ["age", "weight"], "dimensions": 2}, "less than the number of columns"),
        ({"columns": ["age", "weight"], "dimensions": 0}, ">= 1"),
        ({"columns": ["age"], "dimensions": 1}, "less than the number of columns"),
        ({"columns": ["age", "age"], "dimensions": 1}, "twice"),
        ({"columns": ["age", "sex"], "dimensions": 1}, "needs numbers"),
        ({"columns": ["age", "none"], "dimensions": 1}, "not a column"),
        ({"columns": ["age", "weight"], "dimensions": 1, "law": "uniform"}, "choices"),
    ],
)
def test_refusals(table: sfumato.Table, asked: dict[str, object], words: str) -> None:
    with pytest.raises(sfumato.BadRequest, match=words):
        sfumato.perturb(table, {"id": "drbt", **asked}, seed=1)


@pytest.mark.parametrize(
    "rows, options, words",
    [
        ([(1, 2), (1, 2)], {}, "all records are equal"),
        ([(1, 2), (1, 3)], {}, "constant"),
        ([(1, 2), (None, 3)], {}, "missing"),
        ([(1, 2), (2, 3)], {"prefix": "mixture"}, "already a column"),
    ],
)
def test_tables_it_cannot_take(rows: list[tuple[int, ...]], options: dict[str, str], words: str) -> None:
    taken = "mixture 1" if options else "c"
    table = sfumato.from_rows(["a", "b", taken], [(*row, 0) for row in rows])
    with pytest.raises(sfumato.BadRequest, match=words):
        DRBT(columns=("a", "b"), dimensions=1, **options).apply(table, np.random.default_rng(0))  # type: ignore[arg-type]


def test_stress_refuses_what_has_no_distances() -> None:
    with pytest.raises(sfumato.BadRequest, match="all records are equal"):
        stress([[1, 2], [1, 2]], [[1], [1]])
    with pytest.raises(sfumato.BadRequest, match="same records"):
        stress([[1, 2], [1, 3]], [[1]])
    with pytest.raises(sfumato.BadRequest, match="choices"):
        stress([[1], [2]], [[1], [2]], relative_to="mean")  # type: ignore[arg-type]
