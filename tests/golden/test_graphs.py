"""Graphs of the book: what structure tells, what is planted and found again, classes, degrees, super-nodes, bribes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sfumato.contracts.run import Run
from sfumato.graphs import Graph
from sfumato.graphs.algorithms import RandomEdgePerturbation, SupergraphGeneration, SupernodeClustering
from sfumato.graphs.attacks import LinkRecovery, StructuralQueries
from sfumato.graphs.built import edits_between
from sfumato.graphs.degree_sequences import (
    anonymity,
    fewest_edits,
    nearest_sequence,
    nearest_sequences,
    realizable,
)
from sfumato.graphs.measures import (
    component_sizes,
    degree_histogram,
    local_clustering,
    nearest_label,
    path_lengths,
    resilience,
)
from sfumato.graphs.models import KAutomorphism, KCandidateAnonymity, KDegreeAnonymity, KNeighborhoodAnonymity
from sfumato.graphs.patterns import Pattern, matches
from sfumato.graphs.supernodes import Supernodes
from sfumato.graphs.sybils import Planted, recover


def opened(given: dict[str, Any]) -> Graph:
    return Graph.of(given["edges"], nodes=given.get("nodes"), labels=given.get("labels"))


def by_name(graph: Graph, values: Any) -> dict[str, Any]:
    return {str(name): value for name, value in zip(graph.names, values, strict=True)}


def test_structural_queries(golden: Callable[..., Any]) -> None:
    with golden("07-structural-queries-1") as file:
        graph = opened(file.input)
        for rounds in (0, 1, 2):
            query = StructuralQueries(rounds=rounds)
            file.compare({name: query.value(graph, name) for name in graph.names}, f"H{rounds}")
        for rounds in (1, 2, 3):
            found = StructuralQueries(rounds=rounds).candidates(graph, Run())
            file.compare(found.named(graph), "candidate_sets", f"H{rounds}")
        for rounds in (1, 2):
            verdict = KCandidateAnonymity(k=1, rounds=rounds).judge(graph)
            file.compare(verdict.strongest, "k_candidate_anonymity", f"H{rounds}")


def test_subgraph_knowledge(golden: Callable[..., Any]) -> None:
    with golden("07-subgraph-knowledge-1") as file:
        graph = opened(file.input)
        for query in file.input["queries"]:
            pattern = Pattern.of(query["center"], query["edges"], query["labels"])
            found = [graph.names[at] for at in matches(graph, pattern).candidates.tolist()]
            file.compare(found, "candidates", query["name"])
            file.compare(pattern.edge_facts, "edge_facts", query["name"])


def test_planted_accounts_are_found(golden: Callable[..., Any]) -> None:
    with golden("07-active-attack-1") as file:
        asked = file.input
        planted = Planted.of(asked["H_edges"], asked["degrees_of_H_in_G"], asked["target_links"])
        found = recover(Graph.of(asked["published_edges"]), planted)
        assert found.status == "located"
        file.compare(found.copies, "copies_of_H")
        file.compare(found.automorphisms, "automorphisms_of_H")
        file.compare(list(found.positions), "sybil_positions")
        file.compare(found.targets, "targets_found")


def test_utility_measures(golden: Callable[..., Any]) -> None:
    with golden("07-graph-utility-1") as file:
        graph, edited = opened(file.input["graph"]), opened(file.input["edited"])
        file.compare({str(key): count for key, count in degree_histogram(graph).items()}, "degree_histogram")
        lengths = path_lengths(graph).histogram()
        file.compare({str(key): count for key, count in lengths.items()}, "shortest_path_histogram_all_pairs")
        file.compare(by_name(graph, map(str, local_clustering(graph))), "local_clustering")
        file.compare(by_name(graph, component_sizes(graph).tolist()), "component_size")
        file.compare(resilience(graph), "resilience_degree_order")
        for where, held in (("nearest_label", graph), ("edited_nearest_label", edited)):
            for asked in file.expected[where]:
                found = nearest_label(held, *asked.split("->"))
                mean = None if found.mean is None else str(found.mean)
                file.compare(found.per_node, where, asked, "per_node")
                file.compare(mean, where, asked, "average_over_reachable")
                file.compare(found.unreachable, where, asked, "unreachable")
        file.compare(by_name(edited, component_sizes(edited).tolist()), "edited_component_size")


def test_neighborhoods(golden: Callable[..., Any]) -> None:
    with golden("07-neighborhood-anonymity-1") as file:
        graph, edits = opened(file.input["original"]), file.input["edits"]
        edited = graph.edit(map(tuple, edits["add"]), map(tuple, edits["delete"]))
        model = KNeighborhoodAnonymity(k=2)
        for held, name in ((graph, "original"), (edited, "edited")):
            file.compare(model.classes(held).named(held), f"classes_{name}")
            file.compare(model.judge(held).strongest, f"k_{name}")
        file.compare(sum(edits_between(graph, edited)), "edit_cost")


def test_supernodes(golden: Callable[..., Any]) -> None:
    with golden("07-supernode-clustering-1") as file:
        graph, k = opened(file.input), file.input["k"]
        names = list(file.input["partition"])
        found = Supernodes.of(graph, list(file.input["partition"].values()))
        pairs = [(one, other) for one in range(len(names)) for other in range(one, len(names))]
        weights = {f"{names[one]},{names[other]}": found.weights.get((one, other), 0) for one, other in pairs}
        file.compare(weights, "weights")
        file.compare(found.worlds, "possible_worlds")
        assert np.isclose(found.log_worlds, np.log(found.worlds))
        file.compare(Supernodes.of(graph, [graph.names]).worlds, "possible_worlds_single_supernode")
        count, fewest, best = SupernodeClustering().optimum(graph, k)
        file.compare(count, "admissible_partitions")
        file.compare(fewest, "optimum_k2", "possible_worlds")
        listed = [
            [[graph.names[at] for at in np.flatnonzero(one.member == part)] for part in range(len(one.sizes))]
            for one in best
        ]
        file.compare(listed, "optimum_k2", "partitions")
        reached = [SupernodeClustering().clustered(graph, k, np.random.default_rng(seed)).worlds for seed in range(10)]
        assert sum(worlds == fewest for worlds in reached) >= 9


def test_degree_anonymity(golden: Callable[..., Any]) -> None:
    with golden("07-k-degree-anonymity-1") as file:
        graph, edits = opened(file.input["graph"]), file.input["edits"]
        edited = graph.edit(map(tuple, edits["add"]), map(tuple, edits["delete"]))
        file.compare(anonymity(file.input["sequence"]), "max_k_sequence")
        falling = [sorted(held.degrees.tolist(), reverse=True) for held in (graph, edited)]
        file.compare(falling[0], "degree_sequence")
        file.compare(KDegreeAnonymity(k=2).judge(graph).strongest, "max_k_graph")
        file.compare(falling[1], "degree_sequence_edited")
        file.compare(KDegreeAnonymity(k=2).judge(edited).strongest, "max_k_edited")
        file.compare(sum(abs(a - b) for a, b in zip(*falling, strict=True)), "l1")


def test_degree_sequences(golden: Callable[..., Any]) -> None:
    with golden("07-degree-sequence-dp-1") as file:
        for at, case in enumerate(file.input["cases"]):
            for direction in ("increase", "both"):
                cost, every = nearest_sequences(case["sequence"], case["k"], direction)
                file.compare(cost, "cases", at, direction, "cost")
                file.compare(every, "cases", at, direction, "optimal_sequences")
                quick = nearest_sequence(case["sequence"], case["k"], direction)
                assert quick.cost == cost
                assert quick.sequence in every


def test_supergraphs(golden: Callable[..., Any]) -> None:
    with golden("07-supergraph-generation-1") as file:
        graph, k = opened(file.input), file.input["k"]
        found = nearest_sequence(graph.degrees, k)
        file.compare(found.sequence, "dp_sequence")
        file.compare(found.cost, "dp_cost")
        file.compare(realizable(graph, found.sequence), "dp_sequence_realizable_as_supergraph")
        best = fewest_edits(graph, k)
        file.compare(len(best[0]), "fewest_added_edges")
        named = [[[graph.names[one], graph.names[other]] for one, other in chosen] for chosen in best]
        file.compare(named, "optimal_additions")
        file.compare(len(fewest_edits(graph, k, remove=True)[0]), "fewest_edits_when_deletion_is_allowed")
        assert edits_between(graph, SupergraphGeneration().anonymized(graph, k, Run())) == (2, 0)
        edited = SupergraphGeneration(mode="edit").anonymized(graph, k, Run())
        assert sum(edits_between(graph, edited)) == 1


def test_automorphisms(golden: Callable[..., Any]) -> None:
    with golden("07-k-automorphism-1") as file:
        original, edited = opened(file.input["original"]), opened(file.input["edited"])
        cases = {
            "original_unlabeled": original.without_labels(),
            "edited_unlabeled": edited.without_labels(),
            "edited_labeled": edited,
        }
        for name, graph in cases.items():
            found = KAutomorphism(k=2).symmetry(graph)
            file.compare({"max_k": found.max_k, "automorphisms": found.automorphisms}, name)
            assert KAutomorphism(k=2).judge(graph).strongest == found.max_k


def test_random_perturbation(golden: Callable[..., Any]) -> None:
    with golden("07-random-perturbation-1") as file:
        asked = file.input
        graph = Graph.of(asked["edges"], nodes=range(asked["n"]))
        found = RandomEdgePerturbation(links=asked["k"]).posterior(graph)
        file.compare(str(found.link), "p_true_given_link")
        file.compare(str(found.no_link), "p_true_given_nonlink")
        file.compare("(m-k)/m and k/(n(n-1)/2-m)", "formula")


def test_bribes(golden: Callable[..., Any]) -> None:
    with golden("07-link-recovery-1") as file:
        graph, bribes = Graph.of(file.input["edges"]), file.input["bribes"]
        for ahead in file.input["lookahead"]:
            attack = LinkRecovery(lookahead=ahead, bribes=bribes)
            seen = {str(name): count for name, count in attack.views(graph).items()}
            file.compare(seen, str(ahead), "views")
            for name in ("highest_degree", "greedy"):
                asked = LinkRecovery(lookahead=ahead, bribes=bribes, strategy=name.replace("_", "-"))
                found = asked.bribe(graph)
                file.compare(list(found.bribed), str(ahead), name, "bribed")
                file.compare(list(found.links_known), str(ahead), name, "links_known")
            file.compare(attack.optimum(graph), str(ahead), "optimum_links_known")
