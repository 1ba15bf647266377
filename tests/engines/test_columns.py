"""Columns in memory: dictionaries of Arrow against its own values, and what two columns hold in common."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
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


def test_narrow_codes_give_what_wide_ones_give(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Of many rows codes are kept in one byte or two: everything that is asked of them is the same."""
    rng = np.random.default_rng(3)
    rows = {
        "a": [None if n == 3 else int(n) for n in rng.integers(0, 9, 700)],
        "b": [f"t{n}" for n in rng.integers(0, 300, 700)],
        "c": [float(n) / 4 for n in rng.integers(0, 5, 700)],
        "d": ["xy"[n] for n in rng.integers(0, 2, 700)],
    }

    def told() -> list[Any]:
        table = read(rows)
        masked = table.recode({"d": {"x": "z", "y": None}}).sort()
        masked.write(tmp_path / "out.parquet")
        again = read(tmp_path / "out.parquet").sharing(masked)
        codes = table.drop_missing(["a"]).compress(["a", "b"], ["d"])
        groups = table.groups(["a", "b"], ["d"])
        return [
            table.content_digest(),
            masked.content_digest(),
            again.content_digest(),
            (tmp_path / "out.parquet").read_bytes(),
            masked.to_rows(),
            codes.codes.tolist(),
            codes.codes.dtype,
            codes.weights.tolist(),
            groups.as_dict(),
            [(keys.codes.dtype, keys.codes.tolist(), keys.values) for keys in groups.keys],
            (groups.histograms["d"].values, groups.histograms["d"].code.tolist(), groups.histograms["d"].code.dtype),
            [held.codes.dtype for held in table.counts(["a", "b", "c", "d"]).keys],
            [held.codes.dtype for held in masked.counts(masked.columns).keys],
            table.codes(["a", "d"]).tolist(),
            table.take([3, 1]).to_rows(),
            table.distinct(["a", "b"]),
            table.fill_missing("a", "?").to_rows(),
            table.without(["a", "d"], [[1, None], ["x", "y"]]).rows,
            table.relabel(["d"], [["x", "y"]], {"a": ["1", None]}).counts(["a"]).sizes.tolist(),
        ]

    wide = told()
    monkeypatch.setattr("sfumato.engines.columns.AT_ONCE", 0)
    monkeypatch.setattr("sfumato.engines.polars_engine.AT_ONCE", 0)
    assert {column.codes.dtype.itemsize for column in read(rows).sort()._columns.values()} == {1, 2}
    assert told() == wide
