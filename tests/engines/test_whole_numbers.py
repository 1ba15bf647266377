"""Whole numbers that lie close together: placed, counted and told by their range as they are one by one."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.data import whole
from sfumato.engines import columns, duckdb_counts, duckdb_engine, get_engine

NUMBERS = st.one_of(st.none(), st.integers(-3, 30), st.sampled_from([10**12, -(2**62), 2**63 - 1]))
ROWS = st.lists(st.tuples(NUMBERS, st.sampled_from(["a", "b", None]), st.integers(1, 2)), min_size=1, max_size=40)
NAMES = ["group", "ill", "count"]


@settings(max_examples=25, deadline=None)
@given(rows=ROWS, gapless=st.booleans())
def test_counts_are_the_same_by_ranges(rows: list[tuple[int | None, str | None, int]], gapless: bool) -> None:
    rows = [(at // 2, *row[1:]) for at, row in enumerate(rows)] if gapless else rows
    frame = pl.DataFrame(rows, dict(zip(NAMES, (pl.Int64, pl.String, pl.Int64), strict=True)), orient="row")
    plain = get_engine("polars").open(frame)
    expected = {asked: plain.groups(asked).as_dict() for asked in (("group",), ("group", "ill", "count"))}
    digest = plain.content_digest()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(whole, "MANY", 1)
        patch.setattr(columns, "_PORTION", 3)
        patch.setattr(duckdb_counts, "MANY", 0)
        patch.setattr(duckdb_counts, "_MILLIONS", 0)
        patch.setattr(duckdb_counts, "_COUNTED", 10**6)
        patch.setattr(duckdb_counts, "FEW", 2)
        patch.setattr(duckdb_engine, "FEW", 2)
        for engine in ("polars", "duckdb"):
            table = get_engine(engine).open(frame)
            for asked, found in expected.items():
                assert list(table.groups(asked).as_dict().items()) == list(found.items()), engine
            assert table.content_digest() == digest


@given(values=st.lists(st.one_of(st.none(), st.integers(-5, 5)), min_size=1, max_size=20))
def test_values_are_found_in_a_table_of_their_range(values: list[int | None]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns, "_PORTION", 2)
        for kind in (pl.Int64, pl.Int8):
            series = pl.Series(values, dtype=kind)
            found = columns._close_entries(series)
            if found is not None:
                assert found.equals(series.drop_nulls().unique().sort())
                assert found.dtype == kind
