"""Texts that a spreadsheet would compute are warned of, and marked on request without changing what holds."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

import sfumato
from sfumato.engines import from_rows
from sfumato.errors import BadRequest, Unsupported
from sfumato.publishing.formulas import formula_warnings, mark, marked, unmarked

EVIL = ["=HYPERLINK(0)", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "'=1", "''=1"]
TAME = ["-5", "+49", "-1.5", "-", "", "it's", "'tis", "a=b", "1-2"]
TREE = {"ANY": ["=a", "+b", "plain"]}
POLICY = {
    "columns": {
        "job": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": TREE}},
        "ill": {"role": "sensitive"},
    },
    "requirements": [
        {"id": "k-anonymity", "k": 2},
        {"id": "t-closeness", "t": 1.0, "sensitive": "ill", "ground_distance": "equal"},
    ],
    "algorithm": {"id": "optimal"},
    "limits": {"suppress_at_most": 0.2},
}
ROWS = [("=a", "=x"), ("=a", "'=x"), ("=a", "y"), ("+b", "=x"), ("+b", "-"), ("+b", "y"), ("plain", "z")]


def test_marks_are_put_and_taken_off() -> None:
    assert [mark(text) for text in EVIL] == [f"'{text}" for text in EVIL]
    assert [mark(text) for text in TAME] == TAME
    table = from_rows(["a", "n"], [(text, -1) for text in [*EVIL, *TAME]])
    assert unmarked(marked(table)).content_digest() == table.content_digest()
    assert marked(table).distinct(["a"]) == table.distinct(["a"])


def test_formulas_are_warned_of() -> None:
    assert formula_warnings(from_rows(["a", "n"], [(text, -1) for text in TAME])) == []
    for text in EVIL[:5]:
        (warning,) = formula_warnings(from_rows(["a", "b"], [(text, "x")]))
        assert warning.startswith("a:")
        assert text not in warning
    assert formula_warnings(from_rows(["=a"], [(1,)]))


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
@pytest.mark.parametrize("form", ["csv", "tsv"])
def test_a_release_is_marked_on_request(
    tmp_path: Path, engine: str, form: str, caplog: pytest.LogCaptureFixture
) -> None:
    source = from_rows(["job", "ill"], ROWS)
    source.write(tmp_path / "raw.csv")
    release = sfumato.anonymize(tmp_path / "raw.csv", {**POLICY, "engine": {"id": engine}})
    with caplog.at_level(logging.WARNING, "sfumato"):
        sfumato.publish(release, tmp_path / "plain", format=form)
    assert "formulas" in caplog.text
    caplog.clear()
    sfumato.publish(release, tmp_path / "safe", format=form, excel_safe=True)
    assert "formulas" not in caplog.text
    assert sfumato.verify(tmp_path / "plain")
    assert sfumato.verify(tmp_path / "safe")
    cells = (
        (tmp_path / "safe" / "public" / f"data.{form}").read_text().replace("\n", "\t").replace(",", "\t").split("\t")
    )
    assert "'=x" in cells
    assert "''=x" in cells
    assert not [cell for cell in cells if cell.startswith(("=", "+", "@"))]
    assert "apostrophe" in json.loads((tmp_path / "safe" / "public" / "schema.json").read_text())["description"]


def test_names_of_columns_cannot_be_marked(tmp_path: Path) -> None:
    policy = {**POLICY, "columns": {"job": POLICY["columns"]["job"], "=ill": {"role": "sensitive"}}}  # type: ignore[index]
    policy["requirements"] = [{"id": "k-anonymity", "k": 2}]
    release = sfumato.anonymize(from_rows(["job", "=ill"], ROWS), policy)
    with pytest.raises(BadRequest, match="rename"):
        sfumato.publish(release, tmp_path / "out", excel_safe=True)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ({"id": "confidence-bounding", "value": "=HIV", "h": 0.5}, "value"),
        ({"id": "alpha-k-anonymity", "values": ["=HIV"], "alpha": 0.5, "k": 2}, "values"),
    ],
)
def test_values_that_requirements_name_are_marked_as_well(tmp_path: Path, model: dict[str, object], name: str) -> None:
    rows = [("+b", "=HIV"), ("+b", "flu"), ("+b", "cold"), ("=a", "flu"), ("=a", "=HIV"), ("=a", "ulcer")] * 2
    policy = {**POLICY, "requirements": [{**model, "sensitive": "ill"}]}
    out = sfumato.publish(sfumato.anonymize(from_rows(["job", "ill"], rows), policy), tmp_path / "out", excel_safe=True)
    found = sfumato.verify(out)
    assert found
    (entry,) = found.certificate.requirements
    assert "'=HIV" in str(entry.parameters[name])
    assert entry.measured == pytest.approx(1 / 3)


def test_what_cannot_be_marked_is_refused_in_words(tmp_path: Path) -> None:
    rows = [("=a", "=HIV"), ("=a", "flu"), ("plain", "flu"), ("plain", "=HIV")] * 2
    tree = {"any": ["=HIV", "flu"]}
    close = {"id": "t-closeness", "t": 0.9, "sensitive": "ill", "ground_distance": "hierarchical", "taxonomy": tree}
    release = sfumato.anonymize(from_rows(["job", "ill"], rows), {**POLICY, "requirements": [close]})
    with pytest.raises(Unsupported, match="cannot be marked"):
        sfumato.publish(release, tmp_path / "out", excel_safe=True)
    assert not (tmp_path / "out").exists()
