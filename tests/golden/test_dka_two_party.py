"""Worked examples of two holders who mask their columns each alone until the join is safe."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sfumato.data.tree import Tree
from sfumato.parties.protocols import DkaTable, DkaTwoParty, paired_attempts


def held(party: dict[str, Any]) -> DkaTable:
    rows = [dict(zip(party["table"]["columns"], row, strict=True)) for row in party["table"]["rows"]]
    trees = {name: Tree.from_nested(tree) for name, tree in party["taxonomies"].items()}
    return DkaTable([str(row["ID"]) for row in rows], {name: [row[name] for row in rows] for name in trees}, trees)


@pytest.mark.parametrize("name", ["05-dka-two-party-1", "05-dka-two-party-2"])
def test_pairs_of_groups_are_counted_until_the_join_is_safe(golden: Callable[..., Any], name: str) -> None:
    with golden(name) as file:
        k = file.input["k"]
        own = {party["name"]: held(party) for party in file.input["parties"]}
        found = DkaTwoParty(k=k).simulate(own).results
        attempts = [
            {
                "depth": depths,
                "pair_sizes": [[list(labels), size] for labels, size in pairs],
                "violations": [[list(labels), size] for labels, size in pairs if size < k],
            }
            for depths, pairs in paired_attempts(found["A"], found["B"])
        ]
        file.compare(attempts, "iterations")
        file.compare(len(attempts), "rounds")
        assert found["A"].groups == found["B"].groups
        assert min(size for _, size in found["A"].groups) >= k
