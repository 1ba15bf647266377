"""Values that are not in canonical form: read as the format says, refused by number, the same on both engines."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import sfumato
from sfumato.engines import read
from sfumato.engines.formats import FORMATS, rewritten
from sfumato.errors import BadRequest

DAY, NOON = date(2024, 3, 5), datetime(2024, 3, 5, 12, 30)


@pytest.mark.parametrize(
    "form, text, value",
    [
        ("dd.mm.yyyy", "5.3.2024", DAY),
        ("dd.mm.yy", "05.03.24", DAY),
        ("dd.mm.yy", "05.03.45", date(1945, 3, 5)),
        ("mm/dd/yyyy", "3/5/2024", DAY),
        ("dd/mm/yyyy", "05/03/2024", DAY),
        ("dd mon yyyy", "5 Mar 2024", DAY),
        ("dd. mon yyyy", "5. März 2024", DAY),
        ("mon dd, yyyy", "March 5, 2024", DAY),
        ("yyyymmdd", "20240305", DAY),
        ("excel", "45356", DAY),
        ("excel", "45356.520833333", NOON),
        ("dd.mm.yyyy hh:mm", "05.03.2024 12:30", NOON),
        ("zone", "2024-03-05T13:30:00+01:00", NOON),
        ("zone", "2024-03-05 12:30Z", NOON),
        ("1234,5", "1234,5", 1234.5),
        ("1.234,5", "1.234,5", 1234.5),
        ("1.234,5", "12.345.678", 12345678),
        ("1,234.5", "-1,234.5", -1234.5),
        ("1 234,5", "1\u00a0234,5", 1234.5),
        ("1'234.5", "1’234.5", 1234.5),
    ],
)
def test_a_value_is_read_as_its_format_says(engine: str, tmp_path: Path, form: str, text: str, value: Any) -> None:
    path = tmp_path / "x.csv"
    path.write_text(f'a,b\n"{text}",1\n,2\n', encoding="utf-8")
    table = read(path, engine, formats={"a": form})
    assert [row[0] for row in table.to_rows()] == [value, None]
    frame = read({"a": [text, None]}, engine, formats={"a": form})
    assert [row[0] for row in frame.to_rows()] == [value, None]
    assert frame.types == {"a": table.types["a"]}


@pytest.mark.parametrize("form", FORMATS)
def test_what_is_written_otherwise_is_nothing(form: str) -> None:
    texts = ["x", "", "31.02.2024", "1,23,4", "2024-13-01T00:00Z", "01.234"]
    assert rewritten(pl.Series(texts), form).to_list() == [None] * len(texts)


def test_misfits_are_counted_and_never_quoted(engine: str, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,b\n05.03.2024,1\nRosalind,2\n")
    with pytest.raises(BadRequest, match="1 different value is not written like") as caught:
        read(path, engine, formats={"a": "dd.mm.yyyy"})
    assert "Rosalind" not in str(caught.value)
    with pytest.raises(BadRequest, match="not a way of writing"):
        read(path, engine, formats={"a": "dd.mm.jjjj"})
    with pytest.raises(BadRequest, match="is not a column"):
        read(path, engine, formats={"c": "dd.mm.yyyy"})


def test_two_spellings_of_one_number_become_one(engine: str, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a;b\n1,50;1\n1,5;2\n2,0;3\n")
    table = read(path, engine, formats={"a": "1234,5"})
    table.write(tmp_path / "y.csv")
    assert (tmp_path / "y.csv").read_text() == "a,b\n1.5,1\n1.5,2\n2,3\n"


def test_a_judged_column_that_is_masked_or_spelled_apart_stays_as_it_is_written(tmp_path: Path) -> None:
    path, policy = tmp_path / "x.csv", {
        "columns": {"a": {"role": "quasi-identifier", "format": "1234,5"}, "b": {"role": "sensitive"}},
        "requirements": [{"id": "k-anonymity", "k": 2}],
    }  # fmt: skip
    path.write_text("a;b\n1,50;1\n1,5;2\n")
    assert not sfumato.check(path, policy=policy)  # two texts, though one number
    path.write_text("a;b\n[1-2);1\n[1-2);2\n")
    assert sfumato.check(path, policy=policy)


def test_lines_around_the_table(engine: str, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes("Übersicht\n\na;b\n1;é\n2;y\n\nSumme;3\nEnde\n".encode("cp1252"))
    table = read(path, engine, encoding="cp1252", skip_first=2, skip_last=2)
    assert list(table.to_rows()) == [(1, "é"), (2, "y")]
    path.write_text("x\n\na;b\n1;2\n2\n")
    with pytest.raises(BadRequest, match="line 5 has 1 field, the header has 2"):
        read(path, engine, skip_first=2)
    with pytest.raises(BadRequest, match="has no more lines"):
        read(path, engine, skip_first=20)


def test_names_that_are_missing_or_doubled(engine: str, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,,a,a_2\n1,2,3,4\n")
    assert read(path, engine, rename_columns=True).columns == ("a", "column_2", "a_3", "a_2")


def test_a_first_line_that_is_a_record(engine: str, tmp_path: Path) -> None:
    path = tmp_path / "bare.csv"
    path.write_text("\ufeff34,f\n41,m\n", encoding="utf-8")
    table = read(path, engine, header=False)
    assert table.columns == ("column_1", "column_2")
    assert list(table.to_rows()) == [(34, "f"), (41, "m")]
    path.write_text("34,f\n41\n", encoding="utf-8")
    with pytest.raises(BadRequest, match="line 2 has 1 field, the first record has 2"):
        read(path, engine, header=False)
