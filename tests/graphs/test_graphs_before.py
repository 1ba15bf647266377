"""The graph before masking, beside its release: kept in memory, or told again, with nodes that have no link."""

from __future__ import annotations

from pathlib import Path

import pytest

import sfumato
from sfumato.errors import BadRequest
from sfumato.graphs import Graph
from sfumato.graphs.original import graph_before

POLICY = """
shape: graph
person: id
edges: {from: a, to: b}
nodes: {file: people.csv, columns: {town: {role: quasi-identifier}, party: {role: sensitive}}}
requirements: [{id: k-degree-anonymity, k: 2}]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("graph")
    (folder / "links.csv").write_text("a,b\n1,2\n2,3\n3,4\n2,4\n", encoding="utf-8")
    (folder / "people.csv").write_text(
        "id,town,party\n1,Ulm,x\n2,Ulm,y\n3,Bonn,x\n4,Ulm,y\n5,Kiel,x\n", encoding="utf-8"
    )
    (folder / "policy.yaml").write_text(POLICY, encoding="utf-8")
    (folder / "other.csv").write_text("a,b\n1,2\n2,3\n3,6\n", encoding="utf-8")
    sfumato.publish(sfumato.anonymize(folder / "links.csv", folder / "policy.yaml"), folder / "out")
    return folder


def test_kept_and_told_graphs_are_the_same(folder: Path) -> None:
    release = sfumato.anonymize(folder / "links.csv", folder / "policy.yaml")
    kept = graph_before(release)
    assert kept is not None
    assert (len(kept), kept.links, kept.label, kept.sensitive) == (5, 4, ("town",), ("party",))
    assert dict(zip(kept.names, kept.columns["town"], strict=True))["5"] == "Kiel"
    found = sfumato.audit(release, attacks=["degree-attack", "neighborhood-attack"])
    told = sfumato.audit(folder / "out", raw=folder / "links.csv", attacks=["degree-attack", "neighborhood-attack"])
    for one, other in zip(found.tried, told.tried, strict=True):
        assert one.before is not None
        assert one.before == other.before
    assert sfumato.audit(folder / "out", attacks=["degree-attack"]).tried[0].before is None


def test_another_graph_is_refused(folder: Path) -> None:
    with pytest.raises(BadRequest, match=r"not among the nodes|another graph"):
        sfumato.audit(folder / "out", raw=folder / "other.csv")
    with pytest.raises(BadRequest, match="another graph"):
        sfumato.audit(folder / "out/public", raw=Graph.of([(1, 2)]))


def test_noise_is_told_from_groups() -> None:
    nodes = list(range(6))
    graph = Graph.of([(at, (at + 1) % 6) for at in nodes], nodes=nodes)
    asked = {"shape": "graph", "requirements": [{"id": "edge-differential-privacy", "epsilon": 1.0}]}
    drawn = sfumato.anonymize(graph, {**asked, "algorithm": {"id": "private-degree-sequence", "epsilon": 1.0}})
    assert {one.reason.split(":")[0] for one in sfumato.audit(drawn).untried} == {"needs nodes that stand for persons"}
    asked = {"shape": "graph", "requirements": [{"id": "k-degree-anonymity", "k": 2}]}
    grouped = sfumato.anonymize(graph, {**asked, "algorithm": {"id": "supernode-clustering", "epochs": 1}})
    assert all("only groups" in one.reason for one in sfumato.audit(grouped).untried)
