"""Sibling generalization: nearest published node, represented leaves, steps of one class."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest
from sfumato.hierarchies import Redaction
from sfumato.recodings import SiblingGeneralization, SubtreeGeneralization

from .conftest import JOB, paths, siblings, small_trees


@given(tree=small_trees, data=st.data())
def test_each_leaf_becomes_its_nearest_published_node(tree: Tree, data: st.DataObject) -> None:
    recoding = data.draw(siblings(tree))
    mapped = recoding.map(tree.leaves)
    nodes = set(recoding.nodes)
    for number, (leaf, path) in enumerate(paths(tree.to_nested()).items()):
        assert tree.leaves[number] == leaf
        wanted = next(label for label in path if label in nodes)
        assert mapped.labels[number] == wanted
        assert mapped.climbed[number] == path.index(wanted)
        assert mapped.root_climb[number] == len(path) - 1
        assert mapped.covered[number] == mapped.labels.count(wanted)
        assert leaf in recoding.represented[wanted]
    assert set(mapped.labels) == nodes == set(recoding.published()) == set(recoding.represented)
    assert sum(map(len, recoding.represented.values())) == len(tree.leaves) == mapped.domain
    assert recoding.mixed_granularity == any(len(nodes & set(path)) > 1 for path in paths(tree.to_nested()).values())


@given(tree=small_trees, data=st.data())
def test_nodes_that_catch_no_leaf_change_nothing_and_go(tree: Tree, data: st.DataObject) -> None:
    recoding = data.draw(siblings(tree))
    wider = SiblingGeneralization(tree=tree, nodes=(*recoding.nodes, *tree.leaves, *recoding.nodes))
    assert wider.map(tree.leaves).labels == tuple(tree.leaves)
    assert set(wider.nodes) == set(tree.leaves)
    again = SiblingGeneralization(tree=tree, nodes=tuple(reversed(recoding.nodes)))
    assert again == recoding


def test_a_leaf_without_a_node_is_refused() -> None:
    with pytest.raises(BadRequest, match="2 have none") as caught:
        SiblingGeneralization(tree=JOB, nodes=("Professional", "Lawyer"))
    assert caught.value.parameter == "sibling-generalization.nodes"
    with pytest.raises(BadRequest, match="not a node"):
        SiblingGeneralization(tree=JOB, nodes=("Profesional", "Artist"))


def test_a_parent_that_stands_for_one_child_costs_nothing() -> None:
    """Whoever knows the rule knows the child: metrics count represented leaves, not all leaves below."""
    rows = [("Engineer",), ("Lawyer",), ("Dancer",), ("Writer",)]
    table = sfumato.from_rows(["Job"], rows)
    alone = SiblingGeneralization(tree=JOB, nodes=("Professional", "Lawyer", "Dancer", "Writer"))
    both = SubtreeGeneralization(tree=JOB, cut=("Professional", "Dancer", "Writer"))
    assert alone.map(["Engineer"]).covered.tolist() == [1.0]
    assert both.map(["Engineer"]).covered.tolist() == [2.0]
    cost = {
        name: sfumato.measure(table, sfumato.recode(table, {"Job": recoding}), "loss").value
        for name, recoding in {"alone": alone, "both": both}.items()
    }
    assert cost["alone"] == 0
    assert cost["both"] > 0


def test_a_later_value_goes_to_its_nearest_published_node() -> None:
    builder = Redaction(length=3)
    tree = builder.build(["130", "131", "200"])
    recoding = SiblingGeneralization(tree=tree, nodes=("13*", "131", "2**"), hierarchy=builder)
    mapped = recoding.map(["130", "131", "139", "250"])
    assert mapped.labels == ("13*", "131", "13*", "2**")
    assert mapped.outside == (2, 3)
    with pytest.raises(BadRequest, match="no leaf"):
        recoding.map(["900"], column="zip")
    assert recoding.map(["900"], unknown="root").labels == ("*",)
    assert recoding.map(["900"], unknown="root").covered.tolist() == [3.0]


@pytest.mark.parametrize(
    ("start", "value", "after"),
    [
        (("Engineer", "Lawyer", "Artist"), "Engineer", ("Professional", "Lawyer", "Artist")),
        (("Professional", "Lawyer", "Artist"), "Lawyer", ("Professional", "Artist")),
        (("Professional", "Artist"), "Artist", ("ANY", "Professional")),
        # Lawyer is published above Professional: that would come down to it, so Engineer goes up to ANY at once.
        (("ANY", "Engineer"), "Engineer", ("ANY",)),
        (("ANY", "Engineer", "Lawyer"), "Engineer", ("ANY", "Professional", "Lawyer")),
    ],
)
def test_steps(start: tuple[str, ...], value: str, after: tuple[str, ...]) -> None:
    recoding = SiblingGeneralization(tree=JOB, nodes=start)
    coarser = recoding.generalize(value)
    assert coarser.nodes == after
    assert coarser.refine(value) == recoding
    assert recoding.is_finer_than(coarser)
    assert not coarser.is_finer_than(recoding)


@pytest.mark.parametrize(
    ("value", "rule"), [("Engineer", "one step below"), ("Professional", "one step below"), ("Surgeon", "not a node")]
)
def test_steps_that_are_none_are_refused(value: str, rule: str) -> None:
    recoding = SiblingGeneralization(tree=JOB, nodes=("ANY", "Lawyer", "Professional"))
    if value != "Engineer":
        with pytest.raises(BadRequest, match=rule):
            recoding.refine(value)
    else:  # two levels below ANY while Lawyer shows that Professional would be the step between
        with pytest.raises(BadRequest, match=rule):
            SiblingGeneralization(tree=JOB, nodes=("ANY", "Lawyer")).refine(value)


def test_the_root_cannot_be_generalized() -> None:
    with pytest.raises(BadRequest, match="is the root"):
        SiblingGeneralization(tree=JOB, nodes=("ANY", "Lawyer")).generalize("ANY")
    with pytest.raises(BadRequest, match="is not published"):
        SiblingGeneralization(tree=JOB, nodes=("ANY", "Lawyer")).generalize("Artist")


def test_counts_of_nodes_agree_with_the_tree_for_cuts() -> None:
    tree = Tree.from_nested(JOB)
    for cut in tree.cuts():
        labels = tuple(tree.labels[node] for node in cut)
        one, other = SiblingGeneralization(tree=tree, nodes=labels), SubtreeGeneralization(tree=tree, cut=labels)
        assert np.array_equal(one.map(tree.leaves).covered, other.map(tree.leaves).covered)
        assert not one.mixed_granularity
