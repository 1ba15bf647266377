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
from sfumato.engines.duckdb_engine import DuckDBTable
from sfumato.errors import BadRequest, TooLittle, Unsupported


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
    # Three times what memory holds, so that spilling lasts long enough to be seen.
    rows = pa.table({name: rng.permutation(4_000_000) * 3_000_000_007 for name in "abcd"})
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


def test_too_little_memory_is_told_with_what_may_serve(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows = pa.table({name: [f"{one:x}" * 3 for one in rng.integers(1 << 60, size=60_000)] for name in "ab"})
    pq.write_table(rows, tmp_path / "rows.parquet")
    table = read(tmp_path / "rows.parquet", get_engine("duckdb", memory_limit="6MB", threads=1))
    with pytest.raises(TooLittle) as refused:
        table.content_digest()
    assert str(refused.value) == (
        "limits.memory: is too little for this table: DuckDB has 6 MB of it, and asks for 125 MB or more to sort and count in "
        "files with 1 thread(s); limits.memory: 208 MB may serve"
    )
    assert refused.value.exit_code == 2


def test_no_room_to_look_at_written_files_is_no_fault_of_theirs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = sample_policy() | {"engine": "duckdb"}
    release = sfumato.anonymize(hospital(400).to_polars(), policy)

    def full(table: DuckDBTable) -> None:
        raise TooLittle("is too little for this table", parameter="limits.memory")

    monkeypatch.setattr(DuckDBTable, "bucket_hashes", full)
    with pytest.raises(TooLittle, match=r"^limits\.memory: is too little"):
        sfumato.publish(release, tmp_path / "out")
    assert not list(tmp_path.iterdir())


def test_more_combinations_than_memory_holds_stay_where_they_are() -> None:
    numbers = np.arange(400_000)
    rows = pa.table({"a": numbers, "b": numbers % 1000, "c": numbers % 7})
    table = read(rows, get_engine("duckdb", memory_limit="20MB", threads=1))
    with pytest.raises(Unsupported, match="combinations of a, b are more than the memory"):
        table.counts(["a", "b"])
    assert len(table.counts(["b", "c"])) == 7000
    assert len(read(rows, get_engine("duckdb", memory_limit="1GB", threads=1)).counts(["a", "b"])) == 400_000


def test_a_file_that_changed_is_not_published_as_the_one_that_was_read(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"a": [1, 2]}), path)
    table = read(path, "duckdb")
    table.write(tmp_path / "copy.parquet")
    pq.write_table(pa.table({"a": [1, 3, 5]}), path)
    with pytest.raises(BadRequest, match="changed, moved or removed"):
        table.write(tmp_path / "other.parquet")
    path.unlink()
    with pytest.raises(BadRequest, match="changed, moved or removed"):
        table.write(tmp_path / "other.parquet")


def test_ctrl_c_in_a_query_is_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    table = read({"a": [1, 2]}, "duckdb")
    assert isinstance(table, DuckDBTable)

    class Interrupted:
        def cursor(self) -> Interrupted:
            return self

        def execute(self, query: str) -> None:
            raise RuntimeError("Query interrupted")  # DuckDB's word for it

        def close(self) -> None:
            pass

    monkeypatch.setattr(table._session, "_connection", Interrupted())
    with pytest.raises(KeyboardInterrupt):
        table._session.run("SELECT 1")


@pytest.mark.parametrize("written", ["as meant", "another text", "missing"])
def test_a_digest_goes_by_what_was_written_and_not_by_what_was_meant(
    written: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sfumato.engines.duckdb_counts.MANY", 1)
    rows = {"a": [f"v{at % 9}" for at in range(400)], "b": [at % 7 for at in range(400)]}
    (tmp_path / "meant.csv").write_text("a,b\n" + "".join(f"{a},{b}\n" for a, b in zip(*rows.values(), strict=True)))
    meant = read(tmp_path / "meant.csv", "duckdb")
    rows["a"][17] = {"as meant": rows["a"][17], "another text": "w", "missing": None}[written]
    read(rows).write(tmp_path / "written.parquet")
    found = read(tmp_path / "written.parquet", "duckdb").sharing(meant)
    assert found.content_digest() == read(tmp_path / "written.parquet").content_digest()
    assert (found.content_digest() == meant.content_digest()) is (written == "as meant")
    assert found.counts(["a", "b"]).sizes.sum() == 400
