"""Columns in memory: dictionaries of Arrow against its own values, and what two columns hold in common."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from sfumato.engines import from_rows, read
from sfumato.engines.columns import coded_texts, from_dictionaries
from sfumato.engines.polars_engine import PolarsTable

TEXTS = st.lists(st.none() | st.sampled_from(["", "b", "a", "é", "aa"]), max_size=6)


@given(st.lists(TEXTS, max_size=4))
def test_dictionaries_of_chunks_become_one_list(chunks: list[list[str | None]]) -> None:
    parts = [pa.array(["never there", *part], pa.string()).dictionary_encode()[1:] for part in chunks]
    column = from_dictionaries(pa.chunked_array(parts, pa.dictionary(pa.int32(), pa.string())))
    rows = [text for part in chunks for text in part]
    assert column.stored().to_list() == rows
    assert column.entries.to_list() == sorted({text for text in rows if text is not None})


@given(TEXTS, TEXTS)
def test_columns_are_the_same_where_their_rows_are(some: list[str | None], others: list[str | None]) -> None:
    mine, theirs = (from_rows(["x"], [(one,) for one in rows] or [("z",)]) for rows in (some, others))
    assert isinstance(mine, PolarsTable)
    assert isinstance(theirs, PolarsTable)
    same = mine.sharing(theirs)._columns["x"] is theirs._columns["x"]
    assert not same or mine.to_rows() == theirs.to_rows()
    assert mine.sharing(theirs).to_rows() == mine.to_rows()
    if any(one is not None for one in some):
        labels = ["missing here", *mine._columns["x"].entries]
        listed = coded_texts(
            mine._columns["x"].codes + (mine._columns["x"].codes >= 0), pl.Series(labels, dtype=pl.String)
        )
        assert mine._columns["x"].same(listed)


def test_what_was_written_and_read_is_held_once(tmp_path: Path) -> None:
    rows = [(text, number) for number, text in enumerate("abcab" * 20)]
    table = from_rows(["t", "n"], rows).sort()
    table.write(tmp_path / "x.parquet")
    again = read(tmp_path / "x.parquet").sharing(table)
    assert [again._columns[name] is table._columns[name] for name in ("t", "n")] == [True, True]
    other = from_rows(["t", "n"], [*rows[:-1], ("c", 99)]).sort()
    assert again.sharing(other)._columns["t"] is not other._columns["t"]
