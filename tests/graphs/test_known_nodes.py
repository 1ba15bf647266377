"""What is known of nodes beside their links: labels with degrees, added nodes without gaps, links that must not be told."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import sfumato
from sfumato.contracts.run import Run
from sfumato.data.text import to_text
from sfumato.datasets import preferential
from sfumato.errors import BadRequest, Unsupported
from sfumato.graphs import Graph
from sfumato.graphs.algorithms import SupergraphGeneration
from sfumato.graphs.algorithms._labels import large_labels
from sfumato.graphs.attacks.graph_attribute_disclosure import AttributeDisclosed
from sfumato.graphs.graph import Dummy
from sfumato.graphs.refinement import stable, structure, structures

TOWNS = ["Ulm"] * 30 + ["Bonn"] * 25 + ["Kiel"] * 4 + ["Jena"]
PEOPLE = {"id": list(range(60)), "town": TOWNS, "party": ["red", "blue", "green"] * 20}
GRAPH = Graph.of([tuple(pair) for pair in preferential(60, 2).tolist()], nodes=PEOPLE, person="id")
TREE = {"id": "taxonomy", "tree": {"Germany": {"north": ["Kiel"], "rest": ["Ulm", "Bonn", "Jena"]}}}
POLICY: dict[str, Any] = {
    "shape": "graph",
    "nodes": {"columns": {"town": {"role": "quasi-identifier"}, "party": {"role": "sensitive"}}},
    "requirements": [{"id": "k-candidate-anonymity", "k": 4, "rounds": 1, "use_labels": True}],
    "algorithm": {"id": "supergraph-generation", "mode": "edit"},
}


@pytest.mark.parametrize("mode", ["supergraph", "edit", "dummies"])
@pytest.mark.parametrize("hierarchy", [None, TREE])
def test_labels_and_degrees_together(mode: str, hierarchy: dict[str, Any] | None) -> None:
    columns = POLICY["nodes"]["columns"]
    town = {**columns["town"], **({} if hierarchy is None else {"hierarchy": hierarchy})}
    nodes = {"columns": {**columns, "town": town}}
    release = sfumato.anonymize(GRAPH, {**POLICY, "nodes": nodes, "algorithm": {**POLICY["algorithm"], "mode": mode}})
    graph: Graph = release.graph  # type: ignore[attr-defined]
    found = Counter(zip(graph.columns["town"], graph.degrees.tolist(), strict=True))
    assert min(found.values()) >= 4
    assert None not in graph.columns["party"]
    assert not release.warnings


def test_rare_labels_take_the_nearest_along() -> None:
    assert Counter(large_labels(_labelled(None), 4).columns["town"]) == {"Ulm": 30, "Bonn": 25, "*": 5}
    tree = sfumato.catalogue.build(TREE, "hierarchy").build(sorted(set(TOWNS)), column="town")
    held = Counter(large_labels(_labelled(tree), 4).columns["town"])
    assert held == {"Ulm": 30, "rest": 26, "Kiel": 4}


def _labelled(tree: Any) -> Graph:
    from dataclasses import replace

    return replace(GRAPH, label=("town",), tree=tree)


def test_more_rounds_are_refused() -> None:
    with pytest.raises(Unsupported, match="rounds 0 or 1"):
        sfumato.anonymize(GRAPH, {**POLICY, "requirements": [{"id": "k-candidate-anonymity", "k": 2, "rounds": 2}]})


@pytest.mark.parametrize("algorithm", [{"id": "k-automorphism"}, {"id": "supergraph-generation", "mode": "dummies"}])
def test_added_nodes_have_no_gaps(algorithm: dict[str, Any]) -> None:
    requirements = [{"id": "k-degree-anonymity", "k": 11}]
    release = sfumato.anonymize(GRAPH, {**POLICY, "requirements": requirements, "algorithm": algorithm})
    graph: Graph = release.graph  # type: ignore[attr-defined]
    assert len(graph) > len(GRAPH)
    assert None not in graph.columns["party"] + graph.columns["town"]
    assert set(graph.columns["party"]) == {"red", "blue", "green"}


def test_added_nodes_are_called_so() -> None:
    made = SupergraphGeneration(mode="dummies").anonymized(GRAPH, 11, Run())
    assert to_text(made.names[-1]).startswith("added node")
    assert isinstance(made.names[-1], Dummy)


def test_links_that_nobody_should_learn() -> None:
    rows = {"from": [1, 2, 3, 4, 1], "to": [2, 3, 4, 1, 3], "kind": ["work"] * 4 + ["love"]}
    asked = {
        "shape": "graph",
        "edges": {"from": "from", "to": "to", "kind": "kind", "sensitive": ["love"]},
        "requirements": [{"id": "k-degree-anonymity", "k": 4}],
    }
    for algorithm in ("supergraph-generation", "cluster-edge", "k-automorphism"):
        release = sfumato.anonymize(rows, {**asked, "algorithm": {"id": algorithm}})
        held = release.tables.get("edges", release.tables.get("superedges"))
        assert held is not None
        assert sum(row[-1] if algorithm == "cluster-edge" else 1 for row in held.to_rows()) == 4
    with pytest.raises(BadRequest, match="of this kind"):
        sfumato.anonymize(rows, {**asked, "edges": {**asked["edges"], "sensitive": ["hate"]}})  # type: ignore[dict-item]


def test_what_candidates_share_is_asked_of_a_column() -> None:
    release = sfumato.anonymize(GRAPH, {**POLICY, "requirements": [{"id": "k-degree-anonymity", "k": 2}]})
    found = sfumato.attack(release, "graph-attribute-disclosure").details
    assert isinstance(found, AttributeDisclosed)
    assert 1 <= found.entropy <= found.distinct  # the diversity of one value is 1
    bare = sfumato.anonymize(GRAPH, {**POLICY, "nodes": {}, "requirements": [{"id": "k-degree-anonymity", "k": 2}]})
    with pytest.raises(BadRequest, match="which column"):
        sfumato.attack(bare, "graph-attribute-disclosure")


def test_columns_are_told_by_their_role(tmp_path: Path) -> None:
    people = PEOPLE | {"team": ["a", "b"] * 30, "secret": ["s"] * 60, "row": ["r"] * 60}
    graph = Graph.of(list(GRAPH.pairs()), nodes=people, person="id")
    roles = {"team": "plain", "secret": "private", "row": "drop", "party": "identifier", "town": "target"}
    nodes = {"columns": {name: {"role": role} for name, role in roles.items()}}
    asked = {**POLICY, "nodes": nodes, "requirements": [{"id": "k-degree-anonymity", "k": 2}]}
    release = sfumato.anonymize(graph, asked)
    assert set(release.tables["nodes"].columns) == {"node", "team", "town"}
    sfumato.publish(release, tmp_path / "out")
    assert sfumato.verify(tmp_path / "out/public")
    with pytest.raises(BadRequest, match="column of the release"):
        sfumato.anonymize(graph, {**asked, "nodes": {"columns": {"row": {"role": "plain"}}}})


@pytest.mark.parametrize("algorithm", ["supergraph-generation", "cluster-edge"])
def test_no_figure_tells_of_hidden_links(algorithm: str) -> None:
    work = [(at, (at + step) % 8) for at in range(8) for step in (1, 2)]
    love = [(0, 4), (1, 5), (20, 21)]  # the last two have no other link
    found = []
    for hidden in (love, love[:1]):
        ends = list(zip(*work, *hidden, strict=True))
        rows = {"from": ends[0], "to": ends[1], "kind": ["work"] * len(work) + ["love"] * len(hidden)}
        edges = {"from": "from", "to": "to", "kind": "kind", "sensitive": ["love"]}
        requirements = [{"id": "k-degree-anonymity", "k": 3}]
        asked = {"shape": "graph", "seed": 5, "edges": edges, "requirements": requirements}
        release = sfumato.anonymize(rows, {**asked, "algorithm": {"id": algorithm}})
        found.append(({name: table.to_rows() for name, table in release.tables.items()}, release.certified.document))
        assert release.private.facts.seed == 5
    assert found[0] == found[1]


def test_rounds_without_end_are_those_that_split() -> None:
    graph = Graph.of([(at, at + 1) for at in range(20)])
    for labels in (False, True):
        end = structure(graph, 10**9, use_labels=labels)
        assert end.sizes.tolist() == stable(graph, use_labels=labels)[0].sizes.tolist()
        assert [one.alone for one in structures(graph, 30)[-2:]] == [end.alone] * 2
    policy = {
        "shape": "graph",
        "requirements": [{"id": "k-candidate-anonymity", "k": 2, "rounds": 10**9}],
        "algorithm": {"id": "k-automorphism"},
    }
    release = sfumato.anonymize(graph, policy)  # judged, and counted again by plain code
    assert release.verdict.satisfied
