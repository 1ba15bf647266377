"""Drawings of an exploration, and what a report says about levels: to scale, marked, escaped, and without finer values."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

import sfumato
from sfumato.contracts.exploration import Height
from sfumato.contracts.facts import OptimalFacts, gap_words
from sfumato.contracts.levels import FinerLevel, Point
from sfumato.contracts.published import Release
from sfumato.data.messages import say, worded
from sfumato.datasets import patients
from sfumato.reports.charts import WIDTH
from sfumato.reports.html import report_page
from sfumato.reports.lattice_view import lattice_view
from sfumato.reports.standalone import standalone
from sfumato.reports.text import print_release
from sfumato.reports.tradeoff_view import tradeoff_view
from sfumato.tables.policy import Policy

from .conftest import taken_apart

SVG = "{http://www.w3.org/2000/svg}"
TOP = (2, 1, 2)


def drawn(names: tuple[str, ...] = ("zip", "sex", "age"), unknown: frozenset[tuple[int, ...]] = frozenset()) -> Any:
    """Draw a lattice in which the first two levels must sum to 1 at least."""
    nodes = list(product(*(range(level + 1) for level in TOP)))
    states = {node: node[0] + node[1] > 0 for node in nodes if node not in unknown}
    heights = [
        Height(
            h,
            sum(sum(n) == h for n in nodes),
            sum(v for n, v in states.items() if sum(n) == h),
            sum(not v for n, v in states.items() if sum(n) == h),
        )
        for h in range(sum(TOP) + 1)
    ]
    return ET.fromstring(
        standalone(
            lattice_view("l", names, TOP, heights, states, best=(0, 1, 0), minimal=[(0, 1, 0), (1, 0, 0)], proven=True)
        )
    )


def boxes(root: Any) -> dict[str, Any]:
    return {
        group.find(f"{SVG}text").text: group for group in root.iter(f"{SVG}g") if group.find(f"{SVG}text") is not None
    }


def test_every_node_is_drawn_on_the_layer_of_its_height() -> None:
    root = drawn(unknown=frozenset({(2, 1, 2)}))
    found = boxes(root)
    assert len(found) == 18
    layers: dict[int, set[str]] = {}
    width, height = map(float, root.get("viewBox").split()[2:])
    for text, group in found.items():
        node = tuple(map(int, text.strip("()").split(",")))
        box = group.find(f"{SVG}rect")
        kind = "open" if node == TOP else "yes" if node[0] + node[1] > 0 else "no"
        assert box.get("class") == kind
        assert kind in group.find(f"{SVG}text").get("class").split()
        layers.setdefault(sum(node), set()).add(box.get("y"))
        assert 0 <= float(box.get("x")) <= width - float(box.get("width"))
        assert 0 <= float(box.get("y")) <= height
    assert all(len(places) == 1 for places in layers.values())
    ordered = [float(next(iter(layers[height]))) for height in sorted(layers)]
    assert ordered == sorted(ordered, reverse=True)
    # An edge for every step up: 2 * 2 * 3 + 3 * 1 * 3 + 3 * 2 * 2.
    assert len(list(root.iter(f"{SVG}line"))) == 33


def test_best_and_minimal_nodes_are_marked() -> None:
    found = boxes(drawn())
    ringed = [text for text, group in found.items() if any(r.get("class") == "ring" for r in group.iter(f"{SVG}rect"))]
    marked = [text for text, group in found.items() if any(r.get("class") == "mark" for r in group.iter(f"{SVG}rect"))]
    assert ringed == ["(0,1,0)"]
    assert marked == ["(0,1,0)", "(1,0,0)"]
    assert found["(0,1,0)"].find(f"{SVG}title").text == (
        "(0,1,0): satisfies every requirement; the best; nothing finer satisfies"
    )


def test_the_drawing_can_be_read_out() -> None:
    root = drawn()
    assert root.get("role") == "img"
    assert root.find(f"{SVG}title").text == "Lattice of levels"
    told = root.find(f"{SVG}desc").text
    assert told.startswith("18 choices of levels: 15 known to satisfy every requirement, 3 known to break one, 0 not")
    assert "The best is (0,1,0)." in told
    assert set(root.get("aria-labelledby").split()) == {
        root.find(f"{SVG}title").get("id"),
        root.find(f"{SVG}desc").get("id"),
    }
    assert [text for text in ("1. zip", "2. sex", "3. age") if text in "".join(root.itertext())] == [
        "1. zip",
        "2. sex",
        "3. age",
    ]


def test_hostile_names_are_escaped() -> None:
    root = drawn(("<script>x</script>", "a&b", '"\u202e'))
    assert not list(root.iter(f"{SVG}script"))
    assert "<script>x</script>" in "".join(root.itertext())
    assert "\u202e" not in "".join(root.itertext())


def test_large_lattices_are_summed_up_and_say_so() -> None:
    heights = [Height(0, 1, 0, 1), Height(1, 600, 150, 300), Height(2, 399, 399, 0)]
    root = ET.fromstring(
        standalone(
            lattice_view("l", ["a", "b"], (1, 1), heights, {}, best=(0, 1), minimal=[(0, 1), (1, 0)], proven=False)
        )
    )
    text = " ".join(root.itertext())
    assert "1,000 choices are too many to draw one by one; these are summed up by height" in text
    assert "150 of 600" in text
    assert "2 with nothing finer; the best" in text
    assert "best found (0,1)" in text
    assert root.find(f"{SVG}title").text == "Choices of levels, summed up by height"
    middle = {
        rect.get("class"): float(rect.get("width"))
        for group in root.iter(f"{SVG}g")
        for rect in group.iter(f"{SVG}rect")
        if group.find(f"{SVG}title").text.startswith("height 1:")
    }
    assert middle == {"yes": pytest.approx(74), "no": pytest.approx(149), "open": pytest.approx(74)}


# ---- the curve -----------------------------------------------------------------------------------------------------------


def point(k: int | None, score: float | None, left_out: int | None, **more: Any) -> Point:
    levels = None if score is None else {"a": 1}
    shown = {"levels": levels, "score": score, "left_out": left_out, "proven": True}
    return Point(**{"k": k, "suppress_at_most": 0.05, "asked": False, **shown, **more})


def circles(drawing: str) -> list[tuple[float, float, str]]:
    found = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)" r="[\d.]+" class="([^"]+)"', drawing)
    return [(float(x), float(y), kind) for x, y, kind in found]


def test_points_of_the_curve_are_to_scale() -> None:
    points = [point(2, 0.1, 0), point(4, 0.2, 5, asked=True), point(8, 0.4, 10), point(16, None, None)]
    drawing = str(tradeoff_view("c", points, "loss", 200))
    places = circles(drawing)
    assert len(places) == 6
    assert [kind for *_, kind in places] == ["dot", "dot on", "dot"] * 2
    xs = [x for x, *_ in places[:3]]
    assert xs[2] - xs[1] == pytest.approx(xs[1] - xs[0], abs=0.2)
    assert all(0 <= x <= WIDTH for x in xs)
    ys = [y for _, y, _ in places]
    assert (ys[0] - ys[1]) * 2 == pytest.approx(ys[1] - ys[2], abs=0.3)  # 0.1, 0.2, 0.4
    assert ys[3] - ys[4] == pytest.approx(ys[4] - ys[5], abs=0.2)  # 0, 5, 10 records
    root = ET.fromstring(drawing)
    text = " ".join(root.itertext())
    assert "k = 4: 0.2 at levels (1), 5 records left out (2.5 %); as the policy asks" in text
    assert "k = 16: no choice of levels satisfies" in text
    assert "16 ✗" in text


def test_suppression_limits_stand_side_by_side() -> None:
    points = [point(None, 3.0 - at, at, suppress_at_most=at / 10) for at in range(3)]
    drawing = str(tradeoff_view("c", points, "iloss", 10))
    xs = [x for x, *_ in circles(drawing)[:3]]
    assert xs[2] - xs[1] == pytest.approx(xs[1] - xs[0], abs=0.2)
    assert "Privacy against utility, by suppression limit" in drawing


@pytest.mark.parametrize(
    "points", [[point(5, None, None)], [point(5, 0.0, 0)], [point(5, -2.0, 1)], [point(2, -1.0, 0), point(9, -3.0, 0)]]
)
def test_curves_of_little(points: list[Point]) -> None:
    ET.fromstring(standalone(tradeoff_view("c", points, "loss", 9)))


# ---- sentences -----------------------------------------------------------------------------------------------------------


def test_sentences_about_a_finer_level() -> None:
    entry = {"attribute": "age", "level": 2, "height": 3, "records": 12, "allowed": 5, "cost": 0.25, "binds": None}
    assert FinerLevel.read(entry).words() == (
        "One level finer is allowed (12 records left out of 5 that may be) and would score better by 0.25."
    )
    assert FinerLevel.read({**entry, "cost": -0.5}).words().endswith("but would score worse by 0.5.")
    assert FinerLevel.read({**entry, "cost": 0.0}).words().endswith("and would score no better.")
    bound = {"binds": "k-anonymity", "breaking": 9, "groups": 4, "example_size": 3, "example": {"age": "31"}}
    assert FinerLevel.read({**entry, **bound}).words() == (
        "One level finer, 12 records in 4 groups would have to be left out, and 5 records may be; for 9 of them the reason is "
        "k-anonymity. The largest such group has 3 records."
    )
    said = FinerLevel.read({**entry, **bound, "binds": say("why.on_columns", model="k-map", columns=["age", "sex"])})
    german = [
        worded(text, "de") for text in (said.words(), str(said.words()))
    ]  # as it was found, and as a file keeps it
    assert german[0] == german[1]
    assert "für 9 davon ist der Grund k-map auf den Spalten age und sex" in german[0]


def test_sentences_about_certainty() -> None:
    facts = OptimalFacts(
        levels={"job": 1, "sex": 0},
        metric={"id": "loss"},
        score=0.5,
        lattice=1000,
        checks=40,
        bound=None,
        gap=0.125,
        left_out=0,
        groups=9,
        groups_kept=9,
        solutions=(),
        why=(),
    )
    assert (
        "loss 0.5 is proven to be the lowest (1,000 choices of levels, 40 of them counted)"
        in replace(facts, gap=0.0).certainty()
    )
    assert "others score at most 12.5 % better" in facts.certainty()
    assert "not searched" in facts.certainty(chosen=True)
    assert facts.words() == ["levels: job 1, sex 0", facts.certainty()]
    assert gap_words(None) == "nothing is known about how much better others could be"


# ---- the report of a release by levels -----------------------------------------------------------------------------------


def released(**algorithm: Any) -> Release:
    data = patients()
    policy = Policy.for_dataset(
        data, requirements=[{"id": "k-anonymity", "k": 2}], algorithm={"id": "optimal", **algorithm}
    )
    return sfumato.anonymize(sfumato.from_dataset(data), policy)


def test_the_report_says_why_these_levels() -> None:
    release = released()
    text = report_page(release, release.certificate)
    page = taken_apart(text)
    assert not page.faults
    assert not page.stack
    assert len(page.ids) == len(set(page.ids))
    assert set(page.references) <= set(page.ids)
    assert ("href", "#levels") in page.addresses
    assert "Why these levels" in page.text
    assert "Other choices" in page.text
    assert "is proven to be the lowest (18 choices of levels" in page.text
    assert "1 record in 1 group would have to be left out, and none may be; the reason is k-anonymity" in page.text
    assert text == report_page(release, release.certificate)
    # The example of a group that is too small is finer than what is published.
    values = {value for entry in release.private.facts["why"] for value in entry.get("example", {}).values()}
    assert {"Lawyer", "35"} <= values
    section = page.text.split("Why these levels")[1].split("Words used here")[0]
    assert "Other choices" in section
    assert not re.search(r"\b35\b", section)
    assert "Lawyer" not in page.text


def test_the_report_of_chosen_levels_lists_what_else_was_seen() -> None:
    release = released(metric="average-group-size", solutions=4)
    facts = release.private.facts
    page = taken_apart(report_page(release, release.certificate))
    assert len(facts["solutions"]) > 1
    assert "1, published" in page.text
    chosen = released(levels={"Job": 2, "Sex": 1, "Age": 2})
    text = taken_apart(report_page(chosen, chosen.certificate)).text
    assert "The policy chose these levels (loss 1)" in text
    assert "No other choice that meets every requirement had to be counted" in text


def test_the_report_of_an_unfinished_search_says_so() -> None:
    release = released(heuristic="top-down")
    text = taken_apart(report_page(release, release.certificate)).text
    if release.certificate["algorithm"]["optimal"]:
        assert "proven to be the lowest" in text
    else:
        assert "not proven to be the best" in text
        assert "others score at most" in text or "nothing is known" in text


def test_other_searches_have_no_levels(sampled: Release) -> None:
    assert "Why these levels" not in report_page(sampled, sampled.certificate)


def test_the_text_report_names_the_levels(capsys: pytest.CaptureFixture[str], tmp_path: Any) -> None:
    print_release(released(), tmp_path)
    said = " ".join(capsys.readouterr().out.split())
    assert "levels: Job 1, Sex 0, Age 1" in said
    assert "is proven to be the lowest" in said
