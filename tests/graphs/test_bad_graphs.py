"""What is no simple graph is refused in one line, or mended and counted where the policy says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import networkx as nx
import pytest
import rustworkx as rx

import sfumato
from command_line import sfumato_in
from sfumato.errors import BadRequest, Infeasible, SfumatoError
from sfumato.graphs import Graph

POLICY: dict[str, Any] = {"shape": "graph", "requirements": [{"id": "k-degree-anonymity", "k": 2}]}


@pytest.mark.parametrize(
    "links, nodes, repair, words, mended",
    [
        ([("a", "a"), ("a", "b")], None, "loops", "from a node to itself", ("loops", 1)),
        ([("a", "b"), ("a", "b")], None, "duplicates", "more than once", ("duplicates", 1)),
        ([("a", "b"), ("b", "a")], None, "directed", "in both directions", ("reversed", 1)),
        ([("a", "b"), ("b", "c")], ["a", "b"], "unknown", "not among the nodes", ("unknown", 1)),
    ],
)
def test_refused_or_mended(
    links: list[tuple[str, str]], nodes: list[str] | None, repair: str, words: str, mended: tuple[str, int]
) -> None:
    with pytest.raises(BadRequest, match=words):
        Graph.of(links, nodes=nodes)
    graph = Graph.of(links, nodes=nodes, repair=[repair])
    assert getattr(graph.mended, mended[0]) == mended[1]


def test_directed_graphs_of_other_libraries() -> None:
    with pytest.raises(BadRequest, match="direction"):
        Graph.of(nx.DiGraph([(1, 2)]))
    assert Graph.of(nx.DiGraph([(1, 2)]), repair=["directed"]).links == 1


@pytest.mark.parametrize(
    "source", [[("a", "b", "c")], ["ab"], 7, {"one": [1], "two": [2], "three": [3]}, "nowhere.graphml", "nowhere.txt"]
)
def test_no_links(source: object) -> None:
    with pytest.raises(SfumatoError):
        Graph.of(source)


def test_k_above_nodes_and_nothing() -> None:
    with pytest.raises(Infeasible, match="larger than the number of nodes"):
        sfumato.anonymize([("a", "b")], {**POLICY, "requirements": [{"id": "k-degree-anonymity", "k": 5}]})
    with pytest.raises(BadRequest, match="no node"):
        sfumato.anonymize(Graph.of([], nodes=[]), POLICY)


def test_isolated_nodes_count() -> None:
    graph = Graph.of([("a", "b"), ("b", "c"), ("c", "a")], nodes=["a", "b", "c", "d", "e"])
    release = sfumato.anonymize(graph, POLICY)
    assert release.tables["nodes"].rows == 5
    assert release.certificate.counts["records_published"] == 5


def test_the_same_type_comes_back() -> None:
    made = sfumato.anonymize(nx.path_graph(6), POLICY).public
    assert type(made) is nx.Graph
    assert sorted(made) == [1, 2, 3, 4, 5, 6]
    graph = rx.PyGraph()
    graph.add_nodes_from(["a", "b", "c", "d"])
    graph.add_edges_from_no_data([(0, 1), (1, 2), (2, 3)])
    assert isinstance(sfumato.anonymize(graph, POLICY).public, rx.PyGraph)
    assert set(sfumato.anonymize([("a", "b"), ("c", "d")], POLICY).public) == {"nodes", "edges"}


def test_files_and_columns(tmp_path: Path) -> None:
    nx.write_graphml(nx.path_graph(4), tmp_path / "path.graphml")
    (tmp_path / "path.txt").write_text("# links\n0 1\n1 2\n2\t3\n")
    (tmp_path / "path.csv").write_text("caller,called,day\n0,1,Mo\n1,2,Tu\n2,3,We\n")
    (tmp_path / "people.csv").write_text("id,town\n0,Ulm\n1,Bonn\n2,Ulm\n3,Bonn\n4,Ulm\n")
    for name in ("path.graphml", "path.txt"):
        assert Graph.of(tmp_path / name).degrees.tolist() == [1, 2, 2, 1]
    with pytest.raises(BadRequest, match="which columns"):
        Graph.of(tmp_path / "path.csv")
    graph = Graph.of(
        tmp_path / "path.csv", source_column="caller", target_column="called", nodes=tmp_path / "people.csv"
    )
    assert graph.degrees.tolist() == [1, 2, 2, 1, 0]
    assert graph.columns["town"] == ("Ulm", "Bonn", "Ulm", "Bonn", "Ulm")


def test_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "calls.csv").write_text(
        "caller,called\n" + "".join(f"{at},{(at * 3 + 1) % 20}\n" for at in range(20)) + "4,4\n"
    )
    (tmp_path / "people.csv").write_text("id,party\n" + "".join(f"{at},{'xy'[at % 2]}\n" for at in range(20)))
    (tmp_path / "policy.yaml").write_text(
        "shape: graph\nperson: id\nedges: {from: caller, to: called}\n"
        "nodes: {file: people.csv, columns: {party: {role: sensitive}}}\n"
        "requirements:\n  - {id: k-degree-anonymity, k: 3}\nalgorithm: {id: supergraph-generation, mode: edit}\n"
        "repair: {loops: drop, duplicates: merge, directed: undirect}\n"
    )
    data, policy, out = str(tmp_path / "calls.csv"), str(tmp_path / "policy.yaml"), str(tmp_path / "out")

    def ran(*words: str) -> str:
        done = sfumato_in(tmp_path, *words)
        assert done.returncode == 0, done.stderr
        return done.stdout

    ran("anonymize", data, "--policy", policy, "-o", out)
    ran("verify", f"{out}/public")
    assert "highest risk" in ran("attack", out, "--with", "structural-queries rounds=2")
    ran("attack", out, "--with", "graph-attribute-disclosure")
    ran("audit", out)
    ran("report", out)
    assert "nodes" in ran("profile", data, "--shape", "graph")
    ran("init", data, "--shape", "graph", "-o", str(tmp_path / "drafted.yaml"))
    assert "caller" in (tmp_path / "drafted.yaml").read_text()
    published = (Path(out) / "public/nodes.csv").read_text()
    assert "party" in published
    assert "id" not in published.splitlines()[0].split(",")
    policy_text = (tmp_path / "policy.yaml").read_text().replace("loops: drop, ", "")
    (tmp_path / "strict.yaml").write_text(policy_text)
    strict = sfumato_in(tmp_path, "anonymize", data, "--policy", "strict.yaml", "-o", "strict")
    assert strict.returncode == 2
    assert "from a node to itself" in strict.stderr
