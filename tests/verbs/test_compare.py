"""Comparing algorithms: each row is what publishing and measuring by itself gives, and whoever cannot says why."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from dataclasses import replace
from typing import Any

import pytest

import sfumato
from sfumato.contracts.comparison import Attempt, marked
from sfumato.datasets import patients
from sfumato.errors import BadRequest, Cancelled
from sfumato.tables.evidence import predicted, questioned

ALGORITHMS = ["tdr", "mondrian", "datafly", "optimal"]
ROWS = [
    (
        20 + i * 7 % 40,
        ("cook", "nurse", "clerk", "judge")[i * 5 % 4],
        ("Linz", "Graz", None)[i % 3 if i % 10 else 2],
        "ny"[i % 2],
    )
    for i in range(120)
]
AGES = {"id": "intervals", "lower": 0, "upper": 80, "width": 5, "fan_out": [4]}
JOBS = {"id": "taxonomy", "tree": {"Any": [{"Service": ["cook", "clerk"]}, "nurse", "judge"]}}
TOWNS = {"id": "taxonomy", "tree": {"Any": ["Linz", "Graz"]}}
POLICY: dict[str, Any] = {
    "columns": {
        "age": {"role": "quasi-identifier", "hierarchy": AGES},
        "job": {"role": "quasi-identifier", "hierarchy": JOBS},
        "town": {"role": "quasi-identifier", "hierarchy": TOWNS, "missing": "drop-record"},
        "rich": {"role": "target"},
    },
    "requirements": [{"id": "k-anonymity", "k": 3}],
    "limits": {"suppress_at_most": 0.05},
}


@pytest.fixture(scope="module")
def table() -> Any:
    return sfumato.from_rows(["age", "job", "town", "rich"], ROWS)


@pytest.fixture(scope="module")
def found(table: Any) -> sfumato.Comparison:
    return sfumato.compare(table, POLICY, algorithms=[*ALGORITHMS, "k-optimize", "mpalm"], ks=[3, 8], seconds=None)


@pytest.mark.parametrize("at", range(8))
def test_a_row_is_what_publishing_by_itself_gives(found: sfumato.Comparison, table: Any, at: int) -> None:
    row = [row for row in found if row.algorithm in ALGORITHMS][at]
    release = sfumato.anonymize(table, row.policy)
    assert (row.read, row.left) == (release.counts["records_read"], release.public.height)
    assert row.loss == sfumato.measure(table, release, "loss").value
    assert [one.level for one in row.reached] == [verdict.strongest for verdict in release.verdict]
    assert row.risk == 1 / release.table.groups(["age", "job", "town"]).sizes.min()
    raw = release.private.raw
    assert raw is not None
    assert row.queries == questioned(release, raw)["median"]
    told: Any = predicted(release, raw)
    assert row.prediction == told["classifiers"][0]["AE"]["rate"]
    assert release.certificate.requirements[0].parameters["k"] == row.k


def test_dropped_records_count_as_lost(found: sfumato.Comparison) -> None:
    for row in found:
        if row.reason is None:
            assert row.dropped == sum(town is None for _, _, town, _ in ROWS)
            assert row.read == len(ROWS)
            assert row.cost == pytest.approx((row.loss * (row.read - row.dropped) + row.dropped) / row.read)


def test_whoever_cannot_says_why_and_the_best_is_marked_for_each_k(found: sfumato.Comparison) -> None:
    reasons = {row.algorithm: row.reason for row in found if row.reason is not None}
    assert "delta-presence" in reasons["mpalm"]
    for k in (3, 8):
        made = [row for row in found if row.k == k and row.reason is None]
        (best,) = [row for row in made if row.best]
        assert best.cost == min(row.cost for row in made)
        assert best in found.best


def test_it_is_a_frame_a_document_a_page_and_a_picture(found: sfumato.Comparison) -> None:
    frame = found.to_frame()
    assert frame.height == len(found) == 12
    assert {"algorithm", "k", "loss", "cost", "left", "queries", "k-anonymity"} <= set(frame.columns)
    assert json.loads(json.dumps(found.document()))["rows"][0]["algorithm"] == "tdr"
    drawing = ET.fromstring(found.picture())
    dots = drawing.iter("{http://www.w3.org/2000/svg}circle")
    assert sum("on" in dot.attrib["class"] for dot in dots) == 2
    page = found._repr_html_()
    assert page.count("<tr") == 1 + sum(row.reason is None for row in found)
    assert "mpalm (k = 3, 8): " in page
    whole = found.page("de")
    assert '<html lang="de">' in whole
    assert whole.count("Am besten bei k = ") == 2
    assert whole.count("<tr") == page.count("<tr")


def test_the_policys_algorithm_keeps_its_parameters(table: Any) -> None:
    policy = {**POLICY, "algorithm": {"id": "tdr", "score": "loss-decrease"}}
    found = sfumato.compare(table, policy, algorithms=["tdr", {"id": "tdr"}], seconds=None)
    assert [sfumato.Policy.of(row.policy).algorithm for row in found] == [policy["algorithm"], {"id": "tdr"}]
    assert repr(found) == "Comparison(2 rows, best by loss: tdr)"


def test_other_kinds_of_release_stand_beside_recoded_tables() -> None:
    held = [(*row[:3], ("flu", "cold", "ulcer")[at % 3]) for at, row in enumerate(row for row in ROWS if row[2])]
    table = sfumato.from_rows(["age", "job", "town", "ill"], [*held, (30, "cook", None, "flu")])
    columns = {**{name: POLICY["columns"][name] for name in ("age", "job", "town")}, "ill": {"role": "sensitive"}}
    requirements = [{"id": "l-diversity-distinct", "l": 2, "sensitive": "ill"}]
    policy = {**POLICY, "columns": columns, "requirements": requirements, "seed": 1}
    found = sfumato.compare(table, policy, algorithms=["anatomize", "datafly"], by="queries", seconds=None)
    pair, recoded = found.rows
    assert pair.reason is None, pair.reason
    assert (pair.loss, pair.risk) == (None, None)  # nothing is generalized
    assert pair.queries is not None
    assert (pair.read, pair.dropped, pair.left) == (len(held) + 1, 1, len(held))
    assert recoded.left == sfumato.anonymize(table, recoded.policy).table.rows
    assert [row.algorithm for row in found.best] == [min(found, key=lambda row: row.queries).algorithm]


def test_pages_are_escaped() -> None:
    rows = marked([Attempt(algorithm="<b>", policy={}, risk=0.5, loss=0.1, read=2, left=2)], "loss")
    assert "<b>" not in sfumato.Comparison(rows, "loss")._repr_html_().replace("<body>", "")


def test_charts_are_objects_where_altair_is_installed(found: sfumato.Comparison) -> None:
    altair = pytest.importorskip("altair")
    assert isinstance(found.chart(), altair.Chart)


def test_without_algorithms_all_that_publish_alike_are_tried() -> None:
    policy = sfumato.Policy.for_dataset(patients(), requirements=[{"id": "k-anonymity", "k": 2}])
    run = sfumato.Run()

    class Watcher:
        names: list[str] = []

        def stage(self, name: str, total: float | None = None) -> None:
            pass

        def tick(self, done: float, note: str = "") -> None:
            self.names.append(note)
            if len(self.names) == 3:
                run.cancel.set()

    found = sfumato.compare(sfumato.from_dataset(patients()), policy, run=replace(run, progress=Watcher()))
    assert found.rows[0].algorithm == "tdr" == Watcher.names[0]
    assert {"optimal", "mondrian", "datafly", "top-down-specialization"} <= {row.algorithm for row in found}
    tried = [row for row in found if row.reason is None]
    assert 1 <= len(tried) <= 3  # what was reached until somebody ended it
    assert found.rows[-1].reason is not None
    assert found.rows[-1].reason.startswith("was not tried")


def test_a_run_that_ends_before_anything_is_known_raises() -> None:
    policy = sfumato.Policy.for_dataset(patients(), requirements=[{"id": "k-anonymity", "k": 2}])
    with pytest.raises(Cancelled):
        sfumato.compare(sfumato.from_dataset(patients()), policy, run=sfumato.Run().within(0))


def test_a_search_that_is_too_slow_says_so(table: Any) -> None:
    found = sfumato.compare(table, POLICY, algorithms=["datafly", "tdr"], seconds=1e-9)
    assert found.rows[0].reason is not None
    assert "found nothing within" in found.rows[0].reason
    assert found.rows[1].stopped == "deadline" or found.rows[1].reason is not None


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"ks": [0]}, "whole numbers"),
        ({"by": "beauty"}, "nothing to compare by"),
        ({"algorithms": []}, "at least one"),
        ({"algorithms": ["tdrr"]}, "did you mean 'tdr'"),
        ({"seconds": 0}, "above 0"),
    ],
)
def test_wrong_requests_are_refused(table: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises(BadRequest, match=said):
        sfumato.compare(table, POLICY, **options)


def test_a_policy_that_nothing_can_work_with_is_refused(table: Any) -> None:
    columns = {name: entry for name, entry in POLICY["columns"].items() if name != "age"}
    with pytest.raises(BadRequest, match="has no role"):
        sfumato.compare(table, {**POLICY, "columns": columns}, algorithms=["tdr", "optimal"])
    diverse = [{"id": "l-diversity-distinct", "l": 2, "sensitive": "rich"}]
    with pytest.raises(BadRequest, match="no requirement has a k"):
        sfumato.compare(table, {**POLICY, "requirements": diverse}, ks=[2])
