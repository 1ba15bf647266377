"""Columns that leave as they are: what names persons is refused until the policy says why, and the reason is published."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path
from random import Random

import pytest

import sfumato
import sfumato.identifiers.scan as identifier_scan
from sfumato.errors import BadRequest
from sfumato.tables.policy import Policy

NOTES = ["Ms Miller called about her {n} visits", "Mr Smith came {n} times because of pain in his knee"]


def table(values: Sequence[object], name: str = "beside") -> sfumato.Table:
    return sfumato.from_rows(["age", name], [(20 + i % 4, value) for i, value in enumerate(values)])


def asked(name: str = "beside", **entry: object) -> dict[str, object]:
    return {
        "columns": {"age": {"role": "quasi-identifier"}, name: {"role": "plain", **entry}},
        "requirements": [{"id": "k-anonymity", "k": 2}],
    }


IDENTIFYING = {
    "whole numbers": [1_000_003 * i for i in range(100)],
    "text": [f"V{i:05d}-{i % 7}" for i in range(100)],
    "nine tenths and a little": [*range(91), *range(9)],
    "whole numbers beside missing ones": [float(i) if i % 10 else None for i in range(100)],
    "e-mail addresses, each five times": [f"person{i % 20}@example.org" for i in range(100)],
    "free text beside a common remark": [NOTES[i % 2].format(n=i) if i % 2 else "none" for i in range(100)],
    "texts that hold an address": [f"wrote to person{i % 3}@example.org again, see file {i % 3}" for i in range(100)],
}
HARMLESS = {
    "codes": [f"ward {i % 8}" for i in range(100)],
    "whole numbers": [i % 40 for i in range(100)],
    "long names of few things": [f"chronic disease of the heart, kind {'ab'[i % 2]}" for i in range(100)],
    "nine tenths": [*range(90), *range(10)],
    "one value": ["x"] * 4,
    "nothing": [None] * 8,
}


@pytest.mark.parametrize("values", IDENTIFYING.values(), ids=IDENTIFYING.keys())
@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_a_plain_column_that_identifies_is_refused_until_the_policy_says_why(
    values: Sequence[object], engine: str, tmp_path: Path
) -> None:
    with pytest.raises(BadRequest, match="publish_anyway") as refused:
        sfumato.anonymize(table(values), {**asked(), "engine": engine})
    assert refused.value.column == "beside"
    assert not any(str(value) in str(refused.value) for value in values if isinstance(value, str))
    reason = "the recipient has these numbers already"
    release = sfumato.anonymize(table(values), {**asked(publish_anyway=reason), "engine": engine})
    out = sfumato.publish(release, tmp_path / "out")
    (entry,) = [
        one
        for one in json.loads((out / "public" / "certificate.json").read_bytes())["columns"]
        if one["name"] == "beside"
    ]
    assert entry == {"name": "beside", "role": "plain", "operation": "none", "published_anyway": reason}
    assert all(reason in (out / part / "report.html").read_text() for part in ("public", "private"))
    assert sfumato.verify(out / "public")


@pytest.mark.parametrize("values", HARMLESS.values(), ids=HARMLESS.keys())
def test_a_plain_column_that_finds_nobody_goes_as_before(values: Sequence[object]) -> None:
    release = sfumato.anonymize(table(values), asked())
    assert not any("beside" in text for text in release.warnings)
    assert "published_anyway" not in json.dumps(release.certificate.document)


@pytest.mark.parametrize("kind", ["numbers", "dates"])
def test_measured_values_that_are_nearly_unique_are_warned_of_loudly(
    kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    drawn = Random(3)
    values = [drawn.random() if kind == "numbers" else date(1900, 1, 1) + timedelta(97 * i) for i in range(60)]
    with caplog.at_level(logging.WARNING, "sfumato"):
        release = sfumato.anonymize(table(values), asked())
    assert [text for text in release.warnings if text.startswith("beside is published as it is, and 100%")]
    assert "beside is published as it is" in caplog.text
    assert not any(str(value) in caplog.text for value in values)


@pytest.mark.parametrize("algorithm", ["tdr", "mondrian", "anatomize"])
def test_a_sensitive_column_of_known_identifiers_is_refused_until_the_policy_says_why(algorithm: str) -> None:
    held = table([f"person{i % 20}@example.org" for i in range(100)], "contact")
    columns = {"age": {"role": "quasi-identifier"}, "contact": {"role": "sensitive"}}
    diverse = {"id": "l-diversity-distinct", "l": 2, "sensitive": "contact"}
    policy = {"columns": columns, "requirements": [diverse], "algorithm": {"id": algorithm}}
    with pytest.raises(BadRequest, match="is sensitive and would be published as it is") as refused:
        sfumato.anonymize(held, policy)
    assert (refused.value.column, refused.value.parameter) == ("contact", "publish_anyway")
    said = {**columns, "contact": {"role": "sensitive", "publish_anyway": "invented addresses"}}
    made = sfumato.anonymize(held, {**policy, "columns": said})
    assert "invented addresses" in json.dumps(made.certificate.document)


def test_a_sensitive_column_may_be_unique_and_called_like_an_identifier() -> None:
    rows = [(20 + i % 4, 1000.5 + 13 * i, f"x{i}y") for i in range(100)]
    persons = sfumato.from_rows(["age", "account", "name"], rows)
    columns = {"age": {"role": "quasi-identifier"}, "account": {"role": "sensitive"}, "name": {"role": "sensitive"}}
    made = sfumato.anonymize(persons, {"columns": columns, "requirements": [{"id": "k-anonymity", "k": 2}]})
    assert made.table.rows == 100


def test_columns_of_every_kind_that_publishes_them_are_looked_at() -> None:
    rows = [(20 + i % 4, 10_000 + 7 * i, "ab"[i % 2]) for i in range(40)]
    persons = sfumato.from_rows(["age", "number", "illness"], rows)
    policy = {
        "columns": {"age": {"role": "quasi-identifier"}, "number": {"role": "plain"}, "illness": {"role": "sensitive"}},
        "requirements": [{"id": "k-anonymity", "k": 2}],
    }
    for algorithm in ({"id": "mdav"}, {"id": "mondrian"}):
        with pytest.raises(BadRequest, match="publish_anyway"):
            sfumato.anonymize(persons, {**policy, "algorithm": algorithm})
    noise = {"id": "additive-noise", "columns": ["age"], "sigma": 1.0}
    with pytest.raises(BadRequest, match="publish_anyway"):
        sfumato.release(persons, "perturbed-table", policy=policy, perturbation=noise, requirements=[], seed=1)
    made = sfumato.release(persons, "perturbed-table", perturbation=noise, seed=1)
    assert any(text.startswith("number is published as it is") for text in made.warnings)


def test_kinds_that_leave_a_plain_column_out_do_not_ask() -> None:
    rows = [(20 + i % 4, 10_000 + 7 * i, "abc"[i % 3]) for i in range(60)]
    policy = {
        "columns": {"age": {"role": "quasi-identifier"}, "number": {"role": "plain"}, "illness": {"role": "sensitive"}},
        "requirements": [{"id": "l-diversity-distinct", "l": 2, "sensitive": "illness"}],
        "algorithm": {"id": "anatomize"},
    }
    made = sfumato.anonymize(sfumato.from_rows(["age", "number", "illness"], rows), policy)
    assert all("number" not in part.columns for part in made.tables.values())


def test_a_very_large_column_is_looked_at_by_its_first_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identifier_scan, "_MANY", 10)
    with pytest.raises(BadRequest, match="publish_anyway"):
        sfumato.anonymize(table(IDENTIFYING["e-mail addresses, each five times"]), asked())


@pytest.mark.parametrize(
    ("entry", "rule"),
    [
        ({"role": "plain", "publish_anyway": " "}, "must be a reason"),
        ({"role": "quasi-identifier", "publish_anyway": "known"}, "role plain or sensitive only"),
        ({"role": "plain", "publish_anyway": True}, "must be a text"),
    ],
)
def test_a_reason_is_words_and_for_columns_that_leave_as_they_are(entry: dict[str, object], rule: str) -> None:
    with pytest.raises(BadRequest, match=rule):
        Policy.of(
            {
                "columns": {"age": {"role": "quasi-identifier"}, "x": entry},
                "requirements": [{"id": "k-anonymity", "k": 2}],
            }
        )
