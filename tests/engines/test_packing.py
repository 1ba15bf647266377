"""DuckDB sorts, counts and hashes columns of few values as numbers; nothing that leaves it may tell."""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sfumato.contracts.engine import SourceOptions, Table
from sfumato.engines import duckdb_counts, duckdb_engine, duckdb_packing, open_source
from sfumato.engines.duckdb_packing import Listed, parts_of

NEVER, ALWAYS = 1 << 60, 1


def _mixed(path: Path, rows: int = 400) -> Path:
    """Write columns of all types, with gaps, few values and many."""
    rng = np.random.default_rng(3)

    def drawn(values: list[object], kind: pa.DataType) -> pa.Array:
        return pa.array([values[at] for at in rng.integers(0, len(values), rows)], kind)

    table = {
        "text": drawn(["b", "a\t\\N", "", None, "ä\n"], pa.string()),
        "small": drawn([3, -1, None], pa.int8()),
        "single": drawn([0.1, -0.0, 0.0, float("nan"), None], pa.float32()),
        "number": drawn([2.5, 3.0, -0.0, 1e300], pa.float64()),
        "exact": drawn([Decimal("1.50"), Decimal("1.25"), None], pa.decimal128(9, 2)),
        "yes": drawn([True, False, None], pa.bool_()),
        "many": pa.array([f"id{at % 90}" for at in range(rows)]),
        "day": drawn([datetime.date(2020, 1, 2), datetime.date(1960, 5, 1), None], pa.date32()),
        "moment": drawn([datetime.datetime(2020, 1, 2, 3, 4, 5, 6), None], pa.timestamp("us")),
    }
    pq.write_table(pa.table(table), path)
    return path


def _asked(table: Table, folder: Path, name: str) -> dict[str, object]:
    """Return all that a table tells, and the bytes it writes."""
    told: dict[str, object] = {"digest": table.content_digest()}
    for columns in (table.columns, table.columns[:3], ("many", "text"), ("text",)):
        cells = table.counts(columns)
        told[f"counts of {columns}"] = [[*key] for key in cells.keys], cells.sizes.tolist()
    sample = table.sample(0.5, secret="s")
    told["sample"] = sample.content_digest(), sample.rows
    recoded = table.recode({"text": {"b": "B", "a\t\\N": "A", "": None, "ä\n": "B"}}).without(["small"], [[3]]).sort()
    told["recoded"] = recoded.content_digest(), recoded.rows
    for ending in ("parquet", "csv", "jsonl", "arrow"):
        recoded.write(folder / f"{name}.{ending}")
        told[ending] = (folder / f"{name}.{ending}").read_bytes()
    told["batches"] = pa.Table.from_batches(recoded.batches()).to_pylist()
    return told


@pytest.mark.parametrize("few", [1 << 16, 50])
@pytest.mark.parametrize("bits", [62, 7])
def test_numbers_change_nothing_that_leaves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, few: int, bits: int
) -> None:
    path = _mixed(tmp_path / "mixed.parquet")
    monkeypatch.setattr(duckdb_counts, "FEW", few)  # 90 values are many, or few
    monkeypatch.setattr(duckdb_engine, "FEW", few)
    monkeypatch.setattr(duckdb_counts, "_COUNTED", NEVER)
    monkeypatch.setattr(duckdb_packing, "_BITS", bits)
    told = {}
    for name, many in (("plain", NEVER), ("packed", ALWAYS)):
        monkeypatch.setattr(duckdb_counts, "MANY", many)
        told[name] = _asked(open_source(path, "duckdb", SourceOptions()), tmp_path, name)
    assert told["packed"] == told["plain"]
    polars = _asked(open_source(path, "polars", SourceOptions()), tmp_path, "polars")
    assert {key: polars[key] for key in polars if key != "batches"} == {
        key: told["packed"][key] for key in polars if key != "batches"
    }


_VALUES = st.sampled_from([None, "a", "b", "a\tb", "\\N", "c"])


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(st.tuples(_VALUES, st.sampled_from([None, 1, 2, 10]), _VALUES), min_size=1, max_size=30),
    bits=st.integers(3, 9),
)
def test_same_digest_and_counts_as_polars(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: list[tuple[object, ...]], bits: int
) -> None:
    monkeypatch.setattr(duckdb_counts, "MANY", ALWAYS)
    monkeypatch.setattr(duckdb_counts, "_COUNTED", NEVER)
    monkeypatch.setattr(duckdb_counts, "_JOINED", 1)
    monkeypatch.setattr(duckdb_packing, "_BITS", bits)
    frame = pl.DataFrame(rows, schema={"x": pl.String, "y": pl.Int64, "z": pl.String}, orient="row")
    ours, theirs = (open_source(frame, name, SourceOptions()) for name in ("duckdb", "polars"))
    assert ours.content_digest() == theirs.content_digest()
    for columns in (["x", "y", "z"], ["z", "x"]):
        packed, plain = ours.counts(columns), theirs.counts(columns)
        assert [[*key] for key in packed.keys] == [[*key] for key in plain.keys]
        assert packed.sizes.tolist() == plain.sizes.tolist()


def test_a_number_holds_the_values_of_its_columns_in_order() -> None:
    listed = [Listed(range(size), f"n{at}", "") for at, size in enumerate([3, 1, 1000])]
    (part,) = parts_of(listed)
    assert part.sql() == "(n0 << 11) + (n1 << 10) + (n2 << 0)"
    numbers = np.array([3 << 11 | 1 << 10 | 1000, 1 << 11 | 7, 0])
    assert {at: list(held) for at, held in part.codes(numbers).items()} == {
        0: [2, 0, None],
        1: [0, None, None],
        2: [999, 6, None],
    }
    assert [(piece.columns, shift) for piece, shift in part.pieces(8)] == [((0, 1), 10), ((2,), 0)]
    assert [(piece.columns, shift) for piece, shift in part.pieces(0)] == [((0,), 11), ((1,), 10), ((2,), 0)]


def test_a_column_of_many_values_stands_between_numbers() -> None:
    listed = [Listed("ab", "n0", ""), None, Listed("ab", "n2", ""), Listed("ab", "n3", "")]
    assert [part.columns for part in parts_of(listed)] == [(0,), (1,), (2, 3)]


def test_the_largest_whole_numbers_stay_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duckdb_counts, "MANY", ALWAYS)
    path = tmp_path / "large.parquet"
    pl.DataFrame({"x": pl.Series([2**64 - 1, 2**63, 5, 5], dtype=pl.UInt64), "y": list("abab")}).write_parquet(path)
    tables = [open_source(path, name, SourceOptions()) for name in ("duckdb", "polars")]
    one, other = (table.content_digest() for table in tables)
    assert one == other
    tables[0].sort().write(tmp_path / "again.parquet")
    assert pl.read_parquet(tmp_path / "again.parquet")["x"].to_list() == [5, 5, 2**63, 2**64 - 1]
