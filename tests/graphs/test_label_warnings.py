"""Labels that no requirement reads are warned of, in the certificate too."""

from __future__ import annotations

from pathlib import Path

import pytest

import sfumato
from sfumato.graphs import Graph

LINKS = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")]


@pytest.mark.parametrize(("requirement", "warned"), [("k-degree-anonymity", True), ("k-neighborhood-anonymity", False)])
def test_labels_that_nobody_judges(requirement: str, warned: bool, tmp_path: Path) -> None:
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
    weaknesses = release.certified.not_protected_against
    assert (
        any(text.startswith("record linkage") for text in weaknesses) is warned
    )  # whoever gets the files is told, too
    sfumato.publish(release, tmp_path / "out")
    assert sfumato.verify(tmp_path / "out/public")
