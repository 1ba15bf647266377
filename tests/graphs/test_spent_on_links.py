"""What is spent on links: questions and noisy degrees through the door of policies and in Python, paid by a ledger's budget."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import sfumato
from sfumato.datasets import preferential
from sfumato.errors import BadRequest, Infeasible, SfumatoError, Unsupported
from sfumato.graphs import Graph
from sfumato.graphs.recodings import InteractiveGraphQueries
from sfumato.ledger.ledger import Ledger

GRAPH = Graph.of_edges(60, preferential(60, 2)).labelled({at: "xyz"[at % 3] for at in range(60)})
ALGORITHMS: list[dict[str, Any]] = [
    {"id": "private-degree-sequence", "epsilon": 1.0},
    {"id": "interactive-graph-queries", "epsilon": 1.0, "questions": ["links", "degree-histogram", "label-pairs"]},
]


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    place = tmp_path / "releases.ledger"
    with Ledger.create(place) as made:
        made.budgets.allot("links", epsilon=2.5)
    return place


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda one: one["id"])
def test_the_door_of_policies(algorithm: dict[str, Any], ledger: Path, tmp_path: Path) -> None:
    asked = {
        "shape": "graph",
        "requirements": [{"id": "edge-differential-privacy", "epsilon": 1.0}],
        "algorithm": algorithm,
        "ledger": str(ledger),
        "budget": "links",
    }
    for name in ("one", "two"):
        release = sfumato.anonymize(GRAPH, asked)
        sfumato.publish(release, tmp_path / name)
        sfumato.verify(tmp_path / name / "public")
        assert 0.9 < release.certificate.charges[0].epsilon <= 1.0
        assert not release.measured  # what is measured beside the original would be another answer
    with pytest.raises(SfumatoError, match="left"):
        sfumato.anonymize(GRAPH, asked)


def test_answers_are_about_something() -> None:
    asked = {
        "shape": "graph",
        "requirements": [{"id": "edge-differential-privacy", "epsilon": 30.0}],
        "algorithm": {**ALGORITHMS[1], "epsilon": 30.0},
    }
    rows = sfumato.anonymize(GRAPH, asked).tables["data"].to_rows()
    told = {row[:2]: row[2] for row in rows}
    assert abs(told["links", None] - GRAPH.links) < 10
    assert [about for question, about in told if question == "label-pairs"] == [
        f"{one} - {other}" for one, other in ("xx", "xy", "xz", "yy", "yz", "zz")
    ]
    assert sum(value for (question, _), value in told.items() if question == "label-pairs") == pytest.approx(
        116, abs=20
    )


def test_a_session_pays_from_a_ledger(ledger: Path) -> None:
    with Ledger(ledger) as held:
        session = InteractiveGraphQueries(epsilon=9.0).session(GRAPH, budgets=held.budgets, names="links")
        session.ask("links", 1.0)
        session.ask("triangles", 1.0)
        with pytest.raises(SfumatoError):
            session.ask("two-paths", 1.0)
        assert len(session.answers) == 2
        with pytest.raises(BadRequest, match="which budgets"):
            InteractiveGraphQueries(epsilon=9.0).session(GRAPH, budgets=held.budgets)


@pytest.mark.parametrize(
    "change, error",
    [
        ({"algorithm": {**ALGORITHMS[1], "questions": ["who"]}}, BadRequest),
        ({"algorithm": {**ALGORITHMS[1], "questions": []}}, BadRequest),
        ({"algorithm": {**ALGORITHMS[1], "epsilon": 2.0}}, Infeasible),
        ({"requirements": [{"id": "k-degree-anonymity", "k": 2}]}, Unsupported),
    ],
)
def test_what_is_refused(change: dict[str, Any], error: type[SfumatoError]) -> None:
    asked = {
        "shape": "graph",
        "requirements": [{"id": "edge-differential-privacy", "epsilon": 1.0}],
        "algorithm": ALGORITHMS[1],
    }
    with pytest.raises(error):
        sfumato.anonymize(GRAPH, {**asked, **change})


def test_an_endless_budget_is_none() -> None:
    with pytest.raises(BadRequest, match="finite"):
        InteractiveGraphQueries(epsilon=float("inf"))


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda one: one["id"])
def test_how_many_have_links_is_no_public_number(algorithm: dict[str, Any]) -> None:
    links = [(1, 2), (2, 3), (3, 1), (4, 5)]
    requirements = [{"id": "edge-differential-privacy", "epsilon": 1.0}]
    asked = {"shape": "graph", "requirements": requirements, "algorithm": algorithm}
    with pytest.raises(BadRequest, match="nodes: count"):
        sfumato.anonymize(links, asked)
    for fewer in (links, links[:3]):
        release = sfumato.anonymize(fewer, {**asked, "nodes": {"count": 7}})
        assert _told_nodes(release) == 7
    with pytest.raises(BadRequest, match="fewer than the 5 nodes"):
        sfumato.anonymize(links, {**asked, "nodes": {"count": 4}})
    assert _told_nodes(sfumato.anonymize(Graph.of(links, nodes=range(9)), asked)) == 9
    half = Graph.of(links, nodes=[1, 2, 3], repair=["unknown"])  # the others are there because they have links
    with pytest.raises(BadRequest, match="tells of links"):
        sfumato.anonymize(half, asked)
    with pytest.raises(BadRequest, match="tells of links"):
        InteractiveGraphQueries(epsilon=1.0).session(half).ask("degree-histogram", 0.5)


def _told_nodes(release: sfumato.Release) -> int:
    """Return how many nodes are told of: they are listed, or each number of links that one may have is."""
    if "nodes" in release.tables:
        return release.tables["nodes"].rows
    return sum(row[0] == "degree-histogram" for row in release.table.to_rows())


def test_a_graph_without_links_is_published(tmp_path: Path) -> None:
    asked = {"shape": "graph", "requirements": [{"id": "k-degree-anonymity", "k": 3}]}
    sfumato.publish(
        sfumato.anonymize(Graph.of([], nodes=range(4)), asked), tmp_path / "out"
    )  # noise may come to the same
    assert sfumato.verify(tmp_path / "out/public").certificate.counts["records_published"] == 4
