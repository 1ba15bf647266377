"""Networks at size: structural knowledge, degrees, triangles, clusters and random changes, beside networkx in the same run.

python benchmarks/graphs.py              # facebook_combined and Email-Enron of SFUMATO_DATA
python benchmarks/graphs.py --large      # and graphs of one and ten million links
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import TypeVar

import networkx as nx
import numpy as np

from sfumato.contracts.run import Run
from sfumato.datasets import preferential, rmat
from sfumato.graphs import Graph
from sfumato.graphs.algorithms.edge_insertion_label_generalization import EdgeInsertionLabelGeneralization
from sfumato.graphs.algorithms.random_edge_perturbation import RandomEdgePerturbation
from sfumato.graphs.algorithms.supergraph_generation import SupergraphGeneration
from sfumato.graphs.algorithms.supernode_clustering import SupernodeClustering
from sfumato.graphs.built import edits_between
from sfumato.graphs.measures import triangle_counts
from sfumato.graphs.neighborhoods import neighborhood_classes
from sfumato.graphs.refinement import structures

T = TypeVar("T")
DATA = Path(os.environ.get("SFUMATO_DATA", "data")) / "graphs"


def timed(make: Callable[[], T], *, warm: bool = True) -> tuple[T, float]:
    """Return what a call gives and how long it takes; kernels are compiled before."""
    if warm:
        make()
    start = perf_counter()
    found = make()
    return found, perf_counter() - start


def degrees(name: str, graph: Graph, ks: tuple[int, ...], yardstick: float) -> None:
    for k in ks:
        for mode in ("supergraph", "edit", "dummies"):
            search = SupergraphGeneration(mode=mode)
            made, seconds = timed(lambda search=search, k=k: search.anonymized(graph, k, Run()), warm=False)
            added, removed = edits_between(graph, made)
            bound = search.sequence(graph, k).cost / 2
            more = len(made) - len(graph)
            print(
                f"{name} k={k} {mode}: +{added:,} -{removed:,} edits, {more} dummies, bound {bound:,.0f}, "
                f"{seconds:.2f} s ({seconds / yardstick:.1f} x WL)"
            )


def main() -> None:
    given = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    given.add_argument("--large", action="store_true", help="also graphs of one and ten million links")
    large = given.parse_args().large
    facebook = Graph.of(DATA / "facebook_combined.txt.gz")
    enron = Graph.of(DATA / "Email-Enron.txt.gz", repair=["directed"])
    SupergraphGeneration(mode="edit").anonymized(facebook, 5, Run())  # compiles
    whole = enron.to_networkx()
    _, two = timed(lambda: nx.weisfeiler_lehman_graph_hash(whole, iterations=2), warm=False)
    _, four = timed(lambda: nx.weisfeiler_lehman_graph_hash(whole, iterations=4), warm=False)
    found, own = timed(lambda: structures(enron, 2))
    print(
        f"Enron H2: {own:.3f} s, {len(found[2].counts):,} classes; networkx WL of two rounds {two:.2f} s: {own / two:.3f} x"
    )
    degrees("facebook", facebook, (10,), four)
    degrees("Enron", enron, (10, 50, 100), four)
    for name, graph in (("facebook", facebook), ("Enron", enron)):
        count, seconds = timed(lambda graph=graph: int(triangle_counts(graph).sum()) // 3)
        print(f"{name}: {count:,} triangles in {seconds:.3f} s")
    made, seconds = timed(
        lambda: SupernodeClustering(epochs=20).clustered(facebook, 10, np.random.default_rng(1)), warm=False
    )
    print(f"facebook k=10: {len(made.sizes)} super-nodes, log worlds {made.log_worlds:,.0f}, {seconds:.1f} s")
    grown = Graph.of_edges(10_000, preferential(10_000, 3))
    for name, graph in (("facebook", facebook), ("preferential 10,000", grown)):
        begun = int((neighborhood_classes(graph).sizes < 5).sum())
        for share in (0.01, 0.05, 0.2):
            budget = int(share * graph.links)
            left, seconds = timed(
                lambda graph=graph, budget=budget: EdgeInsertionLabelGeneralization().protect(graph, 5, budget, Run()),
                warm=False,
            )
            print(
                f"{name} k=5 neighbourhoods, {left.added:,} of {budget:,} links added: "
                f"{left.unsafe:,} nodes unsafe of {begun:,} before, {seconds:.1f} s"
            )
    if not large:
        return
    for scale, links in ((17, 1_000_000), (20, 10_000_000)):
        graph = Graph.of_edges(2**scale, rmat(scale, links))
        found, seconds = timed(lambda graph=graph: structures(graph, 4))
        print(f"{links:,} links: H1 to H4 in {seconds:.1f} s, alone {[one.alone for one in found[1:]]}")
        if links == 1_000_000:
            _, seconds = timed(
                lambda graph=graph: SupergraphGeneration(mode="edit").anonymized(graph, 10, Run()), warm=False
            )
            print(f"{links:,} links: k-degree 10 in {seconds:.1f} s")
            rng = np.random.default_rng(1)
            _, seconds = timed(
                lambda graph=graph, rng=rng: RandomEdgePerturbation(share=0.1).perturbed(graph, rng), warm=False
            )
            print(f"{links:,} links: a tenth changed at random in {seconds:.1f} s")


if __name__ == "__main__":
    main()
