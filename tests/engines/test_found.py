"""A file that nobody described: what is found of its writing, what is told, and that a clean file is left alone."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path

import pytest

from sfumato.contracts.engine import SourceOptions
from sfumato.data.schema import ColumnType
from sfumato.engines.found import open_found
from sfumato.errors import BadRequest

MESSY = """Export aus KIS vom 01.02.2024
Mandant: 7;;;;;;

Name;Geb.datum;Größe;Größe;;Kosten;Aufnahme;Menge;Status
Müller;05.03.1980;1,82;x;a;1.234,50;01.02.2024 10:30;1.234;ja
Meier;15.03.1981;1,7;y;b;12,00;03.02.2024 9:05;2.500;k.A.
Ünal;1.12.1979;n/a;y;;7;03.02.2024 9:05;1.000;nein
Summe;;;;;1253,50;;;
"""


def test_a_messy_export(engine: str, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(MESSY.encode("cp1252"))
    found = open_found(path, engine)
    assert (found.options.encoding, found.options.skip_first, found.options.skip_last) == ("cp1252", 3, 1)
    assert found.options.missing == ("", "n/a", "k.A.")
    assert found.options.formats == {
        "Geb.datum": "dd.mm.yyyy",
        "Größe": "1.234,5",
        "Kosten": "1.234,5",
        "Aufnahme": "dd.mm.yyyy hh:mm",
        "Menge": "1.234,5",
    }
    first = ("Müller", date(1980, 3, 5), 1.82, "x", "a", 1234.5, datetime(2024, 2, 1, 10, 30), 1234, "ja")
    assert next(iter(found.table.to_rows())) == first
    assert found.table.columns[3:5] == ("Größe_2", "column_5")
    assert len(found.notes) == 8
    again = open_found(path, engine, found.options)
    assert (again.options, again.notes) == (found.options, ())


@pytest.mark.parametrize(
    "text",
    [
        "a,b,c\n1,x,2024-01-01\n2,y,\n",
        "a\n1\n2\n",
        "a;b\n01;1e3\n02;5\n",
        "code,cls\n4.2,+\n5.1,-\n",
        "country,n\nNA,1\nDE,2\nFR,3\n",
        "a,b\n1,\n2,\n",
    ],
)
def test_a_clean_file_is_read_as_ever(engine: str, tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.csv"
    path.write_text(text)
    found = open_found(path, engine)
    assert (found.options, found.notes) == (SourceOptions(), ())


def test_american_ways(engine: str, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(
        'id,dob,seen,amount,date\n1,01/02/1980,01/31/2024,"1,234.5",45356\n2,02/03/1981,01/30/2024,"2,000",45357\n'
    )
    forms = {"dob": "mm/dd/yyyy", "seen": "mm/dd/yyyy", "amount": "1,234.5", "date": "excel"}
    assert open_found(path, engine).options.formats == forms


def test_a_short_record_is_no_remark(engine: str, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,b,c\n1,2,3\n4,5")
    with pytest.raises(BadRequest, match="line 3 has 2 fields"):
        open_found(path, engine)


def test_a_sheet_with_a_title_and_totals(engine: str, tmp_path: Path) -> None:
    xlsxwriter = pytest.importorskip("xlsxwriter")
    path = tmp_path / "x.xlsx"
    with xlsxwriter.Workbook(str(path), {"default_date_format": "dd.mm.yyyy"}) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["Bericht 2024"])
        sheet.write_row(2, 0, ["Name", "Wert", "Tag", "Wert"])
        for row in range(4):
            sheet.write_row(3 + row, 0, [f"p{row}", row])
            sheet.write_datetime(3 + row, 2, datetime(2024, 3, 5 + row))
            sheet.write(3 + row, 3, "1,5")
        sheet.write_row(7, 0, ["Summe", 6])
    found = open_found(path, engine)
    assert list(found.table.to_rows())[-1] == ("p3", 3, date(2024, 3, 8), 1.5)
    assert found.table.columns == ("Name", "Wert", "Tag", "Wert_2")


def test_what_programs_write_for_no_number_is_missing_and_told(tmp_path: Path) -> None:
    lines = [
        "age,bmi,name",
        *(f"{20 + i},{('NaN', 'inf', i + 0.5)[min(i % 9, 2)]},n{i}" for i in range(40)),
        "61,2.5,inf",
    ]
    (tmp_path / "d.csv").write_text("\n".join(lines))
    found = open_found(tmp_path / "d.csv")
    assert found.table.types["bmi"] is ColumnType.NUMBER
    assert set(found.options.missing) == {"", "NaN", "inf"}
    assert found.table.missing()["bmi"] == 10
    assert any("NaN and inf" in note for note in found.notes)


def test_a_byte_order_mark_alone_is_an_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "marked.csv"
    path.write_bytes(b"\xef\xbb\xbf")
    with pytest.raises(BadRequest, match="is empty"):
        open_found(path)
