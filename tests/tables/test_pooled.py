"""Pooled distributions: nobody stands alone in them, the ends are open, and what is not named is counted."""

from __future__ import annotations

import re
from collections import Counter
from datetime import date, timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from sfumato.data.compressed import Dictionary
from sfumato.data.schema import ColumnType
from sfumato.reports.column_view import pooled_figure, pooled_words
from sfumato.tables.pooled import pooled_column, pooled_columns

LEAST = st.integers(2, 12)


def counted(values: list[Any], missing: int = 0) -> Dictionary:
    found = Counter(values)
    order = sorted(found)
    return Dictionary("c", tuple(order), np.array([found[value] for value in order], np.int64), missing)


def check(column: dict[str, Any], values: list[Any], least: int) -> None:
    assert all(count >= least for _, count in column["entries"])
    assert sum(count for _, count in column["entries"]) + column["rarer_records"] == len(values)
    assert column["distinct"] == len(set(values))


@given(st.lists(st.sampled_from("abcdefghijklmnopqrstuvwxyz0123456789"), max_size=200), LEAST)
def test_a_value_that_few_share_is_not_named(values: list[str], least: int) -> None:
    column = pooled_column(counted(values), ColumnType.TEXT, least)
    check(column, values, least)
    held = Counter(values)
    assert column["form"] == "values"
    assert all(held[label] == count for label, count in column["entries"])
    assert column["rarer_values"] == len(held) - len(column["entries"])


@given(st.lists(st.integers(-1000, 1000), max_size=300), LEAST)
def test_numbers_are_counted_in_bins_that_are_open_at_both_ends(values: list[int], least: int) -> None:
    column = pooled_column(counted(values), ColumnType.INTEGER, least)
    check(column, values, least)
    if column["form"] == "bins" and column["entries"]:
        labels = [label for label, _ in column["entries"]]
        assert labels[0].startswith("below ")
        assert labels[-1].endswith(" or more")
        low, high = float(labels[0].removeprefix("below ")), float(labels[-1].removesuffix(" or more"))
        assert sum(value < low for value in values) == column["entries"][0][1] >= least
        assert sum(value >= high for value in values) == column["entries"][-1][1] >= least
        assert not column["rarer_records"]


@given(st.lists(st.integers(0, 30_000), min_size=1, max_size=300), st.sampled_from([1, 3, 40]), LEAST)
def test_dates_are_counted_by_day_month_or_year(days: list[int], shrink: int, least: int) -> None:
    values = [date(1950, 1, 1) + timedelta(days=day // shrink) for day in days]
    column = pooled_column(counted(values), ColumnType.DATE, least)
    check(column, values, least)
    if column["form"] == "bins" and column["entries"]:
        labels = [label for label, _ in column["entries"]]
        assert labels[0].startswith("until ")
        assert labels[-1].endswith(" or later")
        assert len(labels) <= 70


def test_the_largest_value_is_not_told() -> None:
    values = [float(value % 60) for value in range(600)] + [7919.25]
    column = pooled_column(counted(values), ColumnType.NUMBER, 5)
    assert column["form"] == "bins"
    assert "7919" not in str(column)
    assert "7920" not in str(column)


def test_values_in_order_of_their_labels() -> None:
    labels = ["[20-30)"] * 9 + ["[3-20)"] * 5 + ["*"] * 6
    column = pooled_column(counted(labels), ColumnType.TEXT, 5, in_order=True)
    assert [label for label, _ in column["entries"]] == ["[3-20)", "[20-30)", "*"]


def test_a_table_is_pooled_column_by_column() -> None:
    table = sfumato.from_rows(["a", "b"], [("x", i) for i in range(9)] + [("y", 9)])
    known = pooled_columns(table, ["a", "b"], 5)
    assert (known["least"], known["records"]) == (5, 10)
    assert known["columns"]["a"]["entries"] == [["x", 9]]
    assert known["columns"]["b"]["entries"] == []
    assert pooled_words(known["columns"]["b"], 10, 5).endswith("each is shared by fewer than 5 records.")
    assert "1 record (10.0 %) with rarer ones" in pooled_words(known["columns"]["a"], 10, 5)


@pytest.mark.parametrize("kind", ["bar", "bar before"])
def test_figure_shows_the_pool_without_names(kind: str) -> None:
    values = ["x"] * 30 + ["y"] * 20 + [f"rare {i}" for i in range(8)]
    column = pooled_column(counted(values), ColumnType.TEXT, 5)
    figure = pooled_figure("k", "t", column, len(values), 5, caption="c", kind=kind)
    assert figure is not None
    assert "8 rarer values" in figure.drawing
    assert not re.search(r"rare \d", figure.drawing)
    assert f'class="{kind}"' in figure.drawing
    alone = pooled_column(counted([str(i) for i in range(50)]), ColumnType.TEXT, 5)
    assert pooled_figure("k", "t", alone, 50, 5, caption="c") is None
