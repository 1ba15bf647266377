"""The plot is well-formed, shows every point in its place, and escapes what it is given."""

from __future__ import annotations

from xml.etree import ElementTree

from sfumato.experiments.line_plot import Line, Panel, line_plot

SVG = "{http://www.w3.org/2000/svg}"


def drawn(*panels: Panel) -> ElementTree.Element:
    return ElementTree.fromstring(line_plot(panels, x="k", y="error"))


def test_points_are_placed_by_value() -> None:
    root = drawn(Panel("p", (Line("AE", ((10, 20.0), (100, 22.0), (1000, 21.0))),)))
    places = [(float(circle.get("cx", "")), float(circle.get("cy", ""))) for circle in root.iter(f"{SVG}circle")]
    (a, b, c) = places
    assert a[0] < b[0] < c[0]
    assert abs((b[0] - a[0]) - (c[0] - b[0])) < 0.2  # equal ratios, equal distances
    assert b[1] < c[1] < a[1]  # larger values are higher up


def test_marks_of_the_axis_are_round_and_cover_the_values() -> None:
    root = drawn(Panel("p", (Line("AE", ((20, 14.76), (1000, 24.2))),)))
    marks = [float(text.text or "") for text in root.iter(f"{SVG}text") if text.get("text-anchor") == "end"]
    assert marks[0] <= 14.76
    assert marks[-1] >= 24.2
    assert all(mark % 2 == 0 for mark in marks)


def test_levels_are_dashed_and_have_no_points() -> None:
    root = drawn(Panel("p", (Line("BE", ((10, 5.0), (100, 5.0)), dashed=True),)))
    assert root.find(f".//{SVG}polyline").get("stroke-dasharray")  # type: ignore[union-attr]
    assert root.find(f".//{SVG}circle") is None


def test_one_point_and_equal_values_can_be_drawn() -> None:
    root = drawn(Panel("p", (Line("AE", ((50, 15.0),)),)))
    (circle,) = root.iter(f"{SVG}circle")
    assert 0 < float(circle.get("cx", "")) < 400


def test_texts_are_escaped() -> None:
    root = drawn(Panel("a < b & c", (Line("<AE>", ((1, 1.0), (2, 2.0))),)))
    assert {"a < b & c", "<AE>"} <= {text.text for text in root.iter(f"{SVG}text")}


def test_panels_stand_side_by_side() -> None:
    panel = Panel("p", (Line("AE", ((1, 1.0), (2, 2.0))),))
    assert float(drawn(panel, panel).get("width", "")) == 2 * float(drawn(panel).get("width", ""))


def test_an_even_axis_keeps_differences() -> None:
    panel = Panel("p", (Line("F", ((2, 1.0), (3, 2.0), (4, 3.0))),))
    root = ElementTree.fromstring(line_plot((panel,), x="clusters", y="F", even=True))
    a, b, c = (float(circle.get("cx", "")) for circle in root.iter(f"{SVG}circle"))
    assert abs((b - a) - (c - b)) < 0.2
