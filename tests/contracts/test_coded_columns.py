"""Tables made of codes: distinct rows counted by their codes are those that a plain count finds, in every engine."""

from __future__ import annotations

from collections import Counter
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.contracts.alike import Alike
from sfumato.contracts.columns import coded_counts, coded_numbers
from sfumato.data.schema import ColumnType
from sfumato.engines import from_rows, read
from sfumato.errors import BadRequest
from sfumato.groups.stats import CodedKeys

ROWS = st.lists(st.tuples(st.sampled_from([None, "a", "b", "c"]), st.integers(-3, 3)), min_size=1, max_size=30)


@settings(max_examples=60)
@given(rows=ROWS, packed=st.booleans(), engine=st.sampled_from(["polars", "duckdb"]))
def test_coded_counts_are_plain_counts(rows: list[tuple[str | None, int]], packed: bool, engine: str) -> None:
    texts = ("a", "b", "c")
    columns = {
        "text": CodedKeys(texts, np.array([-1 if text is None else texts.index(text) for text, _ in rows], np.int32)),
        "number": coded_numbers(np.array([number for _, number in rows])),
    }
    with patch("sfumato.contracts.columns._PACKED", 1 << 62 if packed else 1):
        found = coded_counts(columns, {"text": ColumnType.TEXT}, "n", engine).to_rows()
    wanted = Counter(rows)
    assert found == [(*row, wanted[row]) for row in sorted(wanted, key=lambda row: (row[0] or "", row[1]))]


@settings(max_examples=60)
@given(rows=ROWS)
def test_counted_records_are_those_of_the_table_in_the_order_of_values(rows: list[tuple[str | None, int]]) -> None:
    table = from_rows(["text", "number"], rows) if any(text for text, _ in rows) else None
    if table is None:
        return
    counted, placed = Alike.counted(table, table.columns), Alike.placed(table, table.columns)
    for records, wanted in ((counted, sorted(rows, key=lambda row: (row[0] or "", row[1]))), (placed, rows)):
        shown = records.shown(table.columns, np.arange(len(records), dtype=np.int32))
        assert list(zip(*shown.values(), strict=True)) == wanted


def test_distinct_rows_of_a_search_serve_where_they_are_what_would_be_counted() -> None:
    table = from_rows(["a", "b"], [(2, "x"), (1, "y"), (2, "x"), (1, "x")])
    cells = table.compress(["a"], ["b"])
    with patch.object(type(table), "counts", side_effect=AssertionError("counted again")):
        records = Alike.counted(table, ["a", "b"], cells)
    assert records.codes("a").tolist() == [0, 0, 1, 1]
    again = Alike.counted(table, ["b", "a"], cells)  # another order of columns is another order of records
    assert again.codes("b").tolist() == [0, 0, 0, 1]
    assert Alike.counted(table.without(["a"], [[1]]), ["a", "b"], cells).codes("b").tolist() == [0, 0]


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_numbers_are_refused_by_column(engine: str) -> None:
    held = read({"text": ["a", "b"], "gap": [1.5, None], "wide": [1, 2**53 + 1], "fine": [3, 1]}, engine)
    records = Alike.counted(held, held.columns)
    assert records.numbers("fine").tolist() == [1.0, 3.0]
    for name, told in (("text", "must hold numbers"), ("gap", "1 missing"), ("wide", "so large")):
        with pytest.raises(BadRequest, match=told):
            records.numbers(name)
