"""What an engine leaves behind: nothing, once the last table is gone."""

from __future__ import annotations

import gc
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato
from sfumato.datasets import hospital, sample_policy
from sfumato.engines import get_engine, read
from sfumato.errors import BadRequest, Unsupported


def test_a_database_goes_with_its_last_table(tmp_path: Path) -> None:
    table = read({"age": [3, 1, None], "job": ["a", "b", "a"]}, get_engine("duckdb", directory=str(tmp_path)))
    (folder,) = tmp_path.iterdir()
    assert folder.stat().st_mode & 0o077 == 0
    kept = table.drop_missing(["age"]).recode({"job": {"a": "x", "b": "y"}}).sort()
    kept.groups(["job"], ["age"])
    kept.content_digest()
    stream = kept.batches()
    next(stream)
    del table
    gc.collect()
    assert kept.to_rows() == [(1, "y"), (3, "x")], "a table made from another keeps the database"
    stream.close()
    del kept, stream
    gc.collect()
    assert not list(tmp_path.iterdir())


def test_a_source_that_cannot_be_read_leaves_nothing(tmp_path: Path) -> None:
    source = tmp_path / "bad.csv"
    source.write_text("a,b\n1\n")
    (tmp_path / "rows").mkdir()
    with pytest.raises(BadRequest):
        read(source, get_engine("duckdb", directory=str(tmp_path / "rows")))
    gc.collect()
    assert not list((tmp_path / "rows").iterdir())


def test_a_release_lets_its_database_go(tmp_path: Path) -> None:
    policy = sample_policy() | {"engine": {"id": "duckdb", "directory": str(tmp_path)}, "algorithm": {"id": "mondrian"}}
    release = sfumato.anonymize(hospital(300).to_polars(), policy)
    assert release.verdict
    assert list(tmp_path.iterdir())
    del release
    gc.collect()
    assert not list(tmp_path.iterdir())


def test_a_small_memory_spills_and_the_space_is_bounded(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows = pa.table({name: rng.permutation(500_000) * 3_000_000_007 for name in "abcd"})
    pq.write_table(rows, tmp_path / "rows.parquet", row_group_size=20_000)

    def written(name: str, **bounds: str) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        engine = get_engine("duckdb", memory_limit="40MB", threads=1, directory=str(folder), **bounds)
        read(tmp_path / "rows.parquet", engine).sort().write(tmp_path / f"{name}.parquet")
        return tmp_path / f"{name}.parquet"

    found = pq.read_table(written("free"))["a"].to_numpy()
    assert (found[1:] > found[:-1]).all()
    with pytest.raises(BadRequest, match=r"duckdb\.temp: is too little"):
        written("bounded", temp="1MB")
    assert not (tmp_path / "bounded.parquet").exists()
    gc.collect()
    assert not list((tmp_path / "bounded").iterdir())
    with pytest.raises(BadRequest, match=r"duckdb\.temp: is not an amount"):
        written("wrong", temp="much")


def test_more_combinations_than_memory_holds_stay_where_they_are() -> None:
    numbers = np.arange(400_000)
    rows = pa.table({"a": numbers, "b": numbers % 1000, "c": numbers % 7})
    table = read(rows, get_engine("duckdb", memory_limit="20MB", threads=1))
    with pytest.raises(Unsupported, match="combinations of a, b are more than the memory"):
        table.counts(["a", "b"])
    assert len(table.counts(["b", "c"])) == 7000
    assert len(read(rows, get_engine("duckdb", memory_limit="1GB", threads=1)).counts(["a", "b"])) == 400_000
