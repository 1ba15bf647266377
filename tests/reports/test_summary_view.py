"""The page on top of a report: headings with what was measured, and lines for whoever signs."""

from __future__ import annotations

from dataclasses import replace

import pytest

import sfumato
from sfumato.contracts.evidence import Evidence
from sfumato.contracts.published import Release
from sfumato.errors import BadRequest
from sfumato.reports.html import report_page
from sfumato.reports.pdf import with_appendix
from sfumato.reports.shared_parts import DATE_VARIABLE, signing_lines, summary_rows

ASKED = {"columns": {"job": {"role": "quasi-identifier"}}, "requirements": [{"id": "k-anonymity", "k": 2}]}


def test_the_summary_tells_what_is_left(sampled: Release) -> None:
    rows = dict(summary_rows(sampled.certificate, Evidence()))
    assert rows["Protected against"][0].startswith("somebody who knows")
    published, read = (sampled.counts[f"records_{what}"] for what in ("published", "read"))
    assert rows["Records left"] == [f"{published:,} of {read:,} ({published / read:.1%})".replace("%", " %")]
    loss = sampled.measured["loss"].value
    assert rows["Information left"][0].startswith(f"{1 - loss:.1%}".replace("%", " %"))
    told = dict(summary_rows(sampled.certificate, Evidence(public=True)))
    assert told["Records left"] == [f"{published:,}"]


def test_what_nobody_said_is_a_line_to_fill_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(DATE_VARIABLE, raising=False)
    assert [text for _, text in signing_lines(None)] == [None, None, None]
    policy = sfumato.Policy.of({**ASKED, "steward": "the office", "date": "2026-11-16"})
    assert signing_lines(policy) == [("Who answers for it", "the office"), ("Date", "2026-11-16"), ("Signature", None)]
    assert policy.document()["date"] == "2026-11-16"


def test_the_date_may_come_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DATE_VARIABLE, "86400")
    assert signing_lines(None)[1] == ("Date", "1970-01-02")
    monkeypatch.setenv(DATE_VARIABLE, "tomorrow")
    with pytest.raises(BadRequest, match=r"SOURCE_DATE_EPOCH: must be seconds since 1970, got 'tomorrow'"):
        signing_lines(None)


def test_columns_are_folded_and_printed_on_request(sampled: Release) -> None:
    page = report_page(sampled, sampled.certificate)
    assert '<section class="column appendix"' in page
    assert "<details open>" not in page
    whole = with_appendix(page)
    assert '<body class="whole">' in whole
    assert "<details>" not in whole


@pytest.mark.parametrize(
    "model, words",
    [
        ({"id": "l-diversity-distinct", "l": 2}, "holds at least 2 different values of illness"),
        ({"id": "l-diversity-entropy", "l": 2}, "as mixed as 2 values that are equally frequent"),
        ({"id": "l-diversity-frequency", "l": 2}, "no value of illness stands for more than 1 in 2 records"),
        ({"id": "t-closeness", "t": 0.5, "ground_distance": "equal"}, "up to a distance of 0 on a scale"),
    ],
    ids=lambda given: given["id"] if isinstance(given, dict) else None,
)
def test_requirements_on_sensitive_columns_are_plain_sentences(model: dict[str, object], words: str) -> None:
    table = sfumato.from_rows(
        ["job", "illness"], [(job, ill) for job in ("cook", "nurse") for ill in ("flu", "cold")] * 3
    )
    columns = {"job": {"role": "quasi-identifier"}, "illness": {"role": "sensitive"}}
    made = sfumato.anonymize(table, {"columns": columns, "requirements": [{**model, "sensitive": "illness"}]})
    assert words in report_page(replace(made, warnings=()), made.certificate)
