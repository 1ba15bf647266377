"""The page of a release that is no recoded table: whole, closed to the world, with the numbers and the open ends."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import sfumato
from sfumato.contracts.published import Release
from sfumato.reports.html import report_page

from .conftest import taken_apart

HOSTILE = "<script>alert(1)</script>"
ROWS = [(f"name-{i}", i % 7, i * 10, ("Flu", "HIV", "Heart")[i % 3], f"hidden {i % 4}") for i in range(48)]
COLUMNS = ["name", "age", "income", "disease", "bucket"]


def release(kind: str, **arguments: Any) -> Release:
    return sfumato.release(sfumato.from_rows(COLUMNS, ROWS), kind, seed=1, **arguments)


KINDS: dict[str, tuple[str, dict[str, Any], list[str]]] = {
    "pair": (
        "anatomy-pair",
        {
            "groups": "bucket",
            "qid": "age",
            "sensitive": "disease",
            "requirements": [{"id": "l-diversity-distinct", "l": 3, "sensitive": "disease"}],
        },
        [
            "The release meets every requirement",
            "Largest chance of a sensitive value: 0.3333",
            "4 groups; the smallest",
        ],
    ),
    "bucketized": (
        "anatomy-pair",
        {"groups": "bucket", "qid": "age", "sensitive": "disease", "form": "bucketized"},
        ["What the published tables guarantee", "No requirement was asked", "bucketized"],
    ),
    "permuted": (
        "permuted-table",
        {"groups": "bucket", "qid": "age", "sensitive": "income"},
        ["aggregates: 4 rows", "record linkage stays open"],
    ),
    "clusters": (
        "cluster-release",
        {"groups": "bucket", "qid": ["age", "income"], "requirements": [{"id": "k-anonymity", "k": 5}]},
        ["Every cluster stands for at least 12 records", "4 clusters", "each centre is a record of the input"],
    ),
    "boxes": (
        "histogram-release",
        {"qid": "income", "cuts": {"income": [0, 200, 500]}, "requirements": [{"id": "k-anonymity", "k": 5}]},
        [
            "Every box stands for at least 20 records",
            "2 boxes; the smallest holds 20 records",
            "Asked: boxes of at least 5",
        ],
    ),
    "noise": (
        "perturbed-table",
        {"perturbation": {"id": "additive-noise", "columns": ["income"], "sigma": 3}, "columns": ["age", "income"]},
        [
            "guarantee nothing by themselves",
            "additive-noise",
            "A published row is true of nobody",
            "means, in expectation",
        ],
    ),
    "drawn": (
        "synthetic-table",
        {"perturbation": {"id": "synthetic-moments", "columns": ["age", "income"]}},
        ["synthetic-moments", "nothing but the form of the table"],
    ),
    "answers": (
        "noisy-answers",
        {"queries": [{}, {"disease": "Flu"}], "epsilon": 2},
        ["records with disease Flu", "Epsilon of all answers together: 2", "± 2.996", "cannot be seeded"],
    ),
}


@pytest.mark.parametrize("name", KINDS)
def test_page_is_whole_and_closed_to_the_world(name: str) -> None:
    kind, arguments, words = KINDS[name]
    if kind == "noisy-answers":
        pytest.importorskip("opendp")
    made = release(kind, **arguments)
    text = report_page(made, made.certificate)
    page = taken_apart(text)
    assert not page.faults
    assert not page.stack
    assert len(page.ids) == len(set(page.ids))
    assert set(page.references) <= set(page.ids)
    assert page.tags.count("h1") == 1
    assert page.tags.count("table") == page.tags.count("caption")
    drawings = int(kind in ("anatomy-pair", "permuted-table", "cluster-release", "histogram-release"))
    assert page.tags.count("svg") == page.tags.count("desc") == drawings
    assert not {"script", "link", "img", "iframe", "object", "form", "use", "base"} & set(page.tags)
    assert not any(sign in text for sign in ("http://", "https://", "url(", "@import"))
    assert all(name == "href" and value[1:] in page.ids for name, value in page.addresses)
    assert len(text.encode()) < 100_000
    for sentence in (
        *made.certificate["statement"]["checked"],
        *made.certificate["statement"]["not_checkable"],
        *words,
    ):
        assert sentence in page.text
    for line in made.certificate["not_protected_against"]:
        assert line.partition(": ")[2] in page.text
    assert "name-" not in page.text
    assert "hidden" not in page.text
    assert report_page(made, made.certificate) == text


def test_written_release_shows_its_fingerprints(tmp_path: Path) -> None:
    folder = sfumato.publish(release("anatomy-pair", **KINDS["pair"][1]), tmp_path / "out")
    text = (folder / "private" / "report.html").read_text(encoding="utf-8")
    for name in ("qit.csv", "st.csv", "schema.json"):
        assert sha256((folder / "public" / name).read_bytes()).hexdigest() in text
    assert "qit, in qit.csv: 48 rows" in taken_apart(text).text
    assert str(tmp_path) not in text


def test_broken_requirement_is_not_called_met() -> None:
    made = release("anatomy-pair", **KINDS["pair"][1])
    broken = tuple(replace(entry, satisfied=False) for entry in made.certificate.requirements)
    text = taken_apart(report_page(made, replace(made.certificate, requirements=broken))).text
    assert "does not meet every requirement" in text
    assert "meets every requirement" not in text


def test_names_and_questions_are_escaped() -> None:
    pytest.importorskip("opendp")
    rows = [(i, HOSTILE, f"{i % 2}") for i in range(4)]
    table = sfumato.from_rows([f'{HOSTILE}" onload="x', "b", "g"], rows)
    pair = sfumato.release(table, "anatomy-pair", groups="g", qid=[f'{HOSTILE}" onload="x'], sensitive="b", seed=1)
    asked = sfumato.release(
        table, "noisy-answers", queries=[{"question": f"{HOSTILE}\u202e\x00", "where": {}}], epsilon=1
    )
    for made in (pair, asked):
        text = report_page(made, made.certificate)
        page = taken_apart(text)
        assert not page.faults
        assert "script" not in page.tags
        assert "\u202e" not in text
        assert "\x00" not in text
        assert HOSTILE in page.text
