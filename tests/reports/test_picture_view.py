"""Pictures of a shape are drawn with their numbers, in the language of the page, and survive the folder they are kept in."""

from __future__ import annotations

from pathlib import Path

import pytest

from sfumato.contracts.evidence import Evidence
from sfumato.contracts.picture import Bars, Cells, Curves, Line, Picture, Plot
from sfumato.contracts.picture import Path as Way
from sfumato.data.messages import say, speaking
from sfumato.errors import BadRequest
from sfumato.publishing.kept import read_evidence, write_evidence
from sfumato.reports.picture_view import picture_views

PICTURES: list[Picture] = [
    Bars(title="items", labels=["a", "b<"], before=[4, 2], after=[4, 1]),
    Bars(title=say("records.left_out", count=2000, share=0.25), labels=[], after=[]),
    Curves(
        title="degrees",
        across="degree",
        up="nodes",
        lines=[
            Line(name="before", points=[(1, 100), (10, 1), (0, 5)], before=True),
            Line(name="after", points=[(2, 90)]),
        ],
        log_across=True,
        log_up=True,
    ),
    Curves(title="flat", across="k", up="loss", lines=[Line(name="one", points=[(1, 0.5), (2, 0.5)])]),
    Cells(title="visits", rows=["8 h", "9 h"], columns=["north", "south"], values=[[1, None], [0, 7.5]]),
    Plot(title="map", paths=[Way(points=[(0, 0), (3, 4)]), Way(points=[], before=True)], points=[(1, 1)], sizes=[1.0]),
    Plot(title="nothing"),
]


def test_each_form_is_drawn_with_its_numbers() -> None:
    drawn = [str(view.drawing) for view in picture_views(PICTURES)]
    assert "4 of 4" in drawn[0]
    assert "1 of 2" in drawn[0]
    assert "b&lt;" in drawn[0]
    assert drawn[2].count("<path") == 2
    assert drawn[4].count("<rect") == 3  # an untold cell stays empty
    assert "7.5" in drawn[4]
    assert drawn[5].count("<circle") == 1
    assert drawn[5].count("<path") == 1
    assert all("nan" not in one for one in drawn)


def test_points_without_a_place_on_a_logarithmic_axis_are_left_out() -> None:
    path = str(picture_views([PICTURES[2]])[0].drawing).split(' d="')[1].split('"')[0]
    assert path.count(" ") == 2  # of three points, one at zero


def test_titles_follow_the_language() -> None:
    with speaking("de"):
        assert picture_views(PICTURES)[1].caption.startswith("2.000 Datensätze")


def test_pictures_are_kept_and_read_again(tmp_path: Path) -> None:
    write_evidence(tmp_path, Evidence(pictures=PICTURES))
    (tmp_path / "run.json").write_text("{}")
    assert [str(view.drawing) for view in picture_views(read_evidence(tmp_path).pictures)] == [
        str(view.drawing) for view in picture_views(PICTURES)
    ]
    (tmp_path / "pictures.json").write_text('{"pictures": [{"form": "bars"}]}')
    with pytest.raises(BadRequest, match="pictures"):
        read_evidence(tmp_path)
