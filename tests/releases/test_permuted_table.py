"""Permuted releases: multisets and aggregates of every group are exact, values leave their records."""

from __future__ import annotations

from collections import Counter, defaultdict
from math import fsum
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from sfumato.errors import BadRequest
from sfumato.models import KEAnonymity
from sfumato.releases import PermutedTable

NUMBERS = st.one_of(st.integers(-50, 50), st.floats(-1e6, 1e6, allow_nan=False))


@given(
    records=st.lists(st.tuples(st.integers(1, 3), st.integers(20, 24), NUMBERS), min_size=1, max_size=20),
    seed=st.integers(0, 3),
)
def test_groups_keep_values_and_aggregates(records: list[Any], seed: int) -> None:
    whole = all(isinstance(row[2], int) for row in records)
    values = [row[2] if whole else float(row[2]) for row in records]
    numbers = [row[0] for row in records]
    table = sfumato.from_rows(["Age", "Income"], [(row[1], value) for row, value in zip(records, values, strict=True)])
    made = PermutedTable.build(table, numbers, ["Age"], "Income", np.random.default_rng(seed))
    again = PermutedTable.build(table, numbers, ["Age"], "Income", np.random.default_rng(seed))
    assert made.tables["data"].to_rows() == again.tables["data"].to_rows()
    held: dict[int, list[float]] = defaultdict(list)
    for group, value in zip(numbers, values, strict=True):
        held[group].append(value)
    rows = made.tables["data"].to_rows()
    assert Counter(row[:2] for row in rows) == Counter((row[1], row[0]) for row in records)
    assert Counter(row[1:] for row in rows) == Counter(zip(numbers, values, strict=True))
    for group, count, total, low, high in made.tables["aggregates"].to_rows():
        inside = held.pop(group)
        assert (count, low, high) == (len(inside), min(inside), max(inside))
        assert total == (sum(inside) if whole else fsum(inside))
    assert not held
    assert made.kind.verify(made.tables, [], []) == []


def test_values_leave_their_records() -> None:
    table = sfumato.from_rows(["Age", "Income"], [(value, value) for value in range(60)])
    made = PermutedTable.build(table, [1] * 60, ["Age"], "Income", np.random.default_rng(0))
    rows = made.tables["data"].to_rows()
    assert [row[0] for row in rows] != sorted(row[0] for row in rows)
    assert sum(age == income for age, _, income in rows) < 10


def test_models_see_the_groups() -> None:
    table = sfumato.from_rows(["Age", "Income"], [(20, 1), (21, 5), (22, 9), (23, 2), (24, 2), (25, 8)])
    made = PermutedTable.build(table, [1, 1, 1, 2, 2, 2], ["Age"], "Income", np.random.default_rng(0))
    model = KEAnonymity(k=2, e=6, sensitive="Income")
    (verdict,) = made.kind.verify(made.tables, [model], ["Age"])
    assert verdict.satisfied
    assert verdict.groups == 2
    (verdict,) = made.kind.verify(made.tables, [KEAnonymity(k=2, e=7, sensitive="Income")], ["Age"])
    assert not verdict.satisfied
    assert made.guarantee() == {"max_link_probability": 2 / 3, "l": 1}


@pytest.mark.parametrize(
    ("row", "column"),
    [
        ((1, 3, 15, 1, 9), "GroupID"),
        ((1, 2, 6, 1, 5), "Count"),
        ((1, 3, 16, 1, 9), "Sum"),
        ((1, 3, 15, 0, 9), "Minimum"),
    ],
)
def test_wrong_aggregates_are_refused(row: tuple[Any, ...], column: str) -> None:
    table = sfumato.from_rows(["Age", "Income"], [(20, 1), (21, 5), (22, 9), (23, 2)])
    made = PermutedTable.build(table, [1, 1, 1, 2], ["Age"], "Income", np.random.default_rng(0))
    rest = [] if column == "GroupID" else [(2, 1, 2, 2, 2)]
    bad = sfumato.from_rows(made.tables["aggregates"].columns, [row, *rest])
    for call in (lambda t: made.kind.verify(t, [], []), made.kind.guarantee):
        with pytest.raises(BadRequest, match="not what the values"):
            call({**made.tables, "aggregates": bad})
    good = sfumato.from_rows(bad.columns, [(2, 1, 2, 2, 2), (1, 3, 15, 1, 9)])
    assert made.kind.verify({**made.tables, "aggregates": good}, [], []) == []


def test_wrong_requests_are_refused() -> None:
    table = sfumato.from_rows(["Age", "Income", "Job"], [(20, 1, "a"), (21, None, "b")])
    rng = np.random.default_rng(0)
    with pytest.raises(BadRequest, match="must hold numbers"):
        PermutedTable.build(table, [1, 1], ["Age"], "Job", rng)
    with pytest.raises(BadRequest, match="1 missing"):
        PermutedTable.build(table, [1, 1], ["Age"], "Income", rng)
    with pytest.raises(BadRequest, match="must name one column"):
        PermutedTable(qid=("Age",), sensitive=("Income", "Job"))
