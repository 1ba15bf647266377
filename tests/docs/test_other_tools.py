"""The tables of other tools name what is there: every id is one, and describe says what it is called elsewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import sfumato
from sfumato import catalogue
from sfumato.errors import BadRequest
from sfumato.verbs._other_tools import ELSEWHERE

TESTS = Path(__file__).parents[1]
PAGE = TESTS.parent / "docs" / "other_tools.md"
IDS = set(catalogue.ids())


@pytest.mark.parametrize("tool", ELSEWHERE)
def test_every_id_is_described_and_stands_on_the_page(tool: str) -> None:
    told = set(re.findall(r"`([a-z0-9-]+)`", PAGE.read_text(encoding="utf-8")))
    for name, called in ELSEWHERE[tool].items():
        assert (tool, called) in sfumato.describe(name).elsewhere
        assert name in told
        assert catalogue.find(name)


def rows_of_the_page() -> list[tuple[str, ...]]:
    """Return the cells of all tables of the page, without heads."""
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    cells = [tuple(cell.strip() for cell in line.strip().strip("|").split("|")) for line in lines]
    return [row for row in cells if row[0] != "there"]


@pytest.mark.parametrize("tool", ELSEWHERE)
def test_describe_says_of_every_id_of_a_table_what_the_tool_calls_it(tool: str) -> None:
    section = PAGE.read_text(encoding="utf-8").partition(f"## {tool}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if "not there: " not in line]
    named = {name for line in lines for name in re.findall(r"`([a-z0-9-]+)`", line) if name in IDS}
    methods = {"mdav"}  # a method of microaggregation in that row, and an algorithm besides
    assert named - methods == set(ELSEWHERE[tool])


@pytest.mark.parametrize("row", rows_of_the_page(), ids=lambda row: row[0][:40])
def test_every_row_names_tests_that_try_what_it_names(row: tuple[str, ...]) -> None:
    """Each id of a row, or its class, stands in one of the files that the row names; a row without has a reason."""
    _, here, tried = row
    files = [TESTS / name for name in re.findall(r"`([^`]+)`", tried)]
    assert files or here.startswith("not there: ")
    text = "".join(file.read_text(encoding="utf-8") for file in files)
    if here.startswith("not there: "):
        return
    for name in re.findall(r"`([a-z0-9-]+)`", here):
        if name in IDS:
            known = rf"[\"'`= ]{name}[\"'`, ]|\b{catalogue.find(name).__name__}\b"
            assert re.search(known, text), name


def test_a_hierarchy_file_is_read_as_it_is(tmp_path: Path) -> None:
    """Semicolons, no header, repeated labels, values that do not occur, and a value twice: the last row counts."""
    (tmp_path / "zip.csv").write_text(
        "81667;8166*;816**;*\n81675;8167*;8167*;*\n81925;8192*;8**;*\n81667;8166*;81***;*\n"
    )
    built = sfumato.hierarchies.Taxonomy(file=str(tmp_path / "zip.csv"))
    assert built.path("81667") == ("81667", "8166*", "81***", "*")
    assert built.path("81675") == ("81675", "8167*", "8167*", "*")
    assert set(built.build(["81675"]).leaves) == {"81667", "81675", "81925"}


def test_counts_of_a_census_are_a_population_of_one_row_for_each_person() -> None:
    """Two regions of 40 and 25 persons: whoever is published in both together looks like 65."""
    counted = {("120", "30-39"): 40, ("121", "30-39"): 25}
    census = sfumato.from_rows(["region", "band"], [key for key, people in counted.items() for _ in range(people)])
    policy = {
        "columns": {
            "region": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": {"12*": ["120", "121"]}}},
            "band": {"role": "quasi-identifier"},
        },
        "requirements": [{"id": "k-map", "k": 41}],
        "algorithm": {"id": "optimal"},
    }
    sample = [("120", "30-39"), ("121", "30-39")]
    release = sfumato.anonymize(sfumato.from_rows(["region", "band"], sample), policy, external=census)
    assert set(release.table.to_rows()) == {("12*", "30-39")}
    assert release.certificate.requirements[0].measured == 65
    with pytest.raises(BadRequest, match="1 records of the table are not in the external table"):
        sfumato.anonymize(sfumato.from_rows(["region", "band"], sample[1:] * 26), policy, external=census)
