"""What a result writes: aligned text, tables that can be read back, a plot with one panel for each figure."""

from __future__ import annotations

import csv
from pathlib import Path
from xml.etree import ElementTree

import pytest

from sfumato.errors import BadRequest
from sfumato.experiments.claims import bound_claim, error_claim
from sfumato.experiments.error_curves import Curve, Point
from sfumato.experiments.result import ExperimentResult
from sfumato.utility.classification import ErrorRate


@pytest.fixture
def result() -> ExperimentResult:
    def error(rate: float) -> ErrorRate:
        return ErrorRate(rate, 400, "tree")

    def curve(figure: str, top: int) -> Curve:
        points = tuple(Point(k, error(rate), {}, 0.1) for k, rate in ((20, 0.16), (100, 0.2)))
        return Curve(figure, top, ("a",) * top, error(0.15), error(0.25), points)

    return ExperimentResult(
        "tdr-test",
        "A test",
        "Somebody, 2007",
        ("Data: none",),
        (error_claim("Fig. 1", "BE", 14.7, error(0.15)), bound_claim("Fig. 1", "AE-BE, points", 4, 5.0)),
        (curve("Fig. 1", 5), curve("Fig. 1", 7), curve("Fig. 2", 7)),
        ("Nothing agrees.",),
    )


def test_text_is_aligned(result: ExperimentResult) -> None:
    lines = result.to_text().splitlines()
    head = next(number for number, line in enumerate(lines) if line.startswith("figure"))
    place = lines[head].index("verdict")
    assert lines[head + 2][place:].startswith("reproduced within 0.5 points")
    assert lines[head + 3][place:].startswith("not reproduced: off by 1.00")
    assert "- Nothing agrees." in lines


def test_series_hold_every_error(result: ExperimentResult) -> None:
    assert len(result.series()) == 6
    assert result.series()[1][:8] == ("Fig. 1", "Top5", "100", "15.00", "20.00", "25.00", "5.00", "5.00")


def test_save_writes_four_files_that_can_be_read(result: ExperimentResult, tmp_path: Path) -> None:
    folder = result.save(tmp_path / "new" / "folder")
    assert sorted(path.name for path in folder.iterdir()) == ["errors.csv", "plot.svg", "summary.txt", "table.csv"]
    with (folder / "table.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["claim"] for row in rows] == ["BE", "AE-BE, points"]
    assert rows[0]["difference"] == "+0.30"
    titles = {text.text for text in ElementTree.parse(folder / "plot.svg").iter("{http://www.w3.org/2000/svg}text")}
    assert {"Fig. 1", "Fig. 2", "AE Top5", "UE Top7", "BE"} <= titles
    assert (folder / "summary.txt").read_text(encoding="utf-8") == result.to_text()


def test_save_again_replaces(result: ExperimentResult, tmp_path: Path) -> None:
    result.save(tmp_path)
    before = (tmp_path / "table.csv").read_bytes()
    result.save(tmp_path)
    assert (tmp_path / "table.csv").read_bytes() == before


def test_a_file_in_the_way_is_refused(result: ExperimentResult, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("x", encoding="utf-8")
    with pytest.raises(BadRequest, match="cannot be written"):
        result.save(tmp_path / "taken")
