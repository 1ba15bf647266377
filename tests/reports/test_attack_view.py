"""What an audit found, in words and as a picture: every attack is shown, none is listed by hand, numbers agree."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from typing import Any

import pytest

from sfumato.catalogue import things
from sfumato.contracts.evidence import Evidence
from sfumato.contracts.finding import Exposure, Finding, Findings, Untried
from sfumato.contracts.published import Release
from sfumato.reports.attack_view import (
    attack_name,
    attack_views,
    attacker_rows,
    remaining,
    risk_rows,
    risk_view,
    untried_rows,
)
from sfumato.reports.charts import WIDTH
from sfumato.reports.html import report_page

from .conftest import taken_apart

HOSTILE = "<script>alert(1)</script>\u202e"


def finding(attack: str, highest: float, mean: float, before: float | None = 1.0, **more: Any) -> Finding:
    def seen(worst: float, average: float) -> Exposure:
        return Exposure(100, worst, average, int(100 * average), f"reading of {attack}", more.get("details", {}))

    return Finding(
        attack=attack,
        spec={"id": attack},
        summary=more.get("summary", "What it does."),
        adversary="knows something",
        aims_at=more.get("aims_at", ("record",)),
        victims="records",
        columns=("age", "zip"),
        sensitive=more.get("sensitive"),
        after=seen(highest, mean),
        before=None if before is None else seen(before, before),
    )


FOUND = Findings(
    0.2,
    100,
    (
        finding("attack-of-tomorrow", 0.5, 0.25, aims_at=("attribute",), sensitive="disease"),
        finding("another-attack", 0.1, 0.05, before=None),
        finding("quiet-attack", 0.15, 0.1),
    ),
    (Untried("later-attack", "Needs much.", "knows all", ("table",), "needs a second release"),),
)


def test_every_attack_is_shown_by_what_it_aims_at() -> None:
    views = attack_views(FOUND)
    assert [view.name for view in views] == ["Another attack", "Quiet attack", "Of tomorrow (disease)"]
    assert [view.above for view in views] == [False, False, True]
    assert views[2].rows == [
        ("Highest risk of a published record", "100.0 %", "50.0 %"),
        ("Average risk over 100 published records", "100.0 %", "25.0 %"),
        ("Published records with a risk above 20.0 %", "100 of 100 (100.0 %)", "25 of 100 (25.0 %)"),
    ]
    assert views[0].rows[0][1] == "not measured"


def test_what_remains_and_what_was_not_tried() -> None:
    assert remaining(FOUND) == [
        "Of tomorrow (disease): a risk of up to 50.0 %, above 20.0 % for 25 of 100 (25.0 %) published records."
    ]
    assert untried_rows(FOUND) == [("Later attack", "Needs much.", "needs a second release")]


def test_the_picture_is_to_scale() -> None:
    drawing = risk_view("r", risk_rows(FOUND))
    assert drawing is not None
    root = ET.fromstring(str(drawing))
    dots = [float(x) for x in re.findall(r'<circle cx="([\d.]+)" cy="[\d.]+" r="4.5"', str(drawing))]
    rings = [float(x) for x in re.findall(r'<circle cx="([\d.]+)" cy="[\d.]+" r="6.5"', str(drawing))]
    assert len(dots) == 6
    assert len(rings) == 4
    assert all(0 <= x <= WIDTH for x in dots + rings)
    left = dots[0] - 0.1 * (rings[0] - dots[0]) / 0.85  # a rough origin: 10 % of the way
    assert dots[4] - dots[5] == pytest.approx(0.25 * (rings[0] - left), rel=0.1)
    text = " ".join(root.itertext())
    assert "Of tomorrow (disease), worst: 100.0 % → 50.0 %" in text
    assert risk_view("r", []) is None


def test_three_attackers_have_their_sentences() -> None:
    details = {
        "prosecutor_highest": 0.2,
        "prosecutor_average": 0.1,
        "prosecutor_share_at_risk": 0.0,
        "marketer_average": 0.1,
    }
    rows = attacker_rows(Findings(0.2, 100, (finding("attacker-risk", 0.2, 0.1, details=details),)))
    assert [row.after["highest"] for row in rows] == ["20.0 %", "–"]
    assert rows[0].reading == (
        "A prosecutor, who knows that a person is in the table, finds the record of the worst-placed person with a chance of "
        "20.0 %, and that of a person taken at random with 10.0 %; before masking it was 10.0 %."
    )


def test_every_attack_of_the_catalogue_has_a_name() -> None:
    names = [attack_name(thing.id) for thing in things("attack")]
    assert len(set(names)) == len(names)
    assert all(name and name[0] != " " for name in names)


def test_the_page_shows_findings_and_escapes_them(sampled: Release) -> None:
    hostile = Findings(
        0.2,
        10,
        (finding(f"attack-{HOSTILE}", 0.5, 0.5, summary=HOSTILE, sensitive=HOSTILE),),
        (Untried(HOSTILE, HOSTILE, HOSTILE, (), HOSTILE),),
        ({"column": HOSTILE, "reason": HOSTILE},),
    )
    text = report_page(sampled, sampled.certificate, Evidence(findings=hostile))
    page = taken_apart(text)
    assert not page.faults
    assert not page.stack
    assert "<script" not in text
    assert "\u202e" not in text
    assert len(page.ids) == len(set(page.ids))
    assert set(page.references) <= set(page.ids)
    for sentence in ("Attacks that were tried", "Attacks that could not be tried", "What remains possible"):
        assert sentence in page.text


def test_no_findings_are_told(sampled: Release) -> None:
    told = taken_apart(report_page(sampled, sampled.certificate, Evidence(untried="nobody knows anything"))).text
    assert "None could be tried: nobody knows anything." in told
    assert "None were tried." in taken_apart(report_page(sampled, sampled.certificate)).text
