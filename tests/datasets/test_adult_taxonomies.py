"""The Adult trees have the leaves and levels of the golden file, and the very nodes of its trees."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sfumato.data.tree import Tree
from sfumato.datasets import adult_taxonomies

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "03-adult-taxonomies-1.json").read_text(encoding="utf-8"))
COLUMNS = {
    "E": "education",
    "M": "marital-status",
    "O": "occupation",
    "Ra": "race",
    "Re": "relationship",
    "S": "sex",
    "W": "workclass",
    "N": "native-country",
}


def test_all_expected_trees_are_there() -> None:
    assert set(adult_taxonomies()) == {COLUMNS[code] for code in GOLDEN["expected"]["leaves"]}
    assert set(GOLDEN["expected"]) == {"leaves", "levels"}


@pytest.mark.parametrize("code", sorted(COLUMNS))
def test_leaves_levels_and_nodes(code: str) -> None:
    tree = Tree.from_nested(adult_taxonomies()[COLUMNS[code]], column=COLUMNS[code])
    assert len(tree.leaves) == GOLDEN["expected"]["leaves"][code]
    assert tree.height + 1 == GOLDEN["expected"]["levels"][code]
    assert tree == Tree.from_nested(GOLDEN["input"]["taxonomies"][code])
