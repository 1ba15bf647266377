"""The trade-off curve: drawn to scale, inside its frame, the published point filled, no value named."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from typing import Any

import pytest

import sfumato
from sfumato.contracts.facts import CoarseningFacts, CurvePoint
from sfumato.datasets import education_work
from sfumato.reports.charts import WIDTH
from sfumato.reports.curve_view import curve_view

CIRCLE = re.compile(r'<circle cx="([\d.]+)" cy="([\d.]+)" r="[\d.]+" class="([^"]+)"')


def point(step: int, **changed: Any) -> CurvePoint:
    told: dict[str, Any] = {"attribute": "a", "value": None, "smallest_group": 1, "groups": 9, "cost": 0.0}
    told |= {"information": None, "detail": 1.0, "satisfied": False}
    return CurvePoint(step=step, **{**told, **changed})


def sequence(curve: list[CurvePoint], published: int | None) -> CoarseningFacts:
    return CoarseningFacts(generalizations=published, satisfied_at=None, curve=curve, smallest_group={}, examined=[])


def facts(*, target: bool = True, **algorithm: Any) -> Any:
    data = education_work()
    release = sfumato.anonymize(
        sfumato.from_dataset(data),
        {
            "columns": {
                "Education": {
                    "role": "quasi-identifier",
                    "hierarchy": {"id": "taxonomy", "tree": data.taxonomies["Education"]},
                },
                "Sex": {"role": "quasi-identifier"},
                "Work_Hrs": {"role": "plain"},
                "Class": {"role": "target" if target else "plain"},
            },
            "requirements": [{"id": "k-anonymity", "k": 4}],
            "algorithm": {"id": "bottom-up-generalization", **algorithm},
        },
    )
    return release.private.facts


@pytest.mark.parametrize("target", [True, False])
def test_points_are_to_scale_and_one_of_each_strip_is_filled(target: bool) -> None:
    known = facts(target=target, explore=30)
    drawing = curve_view("c", known)
    assert drawing is not None
    ET.fromstring(str(drawing))
    curve = known["curve"]
    places = [(float(x), float(y), kind) for x, y, kind in CIRCLE.findall(str(drawing))]
    assert len(places) == 2 * len(curve)
    assert [at for at, place in enumerate(places) if place[2] == "dot on"] == [
        known["generalizations"],
        len(curve) + known["generalizations"],
    ]
    assert all(0 <= x <= WIDTH and 0 <= y <= 352 for x, y, _ in places)
    # A record more is the same distance on a logarithmic scale wherever it is added.
    first, last = places[0][1], places[len(curve) - 1][1]
    for place, point in zip(places, curve, strict=False):
        share = math.log(point["smallest_group"] / curve[0]["smallest_group"]) / math.log(
            curve[-1]["smallest_group"] / curve[0]["smallest_group"]
        )
        assert place[1] == pytest.approx(first + share * (last - first), abs=0.2)
    quality = "information" if target else "detail"
    top, bottom = places[len(curve)][1], 320.0
    for place, point in zip(places[len(curve) :], curve, strict=True):
        assert place[1] == pytest.approx(bottom - (bottom - top) * point[quality] / curve[0][quality], abs=0.2)


def test_no_value_is_named() -> None:
    known = facts(explore=30)
    drawing = str(curve_view("c", known))
    values = {str(point["value"]) for point in known["curve"][1:]}
    assert values
    assert not any(value in drawing for value in values if len(value) > 1)
    assert "Education" in drawing


def test_hostile_column_names_are_escaped() -> None:
    drawing = str(curve_view("c", sequence([point(0, attribute=None), point(1, attribute="<script>&")], 1)))
    ET.fromstring(drawing)
    assert "<script>" not in drawing


@pytest.mark.parametrize("curve", [[], [point(0)]])
def test_nothing_to_draw(curve: list[CurvePoint]) -> None:
    assert curve_view("c", sequence(curve, None)) is None


def test_long_sequences_keep_only_the_published_dot() -> None:
    curve = [point(n, smallest_group=n + 1, information=1.0, detail=1 - n / 400) for n in range(300)]
    drawing = str(curve_view("c", sequence(curve, 200)))
    assert [kind for *_, kind in CIRCLE.findall(drawing)] == ["dot on", "dot on"]
