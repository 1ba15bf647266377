"""Labels that no requirement reads are warned of."""

from __future__ import annotations

import pytest

import sfumato
from sfumato.graphs import Graph

LINKS = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")]


@pytest.mark.parametrize(("requirement", "warned"), [("k-degree-anonymity", True), ("k-neighborhood-anonymity", False)])
def test_labels_that_nobody_judges(requirement: str, warned: bool) -> None:
    towns = {"id": ["a", "b", "c", "d"], "town": ["Ulm", "Ulm", "Bonn", "Ulm"]}
    graph = Graph.of(LINKS, nodes=towns, person="id")
    policy = {
        "shape": "graph",
        "nodes": {"columns": {"town": {"role": "quasi-identifier"}}},
        "requirements": [{"id": requirement, "k": 2}],
        "algorithm": {"id": "edge-insertion-label-generalization"},
    }
    release = sfumato.anonymize(graph, policy)
    assert any("town" in text for text in release.warnings) is warned
