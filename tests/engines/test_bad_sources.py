"""Every bad source is refused in one line that says what is wrong and where, the same on both engines."""

from __future__ import annotations

import errno
import gzip
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.engines import from_rows, get_engine, read
from sfumato.errors import BadRequest

SECRET = "Rosalind"


def refusal(engine: str, source: Any, **options: Any) -> str:
    with pytest.raises(BadRequest) as caught:
        read(source, engine, **options)
    text = str(caught.value)
    assert "\n" not in text
    assert SECRET not in text, "rows must not show in messages"
    return text


def put(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    "content, expected",
    [
        ("a,b,c\n1,2,3\n4,Rosalind\n5,6,7\n", "line 3 has 2 fields, the header has 3"),
        ("a,b,c\n1,2,3\nRosalind\n", "line 3 has 1 field, the header has 3"),
        ("a,b,c\n1,2,3\n4,5", "line 3 has 2 fields, the header has 3"),
        ("a,b,c\r\n1,2,3\r\n4,5\r\n", "line 3 has 2 fields, the header has 3"),
        ("a,b\n1,2\n3,4,Rosalind\n", "line 3 has 3 fields, the header has 2"),
        ('a,b\n1,"x\ny"\n3\n', "line 4 has 1 field, the header has 2"),
        ('a,b,c\n1,"x,y",\n3,Rosalind\n', "line 3 has 2 fields, the header has 3"),
        ("a,b\n1,2\n\n3\n", "line 4 has 1 field, the header has 2"),
        ('a,b\n1,2\n3,"Rosalind\n4,5\n', "line 3 opens a quote that is never closed"),
        ('a,b\n1,2\n3,"x"Rosalind\n', "line 3 has text after a closing quote"),
        ("a,b,a\n1,2,3\n", "column names occur more than once, got a"),
        ("a,,c\n1,2,3\n", "column 2 of 3 has no name"),
        ("a,b\n", "has a header but no rows"),
        ("a,b", "has a header but no rows"),
        ("a,b\n\n\n", "has a header but no rows"),
        ("", "is empty"),
        ("\n\n", "is empty"),
        ("\na,b\n1,2\n", "line 1 is blank"),
        (
            b"a,b\n1,caf\xe9 Rosalind\n",
            "byte 9 is not UTF-8; if the file is in a Windows encoding, say `encoding: cp1252`",
        ),
        (b"a,b\n" + b"1,2\n" * 100_000 + b"1,\xff\n", "byte 400006 is not UTF-8"),
    ],
)
def test_bad_csv(engine: str, tmp_path: Path, content: str | bytes, expected: str) -> None:
    path = put(tmp_path, "x.csv", content)
    assert f"{path}: {expected}" in refusal(engine, path)


def test_short_row_far_into_a_long_file(engine: str, tmp_path: Path) -> None:
    lines = ["1,2,"] * 50_000
    lines[40_000] = "1,2"
    path = put(tmp_path, "x.csv", "a,b,c\n" + "\n".join(lines) + "\n")
    assert "line 40002 has 2 fields, the header has 3" in refusal(engine, path)


def test_bad_packed_csv(engine: str, tmp_path: Path) -> None:
    assert "cannot be read" in refusal(engine, put(tmp_path, "x.csv.gz", b"no gzip"))
    whole = gzip.compress("\n".join(["a,b", *(f"{at},{hash(str(at))}" for at in range(100_000))]).encode())
    assert "cannot be read (it is damaged)" in refusal(engine, put(tmp_path, "y.csv.gz", whole[:-1000]))
    assert "line 1 is malformed" in refusal(engine, put(tmp_path, "w.csv", "x" * 200_000))
    path = put(tmp_path, "z.csv.gz", gzip.compress(b"a,b\n1,2\n3\n"))
    assert "line 3 has 1 field" in refusal(engine, path)


def test_bad_places(engine: str, tmp_path: Path) -> None:
    assert "there is no such file" in refusal(engine, tmp_path / "none.csv")
    assert "is a folder" in refusal(engine, tmp_path)
    assert "suffix does not tell the format" in refusal(engine, put(tmp_path, "x.what", "a\n1\n"))
    assert "suffix does not tell the format" in refusal(engine, put(tmp_path, "nosuffix", "a\n1\n"))
    assert "not a known format" in refusal(engine, put(tmp_path, "x.csv", "a\n1\n"), format="cvs")
    assert "packed with gzip" in refusal(engine, put(tmp_path, "x.parquet.gz", "a"))
    assert "is not a source of rows" in refusal(engine, 5)


def test_unreadable_file(engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> Any:
        raise PermissionError(errno.EACCES, "Permission denied")

    path = put(tmp_path, "x.csv", "a\n1\n")
    monkeypatch.setattr(Path, "open", refuse)
    assert "cannot be read (Permission denied)" in refusal(engine, path)


def test_bad_options(engine: str, tmp_path: Path) -> None:
    path = put(tmp_path, "x.csv", "age,b\n1,2\n")
    assert "encodings" not in refusal(engine, path, encoding="utf-9")
    assert "is not a known encoding" in refusal(engine, path, encoding="utf-9")
    assert "byte 0 is not utf-16" in refusal(engine, path, encoding="utf-16")
    assert "must be one character" in refusal(engine, path, separator="::")
    assert "did you mean 'separator'" in refusal(engine, path, seperator=";")
    assert "is not a column" in refusal(engine, path, types={"agee": "integer"})
    assert "is not a type" in refusal(engine, path, types={"age": "whole"})
    assert "is not a known engine" in refusal("polar", path)


@pytest.mark.parametrize("kind, count", [("integer", 2), ("number", 2), ("boolean", 3), ("date", 4), ("datetime", 4)])
def test_values_outside_a_forced_type(engine: str, tmp_path: Path, kind: str, count: int) -> None:
    path = put(tmp_path, "x.csv", "a,b\n1,1\nRosalind,1\n12,1\nRosalind,1\n,1\n")
    text = refusal(engine, path, types={"a": kind})
    assert f"column 'a': {count} values are not of the type {kind}" in text
    assert text.endswith(f"the first one in row {2 if count == 2 or kind == 'boolean' else 1} of the data")
    assert "Rosalind" not in text
    assert refusal(engine, pa.table({"a": ["1", "Rosalind", "12", "Rosalind", None]}), types={"a": kind}).endswith(
        f"{count} values are not of the type {kind} that was asked for"
    )


def test_forced_types_of_typed_columns(engine: str) -> None:
    frame = pa.table({"f": [1.0, 1.5, 2.5, 1e300], "b": [True, False, True, None]})
    assert "column 'f': 3 values are not of the type integer" in refusal(engine, frame, types={"f": "integer"})
    assert "holds boolean values, which cannot be read as date" in refusal(engine, frame, types={"b": "date"})


def test_bad_typed_files(engine: str, tmp_path: Path) -> None:
    for name in ("x.parquet", "x.feather", "x.xlsx"):
        assert "cannot be read as" in refusal(engine, put(tmp_path, name, f"{SECRET} is not a table"))
    assert "cannot be read as jsonl" in refusal(engine, put(tmp_path, "x.jsonl", f'{{"a": 1}}\n{{"{SECRET}": \n'))
    pq.write_table(pa.table({"a": pa.array([], pa.int64())}), tmp_path / "e.parquet")
    assert "has no rows" in refusal(engine, tmp_path / "e.parquet")


@pytest.mark.parametrize(
    "column",
    [pa.array([[1], [2]]), pa.array([{"x": 1}, None]), pa.array([b"x", b"y"]), pa.array([1, 2], pa.duration("s"))],
    ids=["list", "struct", "binary", "duration"],
)
def test_types_that_cannot_be_published(engine: str, tmp_path: Path, column: Any) -> None:
    frame = pa.table({"odd": column})
    assert "column 'odd': holds a type that cannot be grouped or published" in refusal(engine, frame)
    if not pa.types.is_duration(column.type):
        pq.write_table(frame, tmp_path / "x.parquet")
        assert "column 'odd'" in refusal(engine, tmp_path / "x.parquet")


def test_bad_excel(engine: str, tmp_path: Path) -> None:
    import xlsxwriter

    def book(name: str, header: list[str], sheets: int = 1, rows: int = 1) -> Path:
        with xlsxwriter.Workbook(str(tmp_path / name)) as made:
            for number in range(sheets):
                sheet = made.add_worksheet(f"s{number}")
                for row in range(rows + 1 if header else 0):
                    sheet.write_row(row, 0, header if row == 0 else [1] * len(header))
        return tmp_path / name

    assert "occur more than once, got a" in refusal(engine, book("dup.xlsx", ["a", "b", "a"]))
    assert "available: s0, s1" in refusal(engine, book("two.xlsx", ["a"], sheets=2))
    assert "is not a sheet" in refusal(engine, book("one.xlsx", ["a"]), sheet="s9")
    assert "has a header but no rows" in refusal(engine, book("head.xlsx", ["a"], rows=0))
    assert "is empty" in refusal(engine, book("none.xlsx", []))


def test_bad_sqlite(engine: str, tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE one (a)")
    connection.execute("CREATE TABLE two (a)")
    connection.execute("INSERT INTO two VALUES (x'00')")
    connection.commit()
    connection.close()
    assert "name the table to read; available: one, two" in refusal(engine, path)
    assert "is not a table, got 'on'" in refusal(engine, path, table="on")
    assert "has no rows" in refusal(engine, path, table="one")
    assert "column 'a': holds a type" in refusal(engine, path, table="two")
    assert refusal(engine, put(tmp_path, "y.db", SECRET * 100))


@pytest.mark.postgres
def test_bad_postgresql(engine: str, postgres: str) -> None:
    assert "is not a table, got 'none'" in refusal(engine, postgres, table="none")
    wrong = postgres.replace("tester@", f"tester:{SECRET}@").replace("/postgres", "/nowhere")
    assert 'cannot connect to the database: connection to server at "127.0.0.1", port ' in refusal(
        engine, wrong, table="none"
    )
    assert 'database "nowhere" does not exist' in refusal(engine, wrong, table="none")
    assert 'role "stranger" does not exist' in refusal(engine, postgres.replace("tester@", f"stranger:{SECRET}@"))


def test_a_server_that_is_not_there_is_named_with_its_port_and_the_reason(engine: str) -> None:
    pytest.importorskip("adbc_driver_postgresql")
    told = refusal(engine, f"postgresql://me:{SECRET}@127.0.0.1:1/x", table="none")
    assert 'server at "127.0.0.1", port 1 failed: Connection refused' in told


def test_bad_frames(engine: str) -> None:
    import pandas as pd

    assert "occur more than once" in refusal(engine, pd.DataFrame([[1, 2]], columns=["a", "a"]))
    assert "must be texts" in refusal(engine, pd.DataFrame([[1, 2]], columns=[0, 1]))
    assert "mixes types" in refusal(engine, pd.DataFrame({"a": [1, SECRET]}))
    assert "no rows" in refusal(engine, pd.DataFrame({"a": []}))
    assert "no columns" in refusal(engine, {})
    assert "same number of rows" in refusal(engine, {"a": [1], "b": [1, 2]})
    assert "column 'a': holds values that do not make one column" in refusal(engine, {"a": [1, SECRET]})
    assert "must hold records" in refusal(engine, [1, 2])


def test_bad_rows() -> None:
    with pytest.raises(BadRequest, match="row 1 has 1 values, there are 2 columns"):
        from_rows(["a", "b"], [(1, 2), (1,)])
    with pytest.raises(BadRequest, match="more than once"):
        from_rows(["a", "a"], [(1, 2)])


def test_bad_engine_parameters(tmp_path: Path) -> None:
    path = put(tmp_path, "x.csv", "a\n1\n")
    with pytest.raises(BadRequest, match=r"duckdb.memory_limit: is not an amount of memory"):
        read(path, get_engine("duckdb", memory_limit="much"))
    with pytest.raises(BadRequest, match=r"duckdb.threads: must be >= 1"):
        get_engine("duckdb", threads=0)
    with pytest.raises(BadRequest, match=r"duckdb.directory"):
        read(path, get_engine("duckdb", directory=str(tmp_path / "none")))
    with pytest.raises(BadRequest, match="is not a parameter"):
        get_engine("polars", threads=1)


DAMAGED = """
import sys
from random import Random
from pathlib import Path
import sfumato
from sfumato.engines import read
from sfumato.errors import BadRequest

folder, ending = Path(sys.argv[1]), sys.argv[2]
whole = (folder / f"good.{ending}").read_bytes()
for number in range(60):
    rng = Random(number)
    held = bytearray(whole)
    for _ in range(rng.choice([1, 4, 16])):
        at = rng.randrange(len(held))
        held[at : at + 8] = rng.choice([bytes(8), b"\\xff" * 8, rng.randbytes(8), b""])
    (folder / f"bad.{ending}").write_bytes(held)
    for engine in ("polars", "duckdb"):
        try:
            read(folder / f"bad.{ending}", engine=engine).to_rows()
        except BadRequest:
            pass
print("survived")
"""


@pytest.mark.parametrize("ending", ["arrow", "parquet", "xlsx", "sqlite"])
def test_a_damaged_file_is_refused_and_ends_nobody(ending: str, tmp_path: Path) -> None:
    """In a process of its own: readers used to end the whole process, or to fail in ways that are no errors of ours."""
    (tmp_path / "good.csv").write_text("age,job\n" + "".join(f"{20 + i % 7},job {i % 5}\n" for i in range(200)))
    read(tmp_path / "good.csv").write(tmp_path / f"good.{ending}")
    done = subprocess.run([sys.executable, "-c", DAMAGED, str(tmp_path), ending], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-500:]
    assert done.stdout == "survived\n"
    assert done.stderr == ""
