"""Sampling weights: sums of a column take the place of counts, group by group and value by value."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from sfumato.contracts.publication import Publication
from sfumato.errors import BadRequest
from sfumato.groups.stats import GroupStats
from sfumato.models import KAnonymity

ENGINES = ["polars", "duckdb"]
CELLS = st.sampled_from(["x", "y", None])
SENSITIVE = st.sampled_from(["Flu", "HIV", "Heart", None])
WHOLE = st.integers(1, 9).map(Fraction)
QUARTERS = st.integers(4, 40).map(lambda n: Fraction(n, 4))
Row = tuple[Any, Any, Any, Fraction]


def sums(rows: list[Row], at: tuple[int, ...]) -> dict[tuple[Any, ...], Fraction]:
    """Add up the weights by hand."""
    out: dict[tuple[Any, ...], Fraction] = defaultdict(Fraction)
    for row in rows:
        out[tuple(row[i] for i in at)] += row[3]
    return out


def published(rows: list[Row], engine: str) -> Publication:
    whole = all(row[3].denominator == 1 for row in rows)
    frame = pl.DataFrame(
        [(*row[:3], int(row[3]) if whole else float(row[3])) for row in rows],
        schema={"a": pl.String, "b": pl.String, "s": pl.String, "w": pl.Int64 if whole else pl.Float64},
        orient="row",
    )
    return Publication(table=sfumato.read(frame, engine=engine), qids=("a", "b"), weights="w")


def agree(rows: list[Row], engine: str, kind: type) -> None:
    groups = published(rows, engine).groups(histograms=["s", "a"])
    assert groups.sizes.dtype == groups.histograms["s"].count.dtype == kind
    wanted = sums(rows, (0, 1))
    assert {groups.key(g): Fraction(groups.sizes[g].item()) for g in range(len(groups))} == wanted
    for name, at in (("s", 2), ("a", 0)):
        histogram = groups.histograms[name]
        found = {
            (*groups.key(g), value): Fraction(weight)
            for g in range(len(groups))
            for value, weight in histogram.row(g).items()
        }
        assert found == sums(rows, (0, 1, at))
        per_value = dict(zip(histogram.values, map(Fraction, groups.whole_table(name).tolist()), strict=True))
        assert {(value,): weight for value, weight in per_value.items() if weight} == sums(rows, (at,))
        assert [Fraction(x) for x in histogram.totals().tolist()] == [wanted[groups.key(g)] for g in range(len(groups))]
        for value in histogram.values:
            assert histogram.of(value).tolist() == histogram.dense()[:, histogram.values.index(value)].tolist()
        assert histogram.dense().sum() == groups.sizes.sum()
    merged = groups.merge([0] * len(groups))
    assert Fraction(merged.sizes[0].item()) == sum(row[3] for row in rows)
    assert merged.histograms["s"].dense()[0].tolist() == groups.whole_table("s").tolist()


@pytest.mark.parametrize("engine", ENGINES)
def test_whole_weights_give_whole_sums(engine: str) -> None:
    @settings(max_examples=100 if engine == "polars" else 15)
    @given(rows=st.lists(st.tuples(CELLS, CELLS, SENSITIVE, WHOLE), min_size=1, max_size=12))
    def holds(rows: list[Row]) -> None:
        agree(rows, engine, np.int64)

    holds()


@pytest.mark.parametrize("engine", ENGINES)
def test_other_weights_give_real_sums(engine: str) -> None:
    @settings(max_examples=100 if engine == "polars" else 15)
    @given(rows=st.lists(st.tuples(CELLS, CELLS, SENSITIVE, QUARTERS), min_size=1, max_size=12))
    def holds(rows: list[Row]) -> None:
        agree([*rows, ("x", "x", "Flu", Fraction(5, 4))], engine, np.float64)

    holds()


@given(rows=st.lists(st.tuples(CELLS, CELLS, SENSITIVE, WHOLE), min_size=1, max_size=12), k=st.integers(1, 20))
def test_a_check_counts_persons(rows: list[Row], k: int) -> None:
    table = published(rows, "polars").table
    (verdict,) = sfumato.check(table, KAnonymity(k=k), qid=["a", "b"], weights="w", worst=99)
    wanted = sums(rows, (0, 1))
    assert verdict.strongest == min(wanted.values())
    assert verdict.satisfied == (min(wanted.values()) >= k)
    assert verdict.records == sum(wanted.values())
    assert {v.group: v.size for v in verdict.violations} == {key: n for key, n in wanted.items() if n < k}


@given(rows=st.lists(st.tuples(CELLS, CELLS, SENSITIVE), min_size=1, max_size=12))
def test_weights_of_one_change_nothing(rows: list[Any]) -> None:
    ones = published([(*row, Fraction(1)) for row in rows], "polars")
    weighed, counted = (
        ones.groups(histograms=["s"]),
        Publication(table=ones.table, qids=ones.qids).groups(histograms=["s"]),
    )
    assert weighed.as_dict() == counted.as_dict()
    assert np.array_equal(weighed.histograms["s"].dense(), counted.histograms["s"].dense())


def test_a_record_that_stands_for_two_is_like_two_records() -> None:
    rows = [("x", "y", "Flu", Fraction(2)), ("x", "y", "HIV", Fraction(1)), ("y", "y", "Flu", Fraction(3))]
    repeated = [row[:3] for row in rows for _ in range(int(row[3]))]
    plain = sfumato.from_rows(["a", "b", "s"], repeated).groups(["a", "b"], ["s"])
    weighed = published(rows, "polars").groups(histograms=["s"])
    assert weighed.as_dict() == plain.as_dict()
    assert weighed.histograms["s"].dense().tolist() == plain.histograms["s"].dense().tolist()


def test_tenths_add_up_to_whole_numbers() -> None:
    table = sfumato.from_rows(["a", "w"], [("x", 0.1)] * 30 + [("y", 0.7)] * 10 + [("z", 3.3)])
    groups = Publication(table=table, qids=("a",), weights="w").groups()
    assert groups.sizes.tolist() == [3.0, 7.0, 3.3]
    assert sfumato.check(table, KAnonymity(k=3), qid=["a"], weights="w")


def test_a_table_without_rows_has_no_groups() -> None:
    table = sfumato.from_rows(["a", "w"], [("x", 1)]).drop_groups(["a"], [("x",)])
    assert len(Publication(table=table, qids=("a",), weights="w").groups()) == 0


def test_records_find_their_weighed_groups() -> None:
    publication = published([("y", "y", "Flu", Fraction(2)), (None, "x", "Flu", Fraction(5))], "polars")
    of_record = publication.group_of_record()
    assert publication.groups().sizes[of_record].tolist() == [2, 5]


@pytest.mark.parametrize(
    ("weights", "says"),
    [
        ([1, -2], "positive"),
        ([1, 0], "positive"),
        ([1.5, float("inf")], "positive, finite"),
        ([1.5, 0.5], "one person"),
        ([1, None], "missing"),
        ([1.5, float("nan")], "missing"),
        (["one", "two"], "must be numbers"),
        ([True, False], "must be numbers"),
    ],
)
def test_bad_weights_are_refused(weights: list[Any], says: str) -> None:
    table = sfumato.read(pl.DataFrame({"a": ["x", "y"], "w": weights}))
    with pytest.raises(BadRequest, match=says) as caught:
        sfumato.check(table, KAnonymity(k=1), qid=["a"], weights="w")
    assert caught.value.column == "w"


def test_weights_must_be_a_column_of_their_own() -> None:
    table = sfumato.from_rows(["a", "w"], [("x", 1)])
    for qid, weights, says in ((["a"], "weight", "not a column"), (["a", "w"], "w", "looks at")):
        with pytest.raises(BadRequest, match=says):
            sfumato.check(table, KAnonymity(k=1), qid=qid, weights=weights)
    with pytest.raises(BadRequest, match="counted already"):
        sfumato.check(GroupStats.from_sizes([2]), KAnonymity(k=1), weights="w")
