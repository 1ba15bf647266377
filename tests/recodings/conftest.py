"""What tests of recodings share: naive trees, and random recodings of every scheme."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from perturbations.conftest import shares as shares
from sfumato.data.tree import Tree
from sfumato.recodings import FullDomainGeneralization, SiblingGeneralization, SubtreeGeneralization
from sfumato.testing.strategies import trees

JOB = {"ANY": [{"Professional": ["Engineer", "Lawyer"]}, {"Artist": ["Dancer", "Writer"]}]}


def paths(nested: dict[str, Any]) -> dict[str, list[str]]:
    """Return the labels from each leaf up to the root, without any of the arrays of a tree."""
    if not nested.get("children"):
        return {nested["value"]: [nested["value"]]}
    return {leaf: [*path, nested["value"]] for child in nested["children"] for leaf, path in paths(child).items()}


@st.composite
def cuts(draw: st.DrawFn, tree: Tree) -> SubtreeGeneralization:
    """Draw a cut of a tree."""
    cut = draw(st.sampled_from(list(tree.cuts())))
    return SubtreeGeneralization(tree=tree, cut=tuple(tree.labels[node] for node in cut))


@st.composite
def levels(draw: st.DrawFn, tree: Tree) -> FullDomainGeneralization:
    """Draw a level of a tree."""
    return FullDomainGeneralization(tree=tree, level=draw(st.integers(0, tree.height)))


@st.composite
def siblings(draw: st.DrawFn, tree: Tree) -> SiblingGeneralization:
    """Draw a set of nodes of a tree; the root joins it if a leaf would be left alone."""
    nodes = draw(st.sets(st.sampled_from(tree.labels)))
    bare = [leaf for leaf, path in paths(tree.to_nested()).items() if not nodes & set(path)]
    return SiblingGeneralization(tree=tree, nodes=tuple(nodes | ({tree.labels[0]} if bare else set())))


def any_of(tree: Tree) -> st.SearchStrategy[Any]:
    """Draw a recoding of a tree, of any scheme that maps value by value."""
    return st.one_of(levels(tree), cuts(tree), siblings(tree))


small_trees = trees(max_leaves=6, max_depth=3).map(Tree.from_nested)
