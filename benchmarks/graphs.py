"""Networks at size: structural knowledge, degrees, triangles, clusters, neighbourhoods, random changes and spectra.

python benchmarks/graphs.py                     # everything on facebook_combined and Email-Enron of SFUMATO_DATA
python benchmarks/graphs.py structure degrees   # some sections; ``million`` and ``ten-million`` are only run by name
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from functools import cache
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
from sfumato.graphs.metric import Changed
from sfumato.graphs.metrics import SpectrumShift
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


@cache
def facebook() -> Graph:
    return Graph.of(DATA / "facebook_combined.txt.gz")


@cache
def enron() -> Graph:
    return Graph.of(DATA / "Email-Enron.txt.gz", repair=["directed"])


@cache
def yardstick(rounds: int) -> float:
    """Return how long networkx takes for the hash of Weisfeiler and Leman on Enron."""
    whole = enron().to_networkx()
    return timed(lambda: nx.weisfeiler_lehman_graph_hash(whole, iterations=rounds), warm=False)[1]


def structure() -> None:
    found, own = timed(lambda: structures(enron(), 2))
    two = yardstick(2)
    print(f"Enron H2: {own:.3f} s, {len(found[2].counts):,} classes; networkx WL of two {two:.2f} s: {own / two:.3f} x")


def degrees() -> None:
    SupergraphGeneration(mode="edit").anonymized(facebook(), 5, Run())  # compiles
    four = yardstick(4)
    for name, graph, ks in (("facebook", facebook(), (10,)), ("Enron", enron(), (10, 50, 100))):
        for k in ks:
            for mode in ("supergraph", "edit", "dummies"):
                search = SupergraphGeneration(mode=mode)
                made, seconds = timed(lambda s=search, g=graph, k=k: s.anonymized(g, k, Run()), warm=False)
                added, removed = edits_between(graph, made)
                bound = search.sequence(graph, k).cost / 2
                print(
                    f"{name} k={k} {mode}: +{added:,} -{removed:,} edits, {len(made) - len(graph)} dummies, "
                    f"bound {bound:,.0f}, {seconds:.2f} s ({seconds / four:.1f} x WL of four)"
                )


def triangles() -> None:
    for name, graph in (("facebook", facebook()), ("Enron", enron())):
        count, seconds = timed(lambda graph=graph: int(triangle_counts(graph).sum()) // 3)
        print(f"{name}: {count:,} triangles in {seconds:.3f} s")


def clusters() -> None:
    search, rng = SupernodeClustering(epochs=20), np.random.default_rng(1)
    search.clustered(Graph.of_edges(50, preferential(50, 3)), 5, rng)  # compiles
    made, seconds = timed(lambda: search.clustered(facebook(), 10, rng), warm=False)
    print(f"facebook k=10: {len(made.sizes)} super-nodes, log worlds {made.log_worlds:,.0f}, {seconds:.1f} s")


def neighbourhoods() -> None:
    search = EdgeInsertionLabelGeneralization(deadline=60)
    search.protect(Graph.of_edges(50, preferential(50, 3)), 3, 10, Run())  # compiles
    grown = {f"preferential {n:,}": Graph.of_edges(n, preferential(n, 3)) for n in (1_250, 2_500, 5_000, 10_000)}
    for name, graph in {**grown, "facebook": facebook()}.items():
        classes, seconds = timed(lambda graph=graph: neighborhood_classes(graph))
        begun = int((classes.sizes < 5).sum())
        print(f"{name}: classes of all {len(graph):,} neighbourhoods in {seconds:.2f} s; {begun:,} unsafe at k=5")
        for share in (0.01, 0.05, 0.2):
            budget = int(share * graph.links)
            left, seconds = timed(lambda g=graph, b=budget: search.protect(g, 5, b, Run()), warm=False)
            print(
                f"{name} k=5: {left.added:,} of {budget:,} links added: {left.unsafe:,} nodes unsafe, {seconds:.1f} s"
                + (" (time was over)" if left.stopped else ""),
                flush=True,
            )


def spectrum() -> None:
    rng = np.random.default_rng(1)
    for name, graph in (("facebook", facebook()), ("Enron", enron())):
        changed = Changed(graph, RandomEdgePerturbation(share=0.1).perturbed(graph, rng))
        found, seconds = timed(lambda changed=changed: SpectrumShift().measure(changed), warm=False)
        print(f"{name}: spectrum shift {found.value:.3f} of a tenth changed at random in {seconds:.1f} s")


def million() -> None:
    graph = _large(17, 1_000_000)
    _, seconds = timed(lambda: SupergraphGeneration(mode="edit").anonymized(graph, 10, Run()), warm=False)
    print(f"1,000,000 links: k-degree 10 in {seconds:.1f} s")
    rng = np.random.default_rng(1)
    _, seconds = timed(lambda: RandomEdgePerturbation(share=0.1).perturbed(graph, rng), warm=False)
    print(f"1,000,000 links: a tenth changed at random in {seconds:.1f} s")


def ten_million() -> None:
    _large(20, 10_000_000)


def _large(scale: int, links: int) -> Graph:
    graph = Graph.of_edges(2**scale, rmat(scale, links))
    found, seconds = timed(lambda: structures(graph, 4), warm=False)
    print(f"{links:,} links: H1 to H4 in {seconds:.1f} s, alone {[one.alone for one in found[1:]]}", flush=True)
    return graph


USUAL = {f.__name__: f for f in (structure, degrees, triangles, clusters, neighbourhoods, spectrum)}
SECTIONS = USUAL | {"million": million, "ten-million": ten_million}


def main() -> None:
    given = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    given.add_argument("sections", nargs="*", choices=[[], *SECTIONS], help="what to measure; all but large graphs")
    for name in given.parse_args().sections or USUAL:
        print(f"-- {name}; load {os.getloadavg()[0]:.1f}", flush=True)
        SECTIONS[name]()


if __name__ == "__main__":
    main()
