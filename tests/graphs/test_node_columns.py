"""Quasi-identifiers of nodes: k nodes share them, by hierarchies and an algorithm of tables, and anybody can count it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import sfumato
from sfumato.datasets import preferential
from sfumato.errors import BadRequest, Infeasible, SfumatoError, Unsupported
from sfumato.graphs import Graph
from sfumato.graphs.original import graph_before

TOWNS = (["Ulm"] * 9 + ["Bonn"] * 9 + ["Kiel", "Jena"]) * 3
PEOPLE = {
    "id": list(range(60)),
    "town": TOWNS,
    "age": [20 + at % 13 for at in range(60)],
    "party": ["x", "y", "z"] * 20,
}
GRAPH = Graph.of([tuple(pair) for pair in preferential(60, 2).tolist()], nodes=PEOPLE, person="id")
TREE = {"id": "taxonomy", "tree": {"Germany": {"north": ["Kiel", "Bonn"], "south": ["Ulm", "Jena"]}}}
COLUMNS: dict[str, Any] = {
    "town": {"role": "quasi-identifier", "hierarchy": TREE},
    "age": {"role": "quasi-identifier", "hierarchy": {"id": "intervals", "lower": 0, "width": 10, "fan_out": [10]}},
    "party": {"role": "sensitive"},
}
POLICY: dict[str, Any] = {
    "shape": "graph",
    "nodes": {"columns": COLUMNS},
    "requirements": [{"id": "k-anonymity", "k": 4}, {"id": "k-degree-anonymity", "k": 3}],
    "algorithm": {"id": "supergraph-generation", "mode": "edit"},
    "limits": {"lose_at_most": 30},
    "metrics": ["edge-edits"],
}


@pytest.mark.parametrize(
    "algorithm, by",
    [
        ({"id": "supergraph-generation", "mode": "edit"}, "mondrian"),
        ({"id": "supergraph-generation", "mode": "dummies"}, {"id": "tdr"}),
        ({"id": "k-automorphism"}, "optimal"),
        ({"id": "edge-insertion-label-generalization"}, "mondrian"),
    ],
)
def test_k_nodes_share_what_is_known_of_them(algorithm: dict[str, Any], by: object, tmp_path: Path) -> None:
    release = sfumato.anonymize(GRAPH, {**POLICY, "algorithm": algorithm, "nodes": {"columns": COLUMNS, "by": by}})
    graph: Graph = release.graph  # type: ignore[attr-defined]
    assert min(Counter(zip(graph.columns["town"], graph.columns["age"], strict=True)).values()) >= 4
    assert release.measured["loss"].value > 0
    before = graph_before(release)
    assert before is not None
    # The certificate says of every column that is not as it was what was done, and of no other.
    done = {entry.name: entry.operation for entry in release.certified.columns}
    for name in ("town", "age", "party"):
        assert (done[name] == "none") == (set(graph.columns[name]) == set(before.columns[name])), name
    assert "none" not in (done["town"], done["node"])
    assert set(before.columns["town"]) == set(TOWNS)
    # Links and columns are judged apart, so that nobody claims that both together find nobody.
    assert any(text.startswith("record linkage") for text in release.certified.not_protected_against)
    assert any("without its links" in text for text in release.warnings)
    sfumato.publish(release, tmp_path / "out")
    found = sfumato.verify(tmp_path / "out/public")
    assert [verdict.model for verdict in found.verdict] == ["k-anonymity", "k-degree-anonymity"]
    nodes = tmp_path / "out/public/nodes.csv"
    lines = nodes.read_text(encoding="utf-8").splitlines()
    nodes.write_text(
        "\n".join([lines[0], lines[1].replace(lines[1].split(",")[1], "Rome"), *lines[2:]]) + "\n", "utf-8"
    )
    with pytest.raises(SfumatoError):
        sfumato.verify(tmp_path / "out/public")


def test_groups_of_nodes_are_large_enough() -> None:
    algorithm = {"id": "supernode-clustering", "epochs": 1}
    release = sfumato.anonymize(GRAPH, {**POLICY, "algorithm": algorithm})
    assert min(row[1] for row in release.tables["supernodes"].to_rows()) >= 4


def test_columns_alone() -> None:
    alone = {**POLICY, "requirements": POLICY["requirements"][:1], "algorithm": {"id": "naive-relabelling"}}
    assert next(iter(sfumato.anonymize(GRAPH, alone).verdict)).strongest >= 4
    verdict = next(iter(sfumato.check(GRAPH, policy=alone)))
    assert (verdict.satisfied, verdict.strongest) == (False, 1)


def test_gaps_are_a_value() -> None:
    town = [None if at % 7 == 0 else text for at, text in enumerate(TOWNS)]
    graph = Graph.of(list(GRAPH.pairs()), nodes=PEOPLE | {"town": town}, person="id")
    columns = {"town": {"role": "quasi-identifier"}}
    found = sfumato.anonymize(graph, {**POLICY, "nodes": {"columns": columns}}).graph  # type: ignore[attr-defined]
    assert min(Counter(found.columns["town"]).values()) >= 4
    assert None not in found.columns["town"]


@pytest.mark.parametrize(
    "change, error, words",
    [
        ({"nodes": {"columns": {"party": {"role": "sensitive"}}}}, BadRequest, "no column of these"),
        ({"nodes": {"columns": COLUMNS, "by": "nonsense"}}, BadRequest, "nonsense"),
        ({"nodes": {"columns": COLUMNS, "by": "anatomize"}}, Unsupported, "promise nothing"),
        (
            {"requirements": [{"id": "k-anonymity", "k": 61}, {"id": "k-degree-anonymity", "k": 3}]},
            Infeasible,
            "larger",
        ),
        ({"requirements": [{"id": "k-anonymity", "k": 4}]}, Unsupported, "to aim at"),
    ],
)
def test_what_cannot_be_asked(change: dict[str, Any], error: type[SfumatoError], words: str) -> None:
    with pytest.raises(error, match=words):
        sfumato.anonymize(GRAPH, {**POLICY, **change})
