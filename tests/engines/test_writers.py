"""Writers: the same rows give the same bytes, and a file is there whole or not at all."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from sfumato.engines import from_rows, get_engine, read, writers
from sfumato.errors import BadRequest

ROWS = [(at % 7, f"t{at % 11}" if at % 5 else None, at / 4) for at in range(1_000)]
COLUMNS = ["a", "b", "c"]
FORMATS = ["csv", "tsv", "csv.gz", "parquet", "arrow", "jsonl", "xlsx", "sqlite"]


def in_pieces(table: Any, size: int) -> Iterator[Any]:
    for start in range(0, table.num_rows, size):
        yield table.slice(start, size)


@pytest.mark.parametrize("suffix", FORMATS)
def test_batches_leave_no_trace(tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writers, "PORTION", 256)
    table = from_rows(COLUMNS, ROWS).frame().to_arrow()
    coded = table.set_column(1, "b", table["b"].dictionary_encode())
    contents = []
    for held, size in ((table, 1_000), (table, 7), (coded, 300), (coded, 256)):
        path = tmp_path / f"x.{suffix}"
        writers.write(writers.target(path), in_pieces(held, size))
        contents.append(path.read_bytes())
    assert len(set(contents)) == 1
    assert read(tmp_path / f"x.{suffix}").to_rows() == ROWS


def test_long_columns_of_distinct_values_give_the_same_bytes(tmp_path: Path) -> None:
    # Enough of them for Parquet to give up its dictionaries, which depends on how the column is handed over.
    count = writers.PORTION + 40_000
    lines = [f"{(at * 7919) % 1_000_003:07},{(at * 104_729) % 1_000_003 / 7},{at % 3}" for at in range(count)]
    (tmp_path / "x.csv").write_text("id,x,y\n" + "\n".join(lines) + "\n")
    for name in ("polars", "duckdb"):
        held = read(tmp_path / "x.csv", name)
        held.write(tmp_path / f"{name}.csv")
        held.sort().write(tmp_path / f"{name}.parquet")
        assert (tmp_path / f"{name}.csv").read_bytes() == (tmp_path / "x.csv").read_bytes()
    assert (tmp_path / "polars.parquet").read_bytes() == (tmp_path / "duckdb.parquet").read_bytes()
    again = read(tmp_path / "polars.parquet")
    assert again.head(3) == sorted(again.to_rows())[:3]


@pytest.mark.parametrize("suffix", FORMATS)
def test_threads_leave_no_trace(tmp_path: Path, suffix: str) -> None:
    frame = from_rows(COLUMNS, ROWS).frame().to_arrow()
    for threads in (1, 4):
        held = read(frame, get_engine("duckdb", threads=threads))
        held.sort().write(tmp_path / f"{threads}.{suffix}")
    from_rows(COLUMNS, ROWS).sort().write(tmp_path / f"p.{suffix}")
    assert (tmp_path / f"1.{suffix}").read_bytes() == (tmp_path / f"4.{suffix}").read_bytes()
    assert (tmp_path / f"1.{suffix}").read_bytes() == (tmp_path / f"p.{suffix}").read_bytes()


@pytest.mark.parametrize("suffix", FORMATS)
def test_row_order_of_the_input_leaves_no_trace_after_sorting(engine: str, tmp_path: Path, suffix: str) -> None:
    for name, rows in (("x", ROWS), ("y", ROWS[::-1])):
        read(from_rows(COLUMNS, rows).frame(), engine).sort().write(tmp_path / f"{name}.{suffix}")
    assert (tmp_path / f"x.{suffix}").read_bytes() == (tmp_path / f"y.{suffix}").read_bytes()


@pytest.mark.parametrize("suffix", [name for name in FORMATS if name not in ("csv.gz", "xlsx")])
def test_masked_values_are_gone_from_the_file(engine: str, tmp_path: Path, suffix: str) -> None:
    secrets = {"Rosalind": None, "Orlando": "*"}
    held = read({"name": ["Rosalind", "Orlando"] * 50, "n": list(range(100))}, engine)
    path = tmp_path / f"x.{suffix}"
    held.recode({"name": secrets}).write(path)
    if suffix in ("parquet", "arrow"):
        held.recode({"name": secrets}).write(tmp_path / "plain.csv")
        table = read(path).frame()
        assert set(table["name"].to_list()) == {None, "*"}
    content = path.read_bytes()
    assert b"Rosalind" not in content
    assert b"Orlando" not in content


def test_csv_quotes_only_where_needed(engine: str, tmp_path: Path) -> None:
    rows = [("plain", "a,b", 'q"q'), ("two\nlines", " s ", ""), (None, "\r", "é;|\t")]
    read(from_rows(["x", "y,z", "w"], rows).frame(), engine).write(tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_bytes().decode() == (
        'x,"y,z",w\nplain,"a,b","q""q"\n"two\nlines", s ,""\n,"\r",é;|\t\n'
    )


def test_separator(engine: str, tmp_path: Path) -> None:
    read({"a": ["x;y", "z"], "b": [1, 2]}, engine).write(tmp_path / "x.csv", separator=";")
    assert (tmp_path / "x.csv").read_text() == 'a;b\n"x;y";1\nz;2\n'
    with pytest.raises(BadRequest, match="one character"):
        read({"a": [1]}, engine).write(tmp_path / "x.csv", separator="--")


def test_format_can_be_named(engine: str, tmp_path: Path) -> None:
    read({"a": [1]}, engine).write(tmp_path / "x.out", "csv")
    assert (tmp_path / "x.out").read_text() == "a\n1\n"
    with pytest.raises(BadRequest, match="suffix does not tell"):
        read({"a": [1]}, engine).write(tmp_path / "x.out")


@pytest.mark.parametrize("suffix", FORMATS)
def test_unwritable_place_is_named(engine: str, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / "none" / f"x.{suffix}"
    with pytest.raises(BadRequest, match="cannot be written") as caught:
        read({"a": [1]}, engine).write(path)
    assert str(path) in str(caught.value)
    with pytest.raises(BadRequest, match="is a folder"):
        read({"a": [1]}, engine).write(tmp_path, suffix.removesuffix(".gz"))


@pytest.mark.parametrize("suffix", FORMATS[:-1])  # SQLite puts a file of its own in place of the link
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_full_disk(engine: str, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"x.{suffix}"
    path.write_text("before")
    (tmp_path / f".x.{suffix}.part").symlink_to("/dev/full")
    with pytest.raises(BadRequest, match="No space left") as caught:
        read({"a": list(range(5_000))}, engine).write(path)
    assert str(path) in str(caught.value)
    assert path.read_text() == "before"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [path.name]


def test_a_failure_half_way_keeps_the_old_file(tmp_path: Path) -> None:
    def broken() -> Iterator[Any]:
        yield pa.table({"a": [1]})
        raise OSError(errno.EIO, "Rosalind")

    path = tmp_path / "x.csv"
    path.write_text("before")
    with pytest.raises(BadRequest, match="cannot be written") as caught:
        writers.write(writers.target(path), broken())
    assert "Rosalind" not in str(caught.value)
    assert path.read_text() == "before"


def test_excel_has_a_last_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writers, "_EXCEL_ROWS", 10)
    with pytest.raises(BadRequest, match="at most 10 rows"):
        from_rows(COLUMNS, ROWS).write(tmp_path / "x.xlsx")
    assert not (tmp_path / "x.xlsx").exists()


def test_excel_writes_no_formulas(tmp_path: Path) -> None:
    from_rows(["a"], [("=1+1",), ("http://x",)]).write(tmp_path / "x.xlsx")
    assert read(tmp_path / "x.xlsx").to_rows() == [("=1+1",), ("http://x",)]


def test_duckdb_does_not_overwrite_the_file_it_reads(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    from_rows(COLUMNS, ROWS).write(path)
    with pytest.raises(BadRequest, match="read from"):
        read(path, "duckdb").write(path)
    read(path, "polars").write(path)
    assert read(path).to_rows() == ROWS
