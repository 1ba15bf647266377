"""The report page: whole, closed to the world, the same every time, and nothing in it that the release does not publish."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import sfumato
from sfumato.contracts.published import Release
from sfumato.data.text import to_text
from sfumato.datasets import sample
from sfumato.recodings.discretization import Discretization
from sfumato.recodings.full_domain_generalization import FullDomainGeneralization
from sfumato.recodings.sibling_generalization import SiblingGeneralization
from sfumato.recodings.subtree_generalization import SubtreeGeneralization
from sfumato.recodings.value_suppression import ValueSuppression
from sfumato.reports.html import report_page

from .conftest import taken_apart

JOB = {"ANY": [{"Professional": ["Engineer", "Lawyer"]}, {"Artist": ["Dancer", "Writer"]}]}
JOBS = ["Engineer", "Engineer", "Lawyer", "Dancer", "Dancer", "Dancer", "Writer"]

KINDS: dict[str, tuple[list[Any], Any, str, list[str], list[str]]] = {
    "subtree": (
        JOBS,
        SubtreeGeneralization(tree=JOB, cut=("Professional", "Dancer", "Writer")),
        "Generalized: 4 values became 3, 2 of them unchanged.",
        ["Professional", "Dancer", "Writer", "ANY", "Artist"],
        ["Engineer", "Lawyer"],
    ),
    "full domain": (
        JOBS,
        FullDomainGeneralization(tree=JOB, level=1),
        "Generalized by 1 of 2 levels: 4 values became 2.",
        ["Professional", "Artist", "ANY"],
        ["Engineer", "Lawyer", "Dancer", "Writer"],
    ),
    "root": (
        JOBS,
        FullDomainGeneralization(tree=JOB, level=2),
        "All values masked.",
        ["Every record shows “ANY”."],
        ["Engineer", "Lawyer", "Dancer", "Writer", "Professional", "Artist"],
    ),
    "identity": (JOBS, FullDomainGeneralization(tree=JOB, level=0), "Published unchanged.", ["Engineer", "Writer"], []),
    "intervals": (
        [1.0, 5.5, 36.25, 37.0, 40.0, 98.75],
        Discretization(edges=(1, 37, 99)),
        "Cut into 2 intervals.",
        ["[1-37)", "[37-99)", "99"],
        ["5.5", "36.25", "98.75"],
    ),
    "suppression": (
        JOBS,
        ValueSuppression(disclosed=("Dancer",), domain=("Dancer", "Engineer", "Lawyer", "Writer")),
        "3 of 4 values masked as *, the others unchanged.",
        ["Dancer", "*"],
        ["Engineer", "Lawyer", "Writer"],
    ),
}


def _words(text: str) -> set[str]:
    return {word.strip(".") for word in re.split(r"[\s;:“”()]+|,(?!\d)", text)}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_recoding_has_its_page(recoded: Callable[..., Release], kind: str) -> None:
    values, recoding, done, shown, hidden = KINDS[kind]
    release = recoded(values, recoding)
    page = taken_apart(report_page(release, release.certificate))
    assert not page.faults
    assert not page.stack
    assert done in page.text
    for label in shown:
        assert label in page.text
    assert not set(hidden) & _words(page.text)


def test_a_label_stands_for_the_values_that_no_label_below_it_takes(recoded: Callable[..., Release]) -> None:
    release = recoded(JOBS, SiblingGeneralization(tree=JOB, nodes=("ANY", "Lawyer")))
    page = taken_apart(report_page(release, release.certificate))
    assert "3 values" in page.text
    assert "4 values" not in page.text.replace("4 values became 2", "")


def test_page_is_whole(sampled: Release) -> None:
    page = taken_apart(report_page(sampled, sampled.certificate))
    assert not page.faults
    assert not page.stack
    assert len(page.ids) == len(set(page.ids))
    assert set(page.references) <= set(page.ids)
    assert page.tags.count("h1") == 1
    assert page.tags.count("table") == page.tags.count("caption")
    # A drawing is either named or hidden from readers; meters are hidden, their number stands beside them.
    assert page.tags.count("desc") >= len(sampled.table.columns) - 2


def test_page_is_closed_to_the_world(sampled: Release) -> None:
    text = report_page(sampled, sampled.certificate)
    page = taken_apart(text)
    assert "http://" not in text
    assert "https://" not in text
    assert "url(" not in text
    assert "@import" not in text
    assert not {"script", "link", "img", "iframe", "object", "form", "use", "base"} & set(page.tags)
    assert page.addresses
    for name, value in page.addresses:
        assert name == "href"
        assert value.startswith("#")
        assert value[1:] in page.ids
    assert len(text.encode()) < 300_000


def test_same_release_same_page() -> None:
    code = (
        "import sys, sfumato\n"
        "from sfumato.datasets import patients\n"
        "from sfumato.reports.html import report_page\n"
        "policy = sfumato.Policy.for_dataset(patients(), requirements=[{'id': 'k-anonymity', 'k': 3}])\n"
        "data = patients().data\n"
        "rows = [(*row[:2], str(row[2]), row[3]) for row in zip(*data.values())]\n"
        "release = sfumato.anonymize(sfumato.from_rows(list(data), rows), policy)\n"
        "sys.stdout.buffer.write(report_page(release, release.certificate).encode())\n"
    )
    pages = {
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(pages) == 1
    assert b"Every record looks like at least 2 others on Job, Sex and Age" in pages.pop()


def test_verdict_tells_what_was_measured(sampled: Release) -> None:
    text = taken_apart(report_page(sampled, sampled.certificate)).text
    for entry in sampled.certificate["requirements"]:
        least = int(sampled.table.groups(entry["quasi_identifier"]).sizes.min())
        assert f"at least {least - 1} other" in text
        assert f"a chance of at most 1 in {least}." in text
    assert "The release meets every requirement" in text


def test_broken_requirement_is_not_called_met(sampled: Release) -> None:
    first, *others = sampled.certificate.requirements
    broken = (replace(first, satisfied=False, measured=1), *others)
    text = taken_apart(report_page(sampled, replace(sampled.certificate, requirements=broken))).text
    assert "The release does not meet every requirement" in text
    assert "finds the record for certain" in text
    assert "The release meets every requirement" not in text


def test_raw_values_that_are_not_published_stay_out(sampled: Release) -> None:
    text = taken_apart(report_page(sampled, sampled.certificate)).text
    words = _words(text)
    data = sample()
    masked = 0
    for name, recoding in sampled.recodings.items():
        raw = _raw(data, name)
        published = {to_text(value) for value in sampled.table.dictionary(name).values}
        hidden = raw - published
        masked += len(hidden)
        assert not hidden & words, name
        assert recoding.identity == (not hidden)
    assert masked > 1000
    for name in ("patient_id", "name"):
        assert not _raw(data, name) & words
    assert "patient_id" not in text
    assert not set(re.findall(r"\d{4}-\d{2}-\d{2}", text))


def _raw(data: Any, name: str) -> set[str]:
    return {str(value) for value in data.data[name]}


def test_raw_values_below_a_data_driven_cut_stay_out(made: Callable[..., Release]) -> None:
    """Trees of dates, codes and numbers have raw values as leaves; some of them are published here, most are not."""
    days = [date(2020, 1, 1) + timedelta(days=13 * i) for i in range(40)]
    rows = [(day, f"{10000 + 137 * i}", 18.5 + i) for i, day in enumerate(days)] * 2
    rows += [(date(2031, 5, 5), "99999", 77.5)]
    columns = {
        "day": {"role": "quasi-identifier", "hierarchy": {"id": "dates"}},
        "code": {"role": "quasi-identifier", "hierarchy": {"id": "redaction"}},
        "size": {"role": "quasi-identifier", "hierarchy": {"id": "intervals", "lower": 0, "upper": 100, "width": 5}},
    }
    for name in columns:
        alone = [{"id": "k-anonymity", "k": 2, "qid": [other]} for other in columns]
        release = made(list(columns), rows, columns, requirements=alone)
        words = _words(taken_apart(report_page(release, release.certificate)).text)
        published = {to_text(value) for value in release.table.dictionary(name).values}
        raw = {to_text(row[list(columns).index(name)]) for row in rows}
        assert not (raw - published) & words
        assert raw - published


HOSTILE = "<script>alert(1)</script>"


def test_names_and_values_are_escaped(made: Callable[..., Release]) -> None:
    name, plain = f'{HOSTILE}" onload="x', "a&b<i>'"
    rows = [(HOSTILE, f"{HOSTILE}{i % 2}", "javascript:x") for i in range(6)] + [("]]>", "\u202e\x00\n", "</svg>")] * 3
    tree = {'<b>"any"</b>': [HOSTILE, "]]>"]}
    release = made(
        [name, plain, "c"],
        rows,
        {
            name: {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": tree}},
            plain: {"role": "quasi-identifier"},
            "c": {"role": "plain"},
        },
        title=HOSTILE,
    )
    release = replace(release, warnings=[HOSTILE])
    text = report_page(release, release.certificate)
    page = taken_apart(text)
    assert not page.faults
    assert not page.stack
    assert "script" not in page.tags
    assert "<script" not in text.lower()
    assert all(value.startswith("#") for _, value in page.addresses)
    assert HOSTILE in page.text
    assert "\x00" not in text
    assert "\u202e" not in text


def test_written_release_shows_its_fingerprints(made: Callable[..., Release], tmp_path: Path) -> None:
    release = made(["a"], [("x",)] * 3 + [("y",)] * 3, {"a": {"role": "quasi-identifier"}})
    folder = sfumato.publish(release, tmp_path / "out")
    text = (folder / "private" / "report.html").read_text(encoding="utf-8")
    assert sha256((folder / "public" / "data.csv").read_bytes()).hexdigest() in text
    assert "data.csv" in text
    assert str(tmp_path) not in text


def test_columns_no_requirement_joins_are_told(made: Callable[..., Release]) -> None:
    rows = [(x, y) for x in "abcd" for y in "efgh"]
    columns = {"x": {"role": "quasi-identifier"}, "y": {"role": "quasi-identifier"}}
    alone = [{"id": "k-anonymity", "k": 2, "qid": ["x"]}, {"id": "k-anonymity", "k": 2, "qid": ["y"]}]
    apart = made(["x", "y"], rows, columns, requirements=alone)
    assert (
        "finds that person's record, at worst, for certain" in taken_apart(report_page(apart, apart.certificate)).text
    )
    joined = made(["x", "y"], rows, columns)
    assert "no requirement covers" not in taken_apart(report_page(joined, joined.certificate)).text


def test_column_that_tells_people_apart_is_told(made: Callable[..., Release]) -> None:
    rows = [("x", f"secret {i}") for i in range(40)]
    roles = {"a": {"role": "quasi-identifier"}, "b": {"role": "plain", "publish_anyway": "invented"}}
    release = made(["a", "b"], rows, roles)
    text = taken_apart(report_page(release, release.certificate)).text
    assert "40 values of 40 occur only once" in text
    assert "secret 7" not in text


def test_unmasked_numbers_dates_and_gaps_are_drawn(made: Callable[..., Release]) -> None:
    rows = [
        ("x", i % 50 + 0.5, date(2024, 1, 1) + timedelta(days=i % 200), None if i % 4 else "here", i % 2 == 0)
        for i in range(400)
    ]
    roles = {"a": {"role": "quasi-identifier"}} | {name: {"role": "plain"} for name in "bcde"}
    release = made(list(roles), rows, roles)
    page = taken_apart(report_page(release, release.certificate))
    assert not page.faults
    assert "[0-5): 40" in page.text
    assert "2024-01-01 to 2024-01-04" in page.text
    assert "300 records (75.0 %) without a value." in page.text
    assert "(no value): 300" in page.text
    assert "false: 200; true: 200" in page.text


def test_wide_table_stays_small(made: Callable[..., Release]) -> None:
    names = [f"column {i}" for i in range(300)]
    rows = [tuple(f"{'long label ' * 5}{(i + j) % 23}" for j in range(300)) for i in range(46)]
    columns = {name: {"role": "plain"} for name in names} | {names[0]: {"role": "quasi-identifier"}}
    release = made(names, rows, columns)
    text = report_page(release, release.certificate)
    assert len(text.encode()) < 1_000_000
    assert "Not drawn, to keep this page small." in text
    assert all(f">{name}<" in text for name in names)
