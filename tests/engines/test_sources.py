"""Every source format, on both engines: what is written is read back, and what is not masked stays as it was."""

from __future__ import annotations

import datetime as dt
import gzip
import sqlite3
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sfumato.data.schema import ColumnType
from sfumato.engines import from_rows, read
from sfumato.errors import BadRequest

TEXT = "zip,age,score,member,born,seen,name\n" + "\n".join(
    [
        "01305,34,1.50,True,1990-01-02,2020-01-01T10:00:00,Ann",
        '00042,9,1e3,false,1980-05-06,2020-01-01 09:30,"Smith, ""Jo"""',
        '01305,,,,,,"two\nlines"',
    ]
)
ROWS = [
    ("01305", 34, 1.5, True, dt.date(1990, 1, 2), dt.datetime(2020, 1, 1, 10), "Ann"),
    ("00042", 9, 1000.0, False, dt.date(1980, 5, 6), dt.datetime(2020, 1, 1, 9, 30), 'Smith, "Jo"'),
    ("01305", None, None, None, None, None, "two\nlines"),
]
TYPES = ["text", "integer", "number", "boolean", "date", "datetime", "text"]


def put(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


# ---- delimited text --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["", "\n", "\n\n", "\n\n\n"])
def test_csv(engine: str, tmp_path: Path, ending: str) -> None:
    held = read(put(tmp_path, "x.csv", TEXT + ending), engine)
    assert [kind.value for kind in held.types.values()] == TYPES
    assert held.to_rows() == ROWS


def test_csv_round_trip_keeps_every_text(engine: str, tmp_path: Path) -> None:
    path = put(tmp_path, "x.csv", TEXT + "\n")
    read(path, engine).write(tmp_path / "y.csv")
    assert (tmp_path / "y.csv").read_text() == TEXT + "\n"


def test_csv_to_parquet_has_types(engine: str, tmp_path: Path) -> None:
    read(put(tmp_path, "x.csv", TEXT), engine).write(tmp_path / "y.parquet")
    found = pq.read_table(tmp_path / "y.parquet")
    assert [str(field.type) for field in found.schema] == [
        "string",
        "int64",
        "double",
        "bool",
        "date32[day]",
        "timestamp[us]",
        "string",
    ]
    assert [tuple(record.values()) for record in found.to_pylist()] == ROWS
    assert read(tmp_path / "y.parquet", engine).to_rows() == ROWS


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_separator_is_found(engine: str, tmp_path: Path, separator: str) -> None:
    lines = [["a", "b", "c"], ["1", "x", "2"], ["3", "y z", "4"]]
    path = put(tmp_path, "x.txt", "\n".join(separator.join(line) for line in lines))
    assert read(path, engine).to_rows() == [(1, "x", 2), (3, "y z", 4)]


def test_decimal_commas_do_not_win_over_semicolons(engine: str, tmp_path: Path) -> None:
    path = put(tmp_path, "x.csv", "a;b;c\n1,5;2,5;3,5,5\n1,6;2,6;3,6\n")
    assert read(path, engine).columns == ("a", "b", "c")


def test_separator_can_be_given(engine: str, tmp_path: Path) -> None:
    path = put(tmp_path, "x.csv", "a:b\n1:2\n")
    assert read(path, engine, separator=":").to_rows() == [(1, 2)]
    assert read(path, engine).columns == ("a:b",)


def test_tsv_keeps_commas(engine: str, tmp_path: Path) -> None:
    path = put(tmp_path, "x.tsv", "a,b\tc\n1,2\tz\n")
    held = read(path, engine)
    assert held.columns == ("a,b", "c")
    held.write(tmp_path / "y.tsv")
    assert (tmp_path / "y.tsv").read_bytes() == path.read_bytes()


def test_format_can_be_given(engine: str, tmp_path: Path) -> None:
    assert read(put(tmp_path, "x.data", "a,b\n1,2\n"), engine, format="csv").to_rows() == [(1, 2)]


def test_packed_csv(engine: str, tmp_path: Path) -> None:
    path = put(tmp_path, "x.csv.gz", gzip.compress(TEXT.encode()))
    held = read(path, engine)
    assert held.to_rows() == ROWS
    held.write(tmp_path / "y.csv.gz")
    assert gzip.decompress((tmp_path / "y.csv.gz").read_bytes()).decode() == TEXT + "\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings_that_show_themselves(engine: str, tmp_path: Path, encoding: str) -> None:
    held = read(put(tmp_path, "x.csv", "naïve,b\né,2\n".encode(encoding)), engine)
    assert held.columns == ("naïve", "b")
    assert held.to_rows() == [("é", 2)]


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "utf-16-le"])
def test_encodings_that_must_be_told(engine: str, tmp_path: Path, encoding: str) -> None:
    held = read(put(tmp_path, "x.csv", "name,b\ncafé,2\n".encode(encoding)), engine, encoding=encoding)
    assert held.to_rows() == [("café", 2)]


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_line_ends(engine: str, tmp_path: Path, newline: str) -> None:
    path = put(tmp_path, "x.csv", newline.join(["a,b", "1,x", "2,", ""]))
    assert read(path, engine).to_rows() == [(1, "x"), (2, None)]


def test_quoted_separators_do_not_look_like_short_rows(engine: str, tmp_path: Path) -> None:
    path = put(tmp_path, "x.csv", 'a,b,c\n1,"x,\ny",\n2,"",""\n,,\n')
    assert read(path, engine).to_rows() == [(1, "x,\ny", None), (2, None, None), (None, None, None)]


def test_quote_inside_a_bare_field_is_a_letter(engine: str, tmp_path: Path) -> None:
    path = put(tmp_path, "x.csv", 'a,b\n1,5" disk\n2,6"\n3,7\n')
    assert read(path, engine).to_rows() == [(1, '5" disk'), (2, '6"'), (3, "7")]


def test_blank_lines_between_records_are_skipped(engine: str, tmp_path: Path) -> None:
    assert read(put(tmp_path, "x.csv", "a,b\n1,2\n\n3,\n\n"), engine).to_rows() == [(1, 2), (3, None)]


def test_single_column(engine: str, tmp_path: Path) -> None:
    held = read(put(tmp_path, "x.csv", "a\n1\n\n2\n"), engine)
    assert held.to_rows() == [(1,), (None,), (2,)]
    held.write(tmp_path / "y.csv")
    assert read(tmp_path / "y.csv", engine).to_rows() == held.to_rows()


def test_file_names_are_no_patterns(engine: str, tmp_path: Path) -> None:
    for name in ("a*.csv", "b[1].csv", "c?.csv"):
        put(tmp_path, name.replace("*", "x").replace("[1]", "1").replace("?", "x"), "a,b\n9,9\n")
        assert read(put(tmp_path, name, "a,b\n1,2\n"), engine).to_rows() == [(1, 2)]


def test_long_file_in_many_portions(tmp_path: Path) -> None:
    lines = [f"{at % 97},{'x' * (at % 13)},{at}" for at in range(60_000)]
    path = put(tmp_path, "x.csv", "a,b,c\n" + "\n".join(lines) + "\n")
    results = {}
    for name in ("polars", "duckdb"):
        held = read(path, name)
        assert held.rows == 60_000
        assert [kind.value for kind in held.types.values()] == ["integer", "text", "integer"]
        held.write(tmp_path / f"{name}.csv")
        held.sort().write(tmp_path / f"{name}.parquet")
        assert (tmp_path / f"{name}.csv").read_bytes() == path.read_bytes()
        results[name] = (tmp_path / f"{name}.parquet").read_bytes()
    assert results["polars"] == results["duckdb"]


CELLS = st.text(st.sampled_from(list('ab01.-,;|"\t\n é #')), max_size=6)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=8), separator=st.sampled_from(",;\t|"))
def test_random_texts_survive(engine: str, tmp_path: Path, rows: list[tuple[str, ...]], separator: str) -> None:
    from_rows(["a", "b", "c"], rows).write(tmp_path / "x.csv", separator=separator)
    types = dict.fromkeys("abc", "text")
    held = read(tmp_path / "x.csv", engine, separator=separator, types=types)
    assert held.to_rows() == [tuple(text or None for text in row) for row in rows]
    kept = read(tmp_path / "x.csv", engine, separator=separator, types=types, missing=())
    assert kept.to_rows() == rows


# ---- types -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "values, kind",
    [
        (["1", "-2", "0"], "integer"),
        (["1", "02"], "text"),
        (["01305", "90210"], "text"),
        (["9223372036854775807"], "integer"),
        (["9223372036854775808"], "text"),
        (["1.5", "9223372036854775808"], "text"),
        (["1.5", "2"], "number"),
        (["1e-3", "2E5"], "number"),
        (["01.5", "2"], "text"),
        (["1e999"], "text"),
        (["+1"], "text"),
        ([" 1"], "text"),
        ([".5"], "text"),
        (["inf", "1.5"], "text"),
        (["nan", "1.5"], "number"),
        (["NaN", "1"], "integer"),
        (["nan", "x"], "text"),
        (["nan"], "text"),
        (["nan", "true"], "text"),
        (["true", "False", "TRUE"], "boolean"),
        (["true", "yes"], "text"),
        (["0", "1"], "integer"),
        (["2020-02-29"], "date"),
        (["2021-02-29"], "text"),
        (["2020-2-9"], "text"),
        (["0000-01-01"], "text"),
        (["0001-01-01", "9999-12-31"], "date"),
        (["2020-01-01 10:00", "2020-01-01T10:00:00.5"], "datetime"),
        (["2020-01-01 24:00"], "text"),
        (["2020-01-01", "2020-01-01 10:00"], "text"),
        (["2020-01-01T10:00:00Z"], "text"),
        ([""], "text"),
    ],
)
def test_types_are_found(engine: str, tmp_path: Path, values: list[str], kind: str) -> None:
    path = put(tmp_path, "x.csv", "a,b\n" + "".join(f"{value},k\n" for value in values))
    assert read(path, engine).types["a"].value == kind


def test_nan_among_numbers_is_missing(engine: str, tmp_path: Path) -> None:
    held = read(put(tmp_path, "x.csv", "a,b\n1.5,nan\nnan,x\nNaN,y\n"), engine)
    assert held.missing() == {"a": 2, "b": 0}
    assert held.to_rows() == [(1.5, "nan"), (None, "x"), (None, "y")]


def test_missing_tokens(engine: str, tmp_path: Path) -> None:
    path = put(tmp_path, "x.csv", "a,b\n1,?\n?,x\n,NA\n")
    held = read(path, engine, missing=["", "?", "NA"])
    assert held.to_rows() == [(1, None), (None, "x"), (None, None)]
    assert held.types["a"] is ColumnType.INTEGER
    assert read(path, engine, missing="?").missing() == {"a": 1, "b": 1}
    assert read(path, engine).types["a"] is ColumnType.TEXT


def test_missing_tokens_of_typed_sources(engine: str) -> None:
    frame = pa.table({"a": ["x", "", "?"], "b": ["1", "?", "3"]})
    assert read(frame, engine).missing() == {"a": 0, "b": 0}
    held = read(frame, engine, missing=["?"], types={"b": "integer"})
    assert held.to_rows() == [("x", 1), ("", None), (None, 3)]


def test_types_can_be_forced(engine: str, tmp_path: Path) -> None:
    path = put(tmp_path, "x.csv", "a,b,c,d\n007,1,1,5\n12,0,2,\n")
    held = read(path, engine, types={"a": "integer", "b": "boolean", "c": "text", "d": "number"})
    assert held.to_rows() == [(7, True, "1", 5.0), (12, False, "2", None)]
    held.write(tmp_path / "y.csv")
    assert (tmp_path / "y.csv").read_bytes() == path.read_bytes()


def test_equal_values_with_different_texts(engine: str, tmp_path: Path) -> None:
    held = read(put(tmp_path, "x.csv", "a,b\n1.50,x\n1.5,x\n0.5,x\n1.5,x\n"), engine)
    assert held.dictionary("a").values == (0.5, 1.5)
    assert held.dictionary("a").counts.tolist() == [1, 3]
    assert held.groups(["a", "b"]).as_dict() == {(0.5, "x"): 1, (1.5, "x"): 3}
    assert held.compress(["a"]).weights.tolist() == [1, 3]
    assert held.distinct(["a"]) == 2
    held.sort().write(tmp_path / "y.csv")
    assert (tmp_path / "y.csv").read_text() == "a,b\n0.5,x\n1.5,x\n1.5,x\n1.5,x\n"  # what counts as alike looks alike
    assert held.recode({"a": {0.5: "low", 1.5: "high"}}).to_rows()[0] == ("high", "x")
    assert held.drop_groups(["a"], [(1.5,)]).rows == 1


SPELLED = (
    "n,i,b,t\n"
    "1,0,true,2020-01-01T00:00\n"
    "1.0,-0,TRUE,2020-01-01 00:00:00\n"
    "1e0,0,True,2020-01-01T00:00:00.0\n"
    "-0,3,false,2020-01-02T00:00:00.250\n"
    "0,3,FALSE,2020-01-02T00:00:00.25\n"
)


def test_a_value_has_one_spelling(engine: str, tmp_path: Path) -> None:
    held = read(put(tmp_path, "x.csv", SPELLED), engine)
    held.write(tmp_path / "y.csv")
    lines = (tmp_path / "y.csv").read_text().splitlines()
    assert lines[1:] == ["1,0,true,2020-01-01T00:00:00"] * 3 + ["0,3,false,2020-01-02T00:00:00.250000"] * 2
    texts = read(put(tmp_path, "x.csv", SPELLED), engine, types=dict.fromkeys("nibt", "text"))
    texts.write(tmp_path / "x.parquet")
    types = {"n": "number", "i": "integer", "b": "boolean", "t": "datetime"}
    read(tmp_path / "x.parquet", engine, types=types).write(tmp_path / "z.csv")
    assert (tmp_path / "z.csv").read_bytes() == (tmp_path / "y.csv").read_bytes()


def test_columns_as_written_are_texts_where_a_value_has_several_spellings(engine: str, tmp_path: Path) -> None:
    path = put(tmp_path, "x.csv", SPELLED)
    held = read(path, engine, as_written=frozenset("nibt"))
    assert set(held.types.values()) == {ColumnType.TEXT}
    held.write(tmp_path / "y.csv")
    assert (tmp_path / "y.csv").read_text() == SPELLED
    missing = put(tmp_path, "m.csv", "n,i\n1,1\nnan,2\nNaN,3\n")
    assert read(missing, engine, as_written=frozenset({"n", "i"})).to_rows() == [("1", 1), ("nan", 2), ("NaN", 3)]
    alike = put(tmp_path, "a.csv", "n,i\n1.50,1\n1.50,2\n,3\n")
    assert read(alike, engine, as_written=frozenset({"n", "i"})).to_rows() == [(1.5, 1), (1.5, 2), (None, 3)]


def test_numbers_in_lines_of_json_as_written(engine: str, tmp_path: Path) -> None:
    path = put(tmp_path, "x.jsonl", '{"a": 1}\n{"a": 1.0}\n{"a": 2.5}\n')
    assert read(path, engine).rows == 3
    with pytest.raises(BadRequest, match="several ways"):
        read(path, engine, as_written=frozenset("a"))


def test_types_of_typed_sources_can_be_forced(engine: str) -> None:
    frame = pa.table({"code": ["007", None], "n": [1.0, 2.0], "i": [1, 2], "d": ["2020-01-02", "2020-01-03"]})
    held = read(frame, engine, types={"code": "integer", "n": "integer", "i": "text", "d": "date"})
    assert held.to_rows() == [(7, 1, "1", dt.date(2020, 1, 2)), (None, 2, "2", dt.date(2020, 1, 3))]
    assert read(frame, engine, types={"i": "number"}).to_rows()[0] == ("007", 1.0, 1.0, "2020-01-02")


# ---- typed files -----------------------------------------------------------------------------------------------------

TYPED = pa.table(
    {
        "code": pa.array(["01", None, "02"]),
        "i": pa.array([1, None, 3], pa.int16()),
        "u": pa.array([1, None, 3], pa.uint8()),
        "f": pa.array([0.5, None, 1e20], pa.float32()),
        "g": pa.array([0.5, float("nan"), -0.0]),
        "b": pa.array([True, None, False]),
        "d": pa.array([dt.date(2020, 1, 1), None, dt.date(1, 1, 1)]),
        "t": pa.array([dt.datetime(2020, 1, 1, 1), None, dt.datetime(2020, 1, 1, 2, 3, 4, 5)], pa.timestamp("us")),
        "n": pa.array([dt.datetime(2020, 1, 1, 1), None, None], pa.timestamp("ns")),
        "z": pa.array([dt.datetime(2020, 1, 1, 1), None, None], pa.timestamp("us", tz="Europe/Paris")),
        "e": pa.array(["x", None, "y"]).dictionary_encode(),
        "m": pa.array([1.25, None, 3]).cast(pa.decimal128(10, 2)),
        "nothing": pa.nulls(3),
    }
)
TYPED_ROWS = [
    tuple(
        None if value != value else value.replace(tzinfo=None) if isinstance(value, dt.datetime) else value
        for value in record.values()
    )
    for record in TYPED.to_pylist()
]
TYPED_ROWS[0] = (*TYPED_ROWS[0][:9], dt.datetime(2020, 1, 1, 1), *TYPED_ROWS[0][10:])


def write_typed(path: Path) -> None:
    if path.suffix == ".parquet":
        pq.write_table(TYPED, path)
    else:
        feather.write_feather(TYPED, str(path))


@pytest.mark.parametrize("name", ["x.parquet", "x.feather", "x.arrow"])
def test_typed_files_keep_their_types(engine: str, tmp_path: Path, name: str) -> None:
    write_typed(tmp_path / name)
    held = read(tmp_path / name, engine)
    assert held.to_rows() == TYPED_ROWS
    assert held.missing()["g"] == 1
    assert held.dictionary("g").values == (0.0, 0.5)
    assert [kind.value for kind in held.types.values()] == [
        *("text", "integer", "integer", "number", "number", "boolean", "date", "datetime", "datetime", "datetime"),
        *("text", "number", "text"),
    ]
    kinds = [str(field.type) for field in next(iter(held.batches())).schema]
    assert kinds[:7] == ["string", "int16", "uint8", "float", "double", "bool", "date32[day]"]
    assert kinds[7:] == ["timestamp[us]"] * 3 + ["string", "decimal128(10, 2)", "string"]


@pytest.mark.parametrize(
    "suffix", ["csv", "tsv", "csv.gz", "parquet", "feather", "jsonl", "jsonl.gz", "xlsx", "sqlite"]
)
def test_both_engines_write_the_same_bytes(tmp_path: Path, suffix: str) -> None:
    pq.write_table(TYPED, tmp_path / "x.parquet")
    for name in ("polars", "duckdb"):
        read(tmp_path / "x.parquet", name).write(tmp_path / f"{name}.{suffix}")
    first = (tmp_path / f"polars.{suffix}").read_bytes()
    assert first == (tmp_path / f"duckdb.{suffix}").read_bytes()
    read(tmp_path / "x.parquet", "polars").write(tmp_path / f"again.{suffix}")
    assert first == (tmp_path / f"again.{suffix}").read_bytes()


def test_text_of_typed_values(engine: str, tmp_path: Path) -> None:
    read(TYPED, engine).write(tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_text().splitlines()[1:] == [
        "01,1,1,0.5,0.5,true,2020-01-01,2020-01-01T01:00:00,2020-01-01T01:00:00,2020-01-01T01:00:00,x,1.25,",
        ",,,,,,,,,,,,",
        "02,3,3,1e+20,0.0,false,0001-01-01,2020-01-01T02:03:04.000005,,,y,3.00,",
    ]


@pytest.mark.parametrize(
    "suffix", ["parquet", "feather", "jsonl", "jsonl.gz", "xlsx", "sqlite", "csv", "tsv", "csv.gz"]
)
def test_round_trip(engine: str, tmp_path: Path, suffix: str) -> None:
    rows = [("01305", 34, 1.5, "é"), ("00042", None, -2.25, None), ("x,y", 9, None, "z")]
    from_rows(["code", "age", "score", "name"], rows).write(tmp_path / f"x.{suffix}")
    held = read(tmp_path / f"x.{suffix}", engine)
    assert held.to_rows() == rows
    assert [kind.value for kind in held.types.values()] == ["text", "integer", "number", "text"]


def test_excel_keeps_codes_and_dates(engine: str, tmp_path: Path) -> None:
    import xlsxwriter

    with xlsxwriter.Workbook(str(tmp_path / "x.xlsx")) as book:
        for sheet_name in ("first", "second"):
            sheet = book.add_worksheet(sheet_name)
            sheet.write_row(0, 0, ["code", "n", "mixed", "day"])
            sheet.write_string(1, 0, "01305")
            sheet.write_number(1, 1, 5)
            sheet.write_number(1, 2, 7)
            sheet.write_datetime(1, 3, dt.datetime(2020, 1, 2), book.add_format({"num_format": "yyyy-mm-dd"}))
            sheet.write_string(2, 0, "90210")
            sheet.write_string(2, 2, "x")
    held = read(tmp_path / "x.xlsx", engine, sheet="second")
    assert [row[:3] for row in held.to_rows()] == [("01305", 5, "7"), ("90210", None, "x")]
    assert held.types["day"] in (ColumnType.DATE, ColumnType.DATETIME)


def test_sqlite(engine: str, tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    connection = sqlite3.connect(path)
    connection.execute('CREATE TABLE people (code TEXT, n INTEGER, x REAL, late TEXT, mixed, "od""d" TEXT)')
    connection.execute("CREATE TABLE other (a)")
    rows = [
        (f"{at:05}", at, at / 2, None if at < 2_000 else "z", at if at % 2 else at / 2, "o'x") for at in range(3_000)
    ]
    connection.executemany("INSERT INTO people VALUES (?, ?, ?, ?, ?, ?)", rows)
    connection.commit()
    connection.close()
    held = read(path, engine, table="people")
    assert held.columns == ("code", "n", "x", "late", "mixed", 'od"d')
    assert held.to_rows() == [(*row[:4], float(row[4]), row[5]) for row in rows]
    assert [kind.value for kind in held.types.values()] == ["text", "integer", "number", "text", "number", "text"]
    assert read(f"sqlite:///{path}", engine, table="people").rows == 3_000


def test_duckdb_files(engine: str, tmp_path: Path) -> None:
    import duckdb

    path = tmp_path / "x.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute('CREATE TABLE people (code TEXT, n INTEGER, x DECIMAL(6, 2), day DATE, "od""d" UUID)')
        connection.execute(
            "INSERT INTO people VALUES ('007', 1, 1.5, '2020-02-29', uuid()), (NULL, NULL, 2, NULL, NULL)"
        )
        connection.execute("CREATE SCHEMA s")
        connection.execute("CREATE TABLE s.blobs (b BLOB)")
    held = read(path, engine, table="people")
    assert held.columns == ("code", "n", "x", "day", 'od"d')
    assert [row[:3] for row in held.to_rows()] == [("007", 1, 1.5), (None, None, 2.0)]
    for table, told in ((None, "name the table"), ("nothing", "s.blobs"), ("s.blobs", "cannot be grouped")):
        with pytest.raises(BadRequest, match=told):
            read(path, engine, table=table)
    path.write_bytes(b"no database" * 500)
    with pytest.raises(BadRequest, match="cannot be read as a DuckDB file"):
        read(path, engine)


@pytest.mark.postgres
def test_postgresql(engine: str, postgres: str) -> None:
    from adbc_driver_postgresql import dbapi

    schema = f"s_{engine}"
    with dbapi.connect(postgres, autocommit=True) as connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE SCHEMA {schema}")
        cursor.execute(
            f"CREATE TABLE {schema}.people (code text, n integer, x double precision, m numeric(10,2), b boolean, "
            'd date, t timestamp, z timestamptz, u uuid, c char(3), "Odd Name" varchar(9))'
        )
        cursor.execute(
            f"INSERT INTO {schema}.people VALUES ('01305', 1, 0.5, 1.25, true, '2020-01-02', '2020-01-02 03:04:05.5', "
            "'2020-01-02 03:04:05+02', '00000000-0000-0000-0000-000000000001', 'ab', 'é'), "
            "('é', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)"
        )
    held = read(postgres, engine, table=f"{schema}.people")
    assert held.to_rows() == [
        (
            *("01305", 1, 0.5, 1.25, True, dt.date(2020, 1, 2), dt.datetime(2020, 1, 2, 3, 4, 5, 500_000)),
            *(dt.datetime(2020, 1, 2, 1, 4, 5), "00000000-0000-0000-0000-000000000001", "ab", "é"),
        ),
        ("é", *[None] * 10),
    ]
    assert held.groups(["code"]).as_dict() == {("01305",): 1, ("é",): 1}


# ---- plain data ------------------------------------------------------------------------------------------------------


def test_plain_python_data(engine: str) -> None:
    rows: list[tuple[Any, ...]] = [(1, "x", 1.5), (2, None, 2.0)]
    assert read({"a": [1, 2], "b": ["x", None], "c": [1.5, 2]}, engine).to_rows() == rows
    assert read([{"a": 1, "b": "x", "c": 1.5}, {"a": 2, "c": 2}], engine).to_rows() == rows
    assert from_rows(["a", "b", "c"], rows).to_rows() == rows


def test_a_table_is_a_source_of_itself(engine: str) -> None:
    held = read({"a": [1, 2]}, engine)
    assert read(held, engine) is held
