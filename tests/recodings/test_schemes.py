"""Which schemes allow a recoding: the schemes nest, and each claim agrees with a search through all recodings."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest
from sfumato.recodings import CellGeneralization, MultidimensionalGeneralization
from sfumato.recodings.schemes import SCHEMES, schemes_allowing

from .conftest import JOB, any_of, cuts, levels, paths, siblings, small_trees


def wider(scheme: str) -> list[str]:
    return list(SCHEMES[SCHEMES.index(scheme) :])


@given(
    trees=st.tuples(small_trees, small_trees),
    data=st.data(),
    scheme=st.sampled_from(["full-domain", "subtree", "sibling"]),
)
def test_recodings_of_a_scheme_are_allowed_by_all_wider_ones(
    trees: tuple[Tree, Tree], data: st.DataObject, scheme: str
) -> None:
    drawn = {"full-domain": levels, "subtree": cuts, "sibling": siblings}[scheme]
    recodings = [data.draw(drawn(tree)) for tree in trees]
    rows = data.draw(st.lists(st.tuples(*(st.sampled_from(tree.leaves) for tree in trees)), min_size=1, max_size=8))
    table = sfumato.from_rows(["a", "b"], rows)
    recoded = sfumato.recode(table, dict(zip("ab", recodings, strict=True))).table
    allowed = schemes_allowing(table, recoded, dict(zip("ab", trees, strict=True)))
    assert set(wider(scheme)) <= set(allowed)
    assert allowed == wider(allowed[0])


@given(tree=small_trees, data=st.data())
def test_boxes_are_multidimensional_and_cells_are_cells(tree: Tree, data: st.DataObject) -> None:
    other = Tree.from_nested(JOB)
    rows = data.draw(
        st.lists(st.tuples(st.sampled_from(tree.leaves), st.sampled_from(other.leaves)), min_size=1, max_size=8)
    )
    known = {"a": tree, "b": other}
    table = sfumato.from_rows(["a", "b"], rows)
    some = data.draw(st.lists(st.tuples(st.sampled_from(tree.labels), st.sampled_from(other.labels)), max_size=5))
    boxes = MultidimensionalGeneralization(
        qid=("a", "b"), trees=known, boxes=(*some, (tree.labels[0], other.labels[0]))
    )
    allowed = schemes_allowing(table, boxes.apply(table), known)
    assert set(wider("multidimensional")) <= set(allowed)
    assert allowed == wider(allowed[0])
    above = {name: paths(tree.to_nested()) for name, tree in known.items()}
    cells = [
        (number, name, data.draw(st.sampled_from(above[name][value])))
        for number, row in enumerate(rows)
        for name, value in zip("ab", row, strict=True)
    ]
    allowed = schemes_allowing(table, CellGeneralization(trees=known, cells=tuple(cells)).apply(table), known)
    assert "cell" in allowed
    assert allowed == wider(allowed[0])


@settings(max_examples=60)
@given(tree=small_trees, data=st.data())
def test_value_by_value_claims_agree_with_a_search_through_all_recodings(tree: Tree, data: st.DataObject) -> None:
    """Try every level, every cut, every set of nodes: is there one that gives these rows?"""
    leaves = data.draw(st.lists(st.sampled_from(tree.leaves), min_size=1, max_size=4))
    above = paths(tree.to_nested())
    if data.draw(st.booleans()):
        shown = list(data.draw(any_of(tree)).map(leaves).labels)
    else:
        shown = [data.draw(st.sampled_from(above[str(leaf)])) for leaf in leaves]
    allowed = schemes_allowing([(leaf,) for leaf in leaves], [(label,) for label in shown], {"c": tree})
    full = [[tree.labels[node] for node in level] for level in tree.level_nodes]
    place = {leaf: number for number, leaf in enumerate(tree.leaves)}
    assert ("full-domain" in allowed) == any(
        all(level[place[leaf]] == label for leaf, label in zip(leaves, shown, strict=True)) for level in full
    )
    assert ("subtree" in allowed) == any(
        agrees({tree.labels[node] for node in cut}, leaves, shown, above) for cut in tree.cuts()
    )
    inner = sorted({label for path in above.values() for label in path})
    if len(inner) <= 10:
        sets = (
            {label for label, chosen in zip(inner, picked, strict=True) if chosen}
            for picked in product([True, False], repeat=len(inner))
        )
        whole = [nodes for nodes in sets if all(nodes & set(path) for path in above.values())]
        assert ("sibling" in allowed) == any(agrees(nodes, leaves, shown, above) for nodes in whole)


def agrees(nodes: set[str], leaves: list[Any], shown: list[str], above: dict[str, list[str]]) -> bool:
    return all(
        next((node for node in above[str(leaf)] if node in nodes), None) == label
        for leaf, label in zip(leaves, shown, strict=True)
    )


@pytest.mark.parametrize(
    ("recoded", "narrowest"),
    [
        (["Professional", "Professional", "Artist"], "full-domain"),
        (["Professional", "Professional", "Dancer"], "subtree"),
        (["Professional", "Lawyer", "Dancer"], "sibling"),
        (["ANY", "Professional", "Dancer"], "single-dimensional"),
    ],
)
def test_one_of_each(recoded: list[str], narrowest: str) -> None:
    raw = [("Engineer",), ("Lawyer",), ("Dancer",)]
    assert schemes_allowing(raw, [(label,) for label in recoded], {"Job": JOB}) == wider(narrowest)


def test_a_label_that_is_not_above_its_value_is_allowed_by_none() -> None:
    assert schemes_allowing([("Engineer",)], [("Artist",)], {"Job": JOB}) == []


def test_what_cannot_be_judged_is_refused() -> None:
    with pytest.raises(BadRequest, match="no leaf"):
        schemes_allowing([("Plumber",)], [("ANY",)], {"Job": JOB})
    with pytest.raises(BadRequest, match="not a node"):
        schemes_allowing([("Engineer",)], [("Worker",)], {"Job": JOB})
    with pytest.raises(BadRequest, match="as many recoded as raw"):
        schemes_allowing([("Engineer",)], [], {"Job": JOB})
    with pytest.raises(BadRequest, match="one value for each tree"):
        schemes_allowing([("Engineer", "Male")], [("Engineer", "Male")], {"Job": JOB})


def test_values_that_kept_their_type_are_leaves() -> None:
    age = Tree.from_paths([("17", "young", "*"), ("18", "young", "*"), ("70", "old", "*")], [17, 18, 70])
    assert schemes_allowing([(17,), (70,)], [(17,), (70,)], {"age": age})[0] == "full-domain"
    assert schemes_allowing([(17,), (70,)], [("young",), ("70",)], {"age": age})[0] == "subtree"
