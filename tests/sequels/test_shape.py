"""A series goes through the doors of the house: described, judged, attacked, audited."""

from __future__ import annotations

import pytest

import sfumato
from sfumato import catalogue
from sfumato.errors import BadRequest, Unsupported
from sfumato.sequels import Series

PLACES = {"Europe": ["UK", "France"]}
SERIES = Series.of(
    [
        {"Place": ["Europe"] * 5, "Disease": ["Flu"] * 3 + ["HIV"] * 2},
        {"Place": ["UK"] * 5 + ["France"] * 5, "Disease": ["Flu"] * 3 + ["HIV"] * 2 + ["HIV"] * 3 + ["Flu"] * 2},
    ],
    qid=["Place"],
    sensitive="Disease",
    hierarchies={"Place": PLACES},
)


def test_every_id_of_the_wing_is_described_by_its_id() -> None:
    found = catalogue.ids(shape="series")
    assert {"bcf-anonymity", "m-invariance", "f-attack", "tds4sa", "bcf-anonymizer"} <= set(found)
    for name in found:
        assert sfumato.describe(name).id == name
    assert sfumato.describe("bcf-detect").id == "bcf-anonymity"


def test_a_series_is_judged_as_a_whole() -> None:
    (verdict,) = sfumato.check(SERIES, {"id": "bcf-anonymity", "k": 5})
    assert not verdict
    assert verdict.strongest == 4
    assert sfumato.check(SERIES, [{"id": "bcf-anonymity", "k": 4}]).satisfied


def test_a_series_is_attacked_and_audited() -> None:
    assert sfumato.attack(SERIES, "f-attack").details["anonymity"] == 4
    found = sfumato.audit(SERIES)
    assert found.of("f-attack").after.highest == pytest.approx(1 / 4)
    assert {finding.attack for finding in found.tried} >= {"f-attack", "c-attack", "b-attack"}


def test_releases_and_a_policy_make_a_series() -> None:
    policy = {
        "shape": "series",
        "columns": {
            "Place": {"role": "quasi-identifier", "hierarchy": {"value": "Europe", "children": ["UK", "France"]}},
            "Disease": {"role": "sensitive"},
        },
        "requirements": [{"id": "bcf-anonymity", "k": 4}],
    }
    assert sfumato.check(list(SERIES.releases), policy=policy).satisfied


def test_what_a_series_cannot_is_said() -> None:
    with pytest.raises(BadRequest, match="requirements"):
        sfumato.check(SERIES)
    with pytest.raises((BadRequest, Unsupported)):
        sfumato.attack(SERIES, "linking-attack")
