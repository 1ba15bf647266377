"""Adult, German and crx: the counts that the papers print, typed columns, missing values."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest

from sfumato.data.tree import Tree
from sfumato.datasets import ADULT_TOP9, CRX_TOP9, GERMAN_TOP9, adult, crx, german
from sfumato.errors import BadRequest


@pytest.mark.usefixtures("public_data")
class TestAdult:
    def test_complete_records(self) -> None:
        table = adult()
        assert (len(table), table.train) == (45_222, 30_162)
        train, test = table.split()
        assert (len(train), len(test)) == (30_162, 15_060)
        assert Counter(table.values("class")) == {"<=50K": 34_014, ">50K": 11_208}
        assert all(None not in table.values(column) for column in table.columns)

    def test_parts_equal_the_whole(self) -> None:
        assert adult("train").to_rows() + adult("test").to_rows() == adult().to_rows()
        assert adult("train").train is None

    def test_all_records_with_their_gaps(self) -> None:
        table = adult(missing="keep")
        assert (len(table), table.train) == (48_842, 32_561)
        gaps = {column: table.values(column).count(None) for column in table.columns}
        assert {column for column, count in gaps.items() if count} == {"workclass", "occupation", "native-country"}
        assert sum(None in row for row in table.to_rows()) == 48_842 - 45_222

    def test_first_record(self) -> None:
        row = adult("train").to_rows()[0]
        assert row == (
            39,
            "State-gov",
            77_516,
            "Bachelors",
            13,
            "Never-married",
            "Adm-clerical",
            "Not-in-family",
            "White",
            "Male",
            2174,
            0,
            40,
            "United-States",
            "<=50K",
        )

    def test_ranges_are_those_of_the_data(self) -> None:
        table = adult()
        assert len(table.ranges) == 6
        for column, (low, high) in table.ranges.items():
            assert (min(table.values(column)), max(table.values(column))) == (low, high), column

    def test_trees_cover_the_data(self) -> None:
        table = adult()
        for column, nested in table.taxonomies.items():
            unused = set(Tree.from_nested(nested).leaves) - set(table.values(column))
            assert unused == ({"Never-worked"} if column == "workclass" else set())
            Tree.from_nested(nested).encode(set(table.values(column)))

    def test_top_nine(self) -> None:
        codes = [adult("test").aliases[column] for column in ADULT_TOP9]
        assert codes == ["Cg", "Ag", "M", "En", "Re", "H", "S", "E", "O"]


@pytest.mark.usefixtures("public_data")
class TestGerman:
    def test_parts(self) -> None:
        assert (len(german()), len(german("train")), len(german("test"))) == (1000, 666, 334)
        assert german("train").to_rows() + german("test").to_rows() == german().to_rows()
        assert Counter(german().values("class")) == {"good": 700, "bad": 300}

    def test_columns_are_seven_numbers_with_the_printed_ranges_and_thirteen_categories(self) -> None:
        table = german()
        numbers = {column for column in table.columns if all(isinstance(value, int) for value in table.values(column))}
        assert numbers == set(table.ranges)
        assert len(numbers) == 7
        for column, (low, high) in table.ranges.items():
            assert (min(table.values(column)), max(table.values(column))) == (low, high), column
        assert len(table.columns) == 7 + 13 + 1
        assert table.aliases["Cd"] == "Credit"
        assert set(GERMAN_TOP9) <= set(table.columns)


@pytest.mark.usefixtures("public_data")
class TestCrx:
    def test_complete_records(self) -> None:
        train, test = crx().split()
        assert (len(train), len(test)) == (465, 188)
        assert crx("test").to_rows() == test.to_rows()
        assert set(CRX_TOP9) <= set(train.columns)

    def test_all_records(self) -> None:
        train, test = crx(missing="keep").split()
        assert (len(train), len(test)) == (490, 200)
        assert Counter(train.values("A16") + test.values("A16")) == {"+": 307, "-": 383}
        assert sum(None in row for row in train.to_rows() + test.to_rows()) == 37

    def test_six_numbers(self) -> None:
        kinds = {column: type(crx().values(column)[0]) for column in crx().columns}
        assert {column for column, kind in kinds.items() if kind is float} == {"A2", "A3", "A8"}
        assert {column for column, kind in kinds.items() if kind is int} == {"A11", "A14", "A15"}
        assert crx().values("A14")[0] == 202


CRX_LINE = "b,30.83,0,u,g,w,v,1.25,t,t,01,f,g,00202,0,+\n"


def test_files_may_lie_plain_or_packed_beside_each_other(empty_cache: Path) -> None:
    (empty_cache / "crx.data.gz").write_bytes(gzip.compress((CRX_LINE * 500 + "\n").encode()))
    train, test = crx().split()
    assert (len(train), len(test)) == (490, 10)


def test_a_short_line_is_refused_by_number(empty_cache: Path) -> None:
    (empty_cache / "crx.data").write_text(CRX_LINE + "b,30.83\n")
    with pytest.raises(BadRequest, match=r"crx.data: line 2 must have 16 cells, got 2"):
        crx()


def test_a_word_in_a_number_column_is_refused(empty_cache: Path) -> None:
    (empty_cache / "crx.data").write_text(CRX_LINE.replace("30.83", "old"))
    with pytest.raises(BadRequest, match="'A2': has a cell that is no number"):
        crx()


def test_a_broken_file_is_refused(empty_cache: Path) -> None:
    (empty_cache / "crx.data.gz").write_bytes(b"not packed at all")
    with pytest.raises(BadRequest, match="cannot be read as text"):
        crx()


def test_unknown_choices_are_refused() -> None:
    with pytest.raises(BadRequest, match=r"split: .* got 'tests'; available: both, train, test; did you mean 'test'"):
        adult("tests")  # type: ignore[arg-type]
    with pytest.raises(BadRequest, match=r"missing: .* available: drop, keep"):
        crx(missing="refuse")  # type: ignore[arg-type]
