"""SPSS, Stata and SAS files: labels instead of codes, missing codes missing, dates as dates, damaged files refused."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from sfumato.engines import read
from sfumato.errors import BadRequest

pyreadstat = pytest.importorskip("pyreadstat")
pd = pytest.importorskip("pandas")

LABELS = {"sex": {1: "male", 2: "female", 9: "refused"}, "age": {98: "98 or more", 99: "unknown"}}


def frame() -> object:
    rows = {"sex": [1, 2, 9], "age": [30.0, 98, 99], "w": [1.5, 2, 3], "t": ["a", "", "c"]}
    return pd.DataFrame({**rows, "born": [date(1990, 1, day) for day in (1, 2, 3)]})


def test_spss(engine: str, tmp_path: Path) -> None:
    path = tmp_path / "x.sav"
    missing = {"sex": [9], "age": [99]}
    pyreadstat.write_sav(frame(), str(path), variable_value_labels=LABELS, missing_ranges=missing)
    rows = [("male", 30, 1.5, "a", date(1990, 1, 1)), ("female", 98, 2.0, None, date(1990, 1, 2))]
    table = read(path, engine)
    assert list(table.to_rows()) == [*rows, (None, None, 3.0, "c", date(1990, 1, 3))]
    assert [str(kind) for kind in table.types.values()] == ["text", "integer", "number", "text", "date"]


def test_stata_and_sas(engine: str, tmp_path: Path) -> None:
    pyreadstat.write_dta(frame(), str(tmp_path / "x.dta"), variable_value_labels=LABELS)
    assert next(iter(read(tmp_path / "x.dta", engine).to_rows())) == ("male", 30, 1.5, "a", date(1990, 1, 1))
    pyreadstat.write_xport(frame().drop(columns=["born"]), str(tmp_path / "x.xpt"))
    assert next(iter(read(tmp_path / "x.xpt", engine).to_rows())) == (1, 30, 1.5, "a")


@pytest.mark.parametrize("suffix", ["sav", "dta", "sas7bdat", "xpt", "por"])
def test_a_damaged_file(engine: str, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"x.{suffix}"
    path.write_bytes(b"Rosalind is no table")
    with pytest.raises(BadRequest, match="cannot be read as") as caught:
        read(path, engine)
    assert "Rosalind" not in str(caught.value)


def test_it_is_never_written(tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="not a format that can be written"):
        read({"a": [1]}).write(tmp_path / "x.sav")
