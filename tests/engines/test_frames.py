"""Frames in, the same kind of frame out, on both engines."""

from __future__ import annotations

import subprocess
import sys
import types
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sfumato
from sfumato.engines import read
from sfumato.errors import BadRequest, Unsupported

DATA = {"code": ["01", "02", None], "n": [3, 1, 2], "x": [0.5, 1.5, 2.5]}
ROWS = list(zip(*DATA.values(), strict=True))


def frame(kind: str) -> Any:
    if kind == "pandas":
        return pd.DataFrame(DATA)
    if kind == "polars":
        return pl.DataFrame(DATA)
    if kind == "polars-lazy":
        return pl.LazyFrame(DATA)
    if kind == "pyarrow":
        return pa.table(DATA)
    return duckdb.from_arrow(pa.table(DATA))


def rows(native: Any) -> list[tuple[Any, ...]]:
    if isinstance(native, pd.DataFrame):
        return [tuple(None if pd.isna(value) else value for value in row) for row in native.itertuples(index=False)]
    if isinstance(native, pl.LazyFrame):
        return native.collect().rows()
    if isinstance(native, pl.DataFrame):
        return native.rows()
    if isinstance(native, pa.Table):
        return [tuple(record.values()) for record in native.to_pylist()]
    return list(native.fetchall())


@pytest.mark.parametrize("kind", ["pandas", "polars", "polars-lazy", "pyarrow", "duckdb"])
def test_same_kind_comes_out(engine: str, kind: str) -> None:
    source = frame(kind)
    held = read(source, engine)
    assert held.to_rows() == ROWS
    out = held.recode({"n": {1: "few", 2: "few", 3: "many"}}).sort().to_native()
    assert type(out) is type(source)
    assert rows(out) == [(None, "few", 2.5), ("01", "many", 0.5), ("02", "few", 1.5)]
    assert rows(source) == ROWS, "the caller's frame is left alone"


def test_files_come_out_as_the_engine_s_own(engine: str, tmp_path: Any) -> None:
    (tmp_path / "x.csv").write_text("Code,n\n01,2\n02,1\n")
    out = read(tmp_path / "x.csv", engine).sort().to_native()
    assert isinstance(out, pl.DataFrame if engine == "polars" else duckdb.DuckDBPyRelation)
    assert list(out.columns) == ["Code", "n"]
    assert rows(out) == [("01", 2), ("02", 1)]


def test_categories_and_other_pandas_types(engine: str) -> None:
    source = pd.DataFrame(
        {
            "c": pd.Categorical(["b", "a", None, "b"], categories=["b", "a", "unused"]),
            "i": pd.array([1, None, 3, 4], dtype="Int64"),
            "d": pd.to_datetime(["2020-01-01", None, "2020-01-03", "2020-01-04"]),
        }
    )
    held = read(source, engine)
    assert held.dictionary("c").values == ("a", "b")
    assert held.dictionary("c").counts.tolist() == [1, 2]
    assert held.missing() == {"c": 1, "i": 1, "d": 1}
    assert [kind.value for kind in held.types.values()] == ["text", "integer", "datetime"]
    assert held.sort().select(["c"]).to_rows() == [(None,), ("a",), ("b",), ("b",)]


def test_spark_frames_are_not_pulled_onto_one_machine(engine: str) -> None:
    spark = types.new_class("DataFrame")
    spark.__module__ = "pyspark.sql.dataframe"
    with pytest.raises(Unsupported, match="read them with the engine spark"):
        read(spark(), engine)


def test_room_is_light_to_import() -> None:
    code = (
        "import sys, sfumato.engines; print([m for m in ('polars', 'duckdb', 'pyarrow', 'pandas') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_temporary_files_go_with_the_last_table(tmp_path: Any) -> None:
    code = (
        "import sys; from sfumato.engines import get_engine; e = get_engine('duckdb', directory=sys.argv[1]);"
        "t = e.open({'a': [1.5, 2.5]}); u = t.fill_missing('a', 'x'); print(u.to_rows(), t.to_native().fetchall())"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[('1.5',), ('2.5',)] [(1.5,), (2.5,)]"
    assert done.stderr == ""
    assert list(tmp_path.iterdir()) == []
    import gc

    from sfumato.engines import get_engine

    held = get_engine("duckdb", directory=str(tmp_path)).open({"a": [1]})
    assert len(list(tmp_path.iterdir())) == 1
    del held
    gc.collect()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "index",
    [
        list("abcdefghijkl"),
        [0] * 12,
        [None] * 12,
        range(5, 17),
        pd.CategoricalIndex(list("aabbccddeeff")),
        pd.date_range("2020", periods=12),
        pd.MultiIndex.from_product([["x", "y"], range(6)]),
        pd.Index(list("abcdefghijkl"), name="age"),
    ],
    ids=["texts", "equal", "missing", "shifted", "categories", "dates", "levels", "called like a column"],
)
def test_an_index_of_pandas_says_where_rows_are_and_is_no_column(index: Any) -> None:
    frame = pd.DataFrame({"age": [1, 1, 2, 2, 3, 3] * 2}, index=index)
    table = read(frame)
    assert table.columns == ("age",)
    assert table.to_rows() == [(value,) for value in frame["age"].tolist()]
    assert table.to_native().index.tolist() == list(range(12))


def test_an_index_of_pandas_with_a_name_is_a_column() -> None:
    frame = pd.DataFrame({"age": [1, 2]}, index=pd.Index(["x", "y"], name="town"))
    assert set(read(frame).columns) == {"age", "town"}


@pytest.mark.parametrize("values", [[2**70, 1], [1 + 2j, 1]])
def test_numbers_that_no_table_holds_are_refused(values: list[object]) -> None:
    frame = pytest.importorskip("pandas").DataFrame({"a": values})
    with pytest.raises(BadRequest, match="no table holds"):
        sfumato.read(frame)
