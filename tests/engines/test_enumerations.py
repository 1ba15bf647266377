"""DuckDB keeps few texts of a column as numbers; what a table holds and says does not depend on it."""

from __future__ import annotations

from pathlib import Path

import pytest

from sfumato.contracts.engine import SourceOptions
from sfumato.data.schema import ColumnType
from sfumato.engines import duckdb_delimited, open_source
from sfumato.errors import BadRequest

LINES = [
    "1,a,2020-01-02,x",
    "1.0,b,,-",
    "2.50,NaN,2020-01-01,x",
    "nan,a,2020-01-02,",
    ',é,2021-05-05,q"q',
    "2.5,a,2020-01-02,x",
]
OPTIONS = SourceOptions(missing=("", "-"), ignored=frozenset({"i"}))


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "x.csv"
    path.write_text("n,t,d,i\n" + "\n".join(line.replace('q"q', '"q""q"') for line in LINES) + "\n", "utf-8")
    return path


@pytest.mark.parametrize("few", [0, 3, 100])
def test_few_and_many_texts_are_one_table(few: int, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duckdb_delimited, "FEW", few)
    ours, other = open_source(source, "duckdb", OPTIONS).select(["n", "t", "d"]), open_source(source, "polars", OPTIONS)
    other = other.select(["n", "t", "d"])
    assert ours.types == other.types == {"n": ColumnType.NUMBER, "t": ColumnType.TEXT, "d": ColumnType.DATE}
    assert ours.to_rows() == other.to_rows()
    assert ours.content_digest() == other.content_digest()
    labels = {"t": {"a": "ab", "b": "ab", "NaN": None, "é": "é"}}
    for name in ("csv", "parquet"):
        written = source.parent / f"ours.{name}", source.parent / f"other.{name}"
        for table, path in zip((ours, other), written, strict=True):
            table.recode(labels).sort().write(path)
        assert written[0].read_bytes() == written[1].read_bytes()


def test_a_text_that_does_not_fit_is_told_with_its_row(source: Path) -> None:
    asked = SourceOptions(types={"d": ColumnType.INTEGER})
    told = []
    for engine in ("duckdb", "polars"):
        with pytest.raises(BadRequest) as refused:
            open_source(source, engine, asked)
        told.append(str(refused.value))
    assert told[0] == told[1]
