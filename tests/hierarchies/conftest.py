"""The laws every builder obeys, checked on the level table that its tree writes."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path

import pytest

from sfumato.contracts.hierarchy import HierarchyBuilder
from sfumato.data.tree import Tree

BESIDE_THE_REPOSITORY = Path(__file__).resolve().parents[2].parent / "shared" / "data"

Inside = Callable[[Hashable, str], bool]
Laws = Callable[[HierarchyBuilder, Sequence[Hashable], Inside], Tree]


def _obey(builder: HierarchyBuilder, values: Sequence[Hashable], inside: Inside) -> Tree:
    tree = builder.build(values, column="c")
    rows = dict(zip(tree.leaves, tree.to_levels(), strict=True))
    assert set(values) <= set(rows)
    assert [tree.leaves[number] for number in tree.encode(values)] == list(values)

    members: dict[str, set[frozenset[Hashable]]] = {}
    for level in range(tree.height + 1):
        groups: dict[str, set[Hashable]] = {}
        above: dict[str, set[str]] = {}
        for value, row in rows.items():
            groups.setdefault(row[level], set()).add(value)
            above.setdefault(row[level], set()).add(row[min(level + 1, tree.height)])
        for label, group in groups.items():
            members.setdefault(label, set()).add(frozenset(group))
        assert all(len(parents) == 1 for parents in above.values()), "a level cuts a group of the level below"
    assert all(len(sets) == 1 for sets in members.values()), "a label stands for two different groups"

    for value, row in rows.items():
        assert row[-1] == "*"
        path = builder.path(value)
        # A leaf above the deepest level stands for itself below: rows repeat it, paths do not.
        assert row == (path[0],) * (len(row) - len(path)) + path
        assert all(inside(value, label) for label in row if label != "*")

    again = type(builder).from_spec(builder.spec())
    assert again == builder
    assert again.build(values, column="c") == tree
    return tree


@pytest.fixture(scope="session")
def obey() -> Laws:
    """Check nesting, unique labels, paths, containment (``inside(value, label)``) and the saved form; return the tree."""
    return _obey


@pytest.fixture(scope="session")
def public_data() -> Path:
    """Return the folder of the public tables, which may not exist."""
    return Path(os.environ.get("SFUMATO_DATA") or BESIDE_THE_REPOSITORY)
