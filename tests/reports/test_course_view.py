"""The course of a series as a picture and a table, in the page of a release and in a page of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import sfumato
from sequels.published_series import ROWS, Publisher
from sfumato.contracts.evidence import Course, Stage
from sfumato.errors import BadRequest
from sfumato.reports.course_view import course_view

STAGES = [
    Stage(number=1, rows=20, loss=0.25, risks={}),
    Stage(number=2, rows=30, loss=None, risks={"f-attack": 0.2, "b-attack": 0.5}),
]


def test_each_release_is_a_row_and_each_attack_a_column() -> None:
    view = course_view(Course(kind="continuous", stages=STAGES))
    assert view is not None
    assert [row[:3] for row in view.rows] == [["1", "20", "25.0 %"], ["2", "30", "–"]]
    assert view.rows[0][3:] == ["–", "–"]
    assert len(view.header) == 5
    assert "50" in view.reading
    assert str(view.drawing).count("<circle") == 2 + 1 + 2


def test_what_is_no_series_has_no_course() -> None:
    assert course_view(None) is None
    assert course_view(Course(kind=None, stages=[])) is None
    view = course_view(Course(kind="dynamic", stages=STAGES[:1]))
    assert view is not None
    assert "No attack" in view.reading


@pytest.mark.parametrize("language", ["en", "de"])
def test_pages_of_a_series(tmp_path: Path, language: str) -> None:
    publisher = Publisher(tmp_path, "continuous")
    one, two = (publisher.publish(ROWS[:count]) for count in (24, 48))
    told = json.loads((two / "private" / "series.json").read_text())
    assert [stage["rows"] for stage in told["stages"]] == [24, 48]
    assert all(stage["loss"] is not None for stage in told["stages"])
    assert max(told["stages"][-1]["risks"].values()) <= 1
    page = sfumato.report(two, language=language).read_text("utf-8")
    assert 'id="series"' in page
    assert 'id="series"' not in sfumato.report(two, edition="public").read_text("utf-8")
    whole = sfumato.report([two, one], file=tmp_path / "page.html", language=language).read_text("utf-8")
    assert 'id="learns"' in whole
    assert all(who not in whole for who in ("p0<", ">p0"))
    with pytest.raises(BadRequest, match="file"):
        sfumato.report([two, one])
    with pytest.raises(BadRequest, match="one page"):
        sfumato.report([two, one], edition="public", file=tmp_path / "other.html")
