"""An edit budget that does not suffice: how far it goes, what may be tolerated, and what is not worth publishing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sfumato
from sfumato.contracts.run import Run
from sfumato.datasets import preferential
from sfumato.errors import Infeasible
from sfumato.graphs import Graph
from sfumato.graphs.algorithms import EdgeInsertionLabelGeneralization, SupergraphGeneration, SupernodeClustering
from sfumato.graphs.algorithms._neighborhood_edits import _Round
from sfumato.graphs.built import edits_between
from sfumato.graphs.models import KDegreeAnonymity, KNeighborhoodAnonymity
from sfumato.graphs.neighborhoods import neighborhood_classes
from sfumato.graphs.recounts._nodes import sized
from sfumato.graphs.refinement import structures

GRAPH = Graph.of_edges(120, preferential(120, 3))


def policy(k: int = 8, **more: Any) -> dict[str, Any]:
    asked = {key: more.pop(key) for key in ("tolerated",) if key in more}
    return {"shape": "graph", "requirements": [{"id": "k-degree-anonymity", "k": k, **asked}], **more}


def test_a_budget_says_how_far_it_goes() -> None:
    few = {"lose_at_most": 0.05}
    with pytest.raises(Infeasible, match="tolerated: 0") as refused:
        sfumato.anonymize(GRAPH, policy(limits=few))
    share = float(str(refused.value).split("tolerated: ")[1].split(" ")[0])
    release = sfumato.anonymize(GRAPH, policy(limits=few, tolerated=share))
    verdict = next(iter(release.verdict))
    assert verdict.satisfied
    assert 0 < verdict.violating_records <= share * len(GRAPH)
    assert release.measured["edge-edits"].value <= 0.05
    alone = structures(release.graph, 3)  # type: ignore[attr-defined]
    assert release.measured["nodes-alone"].by_attribute == {f"H{at}": alone[at].alone / 120 for at in (1, 2, 3)}


def test_more_edits_protect_more() -> None:
    unsafe = []
    for edits in (0, 10, 40, 200):
        made = SupergraphGeneration(mode="edit").within(GRAPH, 8, edits, Run())
        assert sum(edits_between(GRAPH, made)) <= edits
        unsafe.append(KDegreeAnonymity(k=8).judge(made).violating_records)
    assert unsafe == sorted(unsafe, reverse=True)
    assert unsafe[-1] == 0


@pytest.mark.parametrize("k", [3, 7, 12, 20, 40])
def test_degrees_that_common_ones_cannot_help(k: int) -> None:
    search = SupergraphGeneration(mode="edit")
    made = search.anonymized(GRAPH, k, Run())
    assert KDegreeAnonymity(k=k).judge(made).satisfied
    # Every open end costs at most three edits for two of them, and a common degree may have to move.
    assert sum(edits_between(GRAPH, made)) <= 1.5 * search.sequence(GRAPH, k).cost + k


@pytest.mark.parametrize("tolerated", [0.0, 0.1, 0.3])
def test_model_and_recount_agree(tolerated: float) -> None:
    model = KDegreeAnonymity(k=5, tolerated=tolerated)
    verdict = model.judge(GRAPH)
    groups = {(str(node), None, None): {tuple(map(str, near)): 1} for node, near in enumerate(GRAPH.adjacency)}
    level = sized(groups, 5, tolerated, lambda nodes: {one: len(near) for one, near in nodes.near.items()})
    assert (level.measured, level.violating, level.satisfied) == (
        verdict.strongest,
        verdict.violating_groups,
        verdict.satisfied,
    )
    assert verdict.satisfied == (verdict.strongest >= 5)


def test_neighbourhoods_within_a_budget() -> None:
    search, model = EdgeInsertionLabelGeneralization(), KNeighborhoodAnonymity(k=4)
    unsafe = [model.judge(GRAPH).violating_records]
    for budget in (5, 60):
        found = search.protect(GRAPH, 4, budget, Run())
        assert found.added <= budget
        assert edits_between(GRAPH, found.graph) == (found.added, 0)
        assert model.judge(found.graph).violating_records == found.unsafe
        unsafe.append(found.unsafe)
    assert unsafe == sorted(unsafe, reverse=True)
    assert unsafe[-1] < unsafe[0]
    asked = {"id": "k-neighborhood-anonymity", "k": 4, "tolerated": (unsafe[-1] + 1) / len(GRAPH)}
    algorithm = {"id": "edge-insertion-label-generalization"}
    more = {"shape": "graph", "algorithm": algorithm, "limits": {"lose_at_most": 60 / GRAPH.links}}
    assert next(iter(sfumato.anonymize(GRAPH, {**more, "requirements": [asked]}).verdict)).satisfied
    with pytest.raises(Infeasible, match="not worth publishing"):
        sfumato.anonymize(GRAPH, {**more, "requirements": [{**asked, "tolerated": 0.0}]})


def test_neighbourhoods_within_a_time() -> None:
    found = EdgeInsertionLabelGeneralization(deadline=1e-9).protect(GRAPH, 4, None, Run())
    assert (found.added, found.stopped) == (0, "deadline")
    assert found.unsafe == KNeighborhoodAnonymity(k=4).judge(GRAPH).violating_records
    algorithm = {"id": "edge-insertion-label-generalization", "deadline": 1e-9}
    asked = {"shape": "graph", "requirements": [{"id": "k-neighborhood-anonymity", "k": 4}], "algorithm": algorithm}
    with pytest.raises(Infeasible, match=r"time that was given.*tolerated: 0") as refused:
        sfumato.anonymize(GRAPH, asked)
    share = float(str(refused.value).split("tolerated: ")[1].split(" ")[0])
    kept = {"id": "k-neighborhood-anonymity", "k": 4, "tolerated": share}
    release = sfumato.anonymize(GRAPH, {**asked, "requirements": [kept]})
    assert next(iter(release.verdict)).violating_records == found.unsafe


def test_sums_follow_what_can_be_counted() -> None:
    labelled = GRAPH.labelled({at: "xy"[at % 2] for at in range(120)})
    edit = _Round(labelled, neighborhood_classes(labelled), 4, None, Run())
    assert edit.sums == [edit._counted(node) for node in range(120)]
    for one, other in ((0, 119), (0, 60), (60, 119), (1, 100)):
        if other not in edit.links.near(one):
            edit._flip(one, other)
    assert edit.sums == [edit._counted(node) for node in range(120)]


def test_a_destroyed_graph_is_amber() -> None:
    release = sfumato.anonymize(GRAPH, policy(20, algorithm={"id": "k-automorphism"}))
    assert release.little_left
    assert any("not worth publishing" in line for line in release.private.facts.words())
    assert not sfumato.anonymize(GRAPH, policy(2)).little_left


def test_comparing_shows_who_is_alone() -> None:
    found = sfumato.compare(GRAPH, policy(2), algorithms=["supergraph-generation"], ks=[2, 4])
    assert all(list(row.shares) == ["nodes-alone: H1", "nodes-alone: H2", "nodes-alone: H3"] for row in found)
    assert "nodes-alone: H2" in found.to_frame().columns


def test_worlds_of_super_nodes_are_measured() -> None:
    found = SupernodeClustering(epochs=3).clustered(GRAPH, 5, np.random.default_rng(1))
    world = found.world(np.random.default_rng(2))
    assert found.member is not None
    assert type(found).of_members(world, found.member).weights == found.weights
    release = sfumato.anonymize(GRAPH, policy(5, algorithm={"id": "supernode-clustering", "epochs": 3}))
    assert not release.little_left
    assert set(release.measured) == {"graph-utility-measures", "community-similarity", "centrality-overlap"}


@pytest.mark.parametrize(
    ("algorithm", "asked", "stopped"),
    [
        ("naive-relabelling", {"k": 2}, True),
        ("naive-relabelling", {"k": 1}, False),
        ("naive-relabelling", {"k": 2, "tolerated": 0.9}, False),
        ("supernode-clustering", {"k": 2}, True),
        ("supernode-clustering", {"k": 1}, False),
    ],
)
def test_a_certificate_does_not_promise_those_who_may_be_alone(
    algorithm: str, asked: dict[str, float], stopped: bool
) -> None:
    policy = {
        "shape": "graph",
        "requirements": [{"id": "k-degree-anonymity", **asked}],
        "algorithm": {"id": algorithm},
    }
    release = sfumato.anonymize([(at, (at + 1) % 6) for at in range(6)], policy)
    assert any(text.startswith("record linkage") for text in release.certified.not_protected_against) != stopped
