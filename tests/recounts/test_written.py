"""What is written is what counts: spellings, missing cells, quotes, and the same groups whoever counts them."""

from __future__ import annotations

import csv
from collections import Counter
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from sfumato.engines import from_rows, read
from sfumato.errors import BadRequest
from sfumato.publishing import recounting
from sfumato.recounts._compared import compared
from sfumato.recounts._level import at_least, at_most, named
from sfumato.recounts._written import Written, grouped
from sfumato.recounts.confidence_bounding import level as confidence

FORMATS = ["csv", "tsv", "parquet", "arrow", "jsonl", "sqlite", "xlsx"]
COLUMNS = ["name", "count", "dose", "born", "seen", "ill"]
ROWS: list[tuple[Any, ...]] = [
    ("1", 1, 1.0, date(2020, 1, 2), datetime(2020, 1, 2, 3, 4, 5), True),
    ("1.0", 1, 1.0, date(2020, 1, 2), datetime(2020, 1, 2, 3, 4, 5), True),
    ("01", 2, 1.5e-7, date(1999, 12, 31), datetime(2021, 1, 1), False),
    ('a "b", c', 2, 0.1, None, None, None),
    ("a\nb", None, None, None, datetime(2021, 1, 1), None),
    (" a\r", 10**15, 1e22, date(1999, 12, 31), None, True),
    ("'é', ;\t", -3, -0.5, date(2020, 1, 2), None, False),
]


def written(folder: Path, form: str, separator: str = ",") -> Path:
    path = folder / f"data.{form}"
    from_rows(COLUMNS, ROWS * 2).write(path, form, separator=separator)
    return path


@pytest.mark.parametrize("form", FORMATS)
def test_every_column_of_every_format_has_the_groups_that_engines_find(form: str, tmp_path: Path) -> None:
    separator = ";" if form == "csv" else ","
    path = written(tmp_path, form, separator)
    plain = Written(path, COLUMNS, form, separator)
    # Databases and spreadsheets have types of their own, without truth values here and dates there.
    types = {} if form in ("sqlite", "xlsx") else from_rows(COLUMNS, ROWS).types
    flat = {"separator": ";" if form == "csv" else "\t", "encoding": "utf-8"} if form in ("csv", "tsv") else {}
    tables = [read(str(path), engine=engine, format=form, types=types, **flat) for engine in ("polars", "duckdb")]
    for asked in [*([name] for name in COLUMNS), COLUMNS, ["name", "dose"]]:
        found = plain.counts(asked)
        for table in tables:
            assert sorted(found.values()) == sorted(table.counts(asked).sizes.tolist()), (asked, found)
    assert plain.counts(["name"])["1",] == plain.counts(["name"])["1.0",] == 2
    assert plain.counts(["count"])[None,] == 2
    assert ("a\nb",) in plain.counts(["name"])


def test_a_column_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="is not a column"):
        Written(written(tmp_path, "csv"), COLUMNS, "csv").counts(["age"])
    with pytest.raises(BadRequest, match="not a format"):
        Written(tmp_path / "data.docx", COLUMNS, "docx")


def test_rows_are_grouped_by_what_is_written(tmp_path: Path) -> None:
    groups = grouped(Written(written(tmp_path, "csv"), COLUMNS, "csv"), ["dose"], ["name"])
    assert groups["1.0",] == {("1",): 2, ("1.0",): 2}
    # A value is found however a number is written, a text only as it is.
    assert named(["1", "1.0", "01", "x", None], [1]) == {"1", "1.0", "01"}
    assert named(["1", "1.0"], ["1"]) == {"1"}
    assert named(["true", "1"], [True]) == {"true"}
    assert confidence(groups, value="1.0", h=0.5, missing="refuse").measured == 0.5
    assert confidence(groups, value=1, h=0.5, missing="refuse").measured == 1.0


def test_the_table_before_may_spell_numbers_differently() -> None:
    groups = {("a",): {("1.0",): 2, ("2.5",): 1}}
    held, table = compared(groups, "refuse", {"1": 5, "2.5": 1, "7": 4})
    assert held == [{"1.0": 2, "2.5": 1}]
    assert table == {"1.0": 5, "2.5": 1, "7": 4}
    # Texts that are both there stay two.
    assert compared({("a",): {("1",): 1, ("1.0",): 1}}, "refuse", {"1": 3, "1.0": 2})[1] == {"1": 3, "1.0": 2}


def test_whole_thresholds_are_exact_and_real_ones_have_slack() -> None:
    assert at_least(3, 3)
    assert not at_least(3 - 1e-12, 3)
    assert at_least(3 - 1e-12, 3.0)
    assert not at_least(3.0, 3.0, strict=True)
    assert at_most(0.1 + 0.2, 0.3)
    assert not at_most(0.3 + 1e-6, 0.3)
    assert not at_most(0.3, 0.3, strict=True)


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("most", [0, 200_000])
def test_numbers_of_a_release_with_records_left_out(
    form: str, most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table before records were left out is told in the certificate, spelled as numbers are told there."""
    monkeypatch.setattr(recounting, "MOST_ROWS", most)
    rows = [(job, pay) for job in "abc" for pay in (1.0, 2.5, 3.0)] * 4 + [("d", 9.0)]
    policy = {
        "columns": {"job": {"role": "quasi-identifier"}, "pay": {"role": "sensitive"}},
        "requirements": [
            {"id": "t-closeness", "t": 0.2, "sensitive": "pay", "ground_distance": "ordered"},
            {"id": "delta-disclosure", "delta": 1.0, "sensitive": "pay"},
            {"id": "confidence-bounding", "sensitive": "pay", "value": 1, "h": 0.5},
        ],
        "algorithm": {"id": "optimal"},
        "limits": {"suppress_at_most": 0.1},
        "output": {"format": form},
    }
    release = sfumato.anonymize(from_rows(["job", "pay"], rows), policy)
    sfumato.publish(release, tmp_path / "out")
    found = sfumato.verify(tmp_path / "out")
    assert found
    assert {entry.recounted for entry in found.certificate.requirements} == {"another engine" if most == 0 else "plain"}
    assert found.certificate.reference["pay"] == {"1": 12, "2.5": 12, "3": 12}
    for again, first in zip(found.verdict, release.verdict, strict=True):
        assert again.strongest == pytest.approx(first.strongest, rel=1e-9)


@given(
    st.lists(
        st.lists(st.sampled_from(["", "a", "b", "x;y", 'x"y', "x\ny", "x\ry", "1"]), min_size=2, max_size=2),
        max_size=12,
    )
)
def test_lines_that_are_alike_are_taken_apart_once(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]]
) -> None:
    """Quoted or not, a row that looks like the first line or that is empty included."""
    path = tmp_path_factory.mktemp("lines") / "data.csv"
    rows = [*rows, *rows[:3], ["a", "b"]]
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\r\n").writerows([["a", "b"], *rows])
    part = Written(path, ["a", "b"], "csv")
    assert part.counts(["b", "a"]) == Counter((b or None, a or None) for a, b in rows)
    assert part.counts(["b"]) == Counter((b or None,) for _, b in rows)
