"""The tree: forms convert without loss, levels are cuts, what is no tree is refused."""

from __future__ import annotations

import doctest
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato.data.tree
from sfumato.data.levels import level_table
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest
from sfumato.testing.strategies import trees

JOB = {"*": [{"Professional": ["Engineer", "Lawyer"]}, {"Artist": ["Dancer", "Writer"]}]}
UNBALANCED = {"*": ["never", {"married": [{"civil": ["spouse", "forces"]}, "absent"]}]}


def paths(nested, above=()):
    """Return the path of each leaf, leaf first, by walking the nested form."""
    here = (nested["value"], *above)
    children = nested.get("children", [])
    return [path for child in children for path in paths(child, here)] if children else [here]


def test_example_runs():
    assert doctest.testmod(sfumato.data.tree).failed == 0


# ---- forms ----------------------------------------------------------------------------------------------------------


@given(trees(max_leaves=9, max_depth=4))
def test_nested_form_round_trip(nested):
    tree = Tree.from_nested(nested)
    assert tree.to_nested() == nested
    assert Tree.from_nested(tree.to_nested()) == tree


@given(trees(max_leaves=9, max_depth=4))
def test_level_table_round_trip(nested):
    tree = Tree.from_nested(nested)
    assert Tree.from_levels(tree.to_levels()) == tree
    assert Tree.from_paths(paths(nested)) == tree


@given(trees(max_leaves=9, max_depth=4))
def test_level_table_is_padded_at_the_leaf_end(nested):
    tree = Tree.from_nested(nested)
    expected = [(path[0],) * (tree.height + 1 - len(path)) + path for path in paths(nested)]
    assert tree.to_levels() == expected


@given(trees(max_leaves=9, max_depth=4), st.randoms(use_true_random=False))
def test_rows_in_any_order_give_the_same_groups(nested, random):
    tree = Tree.from_nested(nested)
    rows = tree.to_levels()
    random.shuffle(rows)
    again = Tree.from_levels(rows)
    assert sorted(again.to_levels()) == sorted(rows)
    assert again.cut_count() == tree.cut_count()


def test_short_forms_of_one_tree():
    forms = [
        JOB,
        {"*": {"Professional": ["Engineer", "Lawyer"], "Artist": {"Dancer": None, "Writer": []}}},
        {"value": "*", "children": [{"Professional": ["Engineer", "Lawyer"]}, {"Artist": ["Dancer", "Writer"]}]},
        {"value": "*", "children": {"Professional": ["Engineer", "Lawyer"], "Artist": ["Dancer", "Writer"]}},
    ]
    assert len({Tree.from_nested(form) for form in forms}) == 1


def test_one_child_needs_no_list():
    assert Tree.from_nested({"*": {"Europe": "France", "none": 0}}).leaves == ("France", "0")
    assert Tree.from_nested({"*": {"value": "a", "children": "b"}}).labels == ("*", "a", "b")


def test_a_node_may_be_called_value():
    assert Tree.from_nested({"*": {"value": ["a"], "price": ["b"]}}).labels == ("*", "value", "a", "price", "b")


def test_a_level_table_gets_a_root_where_it_has_none():
    assert Tree.from_levels([("a",), ("b",)]).to_levels() == [("a", "*"), ("b", "*")]
    assert Tree.from_levels([("a", "g"), ("b", "h")]).to_levels() == [("a", "g", "*"), ("b", "h", "*")]


def test_a_level_that_repeats_stays_and_padding_goes():
    rows = [("a", "a", "g", "g", "*"), ("b", "h", "g", "g", "*"), ("c", "i", "i", "j", "*")]
    tree = Tree.from_levels(rows)
    assert tree.to_levels() == rows
    assert tree.labels == ("*", "g", "a", "h", "b", "j", "i", "c")  # one node on two levels
    assert tree.span.tolist() == [1, 2, 1, 1, 1, 1, 2, 1]
    assert Tree.from_nested(tree.to_nested()) == tree
    assert (tree.depth.tolist(), tree.rise.tolist()) == ([0, 2, 3, 3, 4, 1, 3, 4], [4, 2, 0, 1, 0, 3, 1, 0])
    assert Tree.from_levels(rows[:2]).to_levels() == [("a", "a", "g", "*"), ("b", "h", "g", "*")]
    assert Tree.from_levels([("a", "a", "*"), ("b", "b", "*")]).height == 1


def test_a_root_that_repeats_is_one_node():
    tree = Tree.from_nested({"*": {"*": {"g": {"g": ["a", "b"]}, "c": None}}})
    assert tree.labels == ("*", "g", "a", "b", "c")
    assert (tree.height, tree.depth.tolist(), tree.rise.tolist()) == (4, [0, 2, 3, 3, 1], [3, 1, 0, 0, 0])
    assert tree.to_levels() == [("a", "g", "g", "*", "*"), ("b", "g", "g", "*", "*"), ("c", "c", "c", "*", "*")]
    assert Tree.from_nested(tree.to_nested()) == tree == Tree.from_paths(tree.to_levels())


def test_a_label_on_two_levels_is_one_node_and_values_below_it_stay():
    table = level_table([("a", "g", "g", "*"), ("b", "h", "g", "*"), ("c", "*", "*", "*")])
    assert Tree.from_paths(table.rows).to_levels() == [("a", "a", "g", "*"), ("b", "h", "g", "*"), ("c", "c", "c", "*")]
    assert [note.id for note in table.notes] == ["warning.label_on_two_levels"]
    assert table.notes[0].facts["labels"] == ["g", "*"]


def test_of_several_rows_for_a_leaf_the_last_counts():
    table = level_table([("b", "g", "*"), ("a", "g", "*"), ("b", "h", "*")])
    assert Tree.from_paths(table.rows).to_levels() == [("a", "g", "*"), ("b", "h", "*")]
    assert [note.id for note in table.notes] == ["warning.leaf_twice"]
    assert not level_table([("a", "N", "N", "*"), ("b", "N", "N", "*")]).notes


def test_leaves_may_be_values_of_any_type():
    tree = Tree.from_paths([("17", "young", "*"), ("70", "old", "*")], [17, 70])
    assert tree.leaves == (17, 70)
    assert tree.encode([70, 17]).tolist() == [1, 0]


@pytest.mark.parametrize(
    ("make", "rule"),
    [
        (lambda: Tree.from_nested({}), "one root"),
        (lambda: Tree.from_nested({"a": ["x"], "b": ["y"]}), "one root"),
        (lambda: Tree.from_nested({"*": [{"a": ["x"], "b": ["y"]}]}), "one root"),
        (lambda: Tree.from_nested({"*": ["x", "y", "x"]}), "two different nodes"),
        (lambda: Tree.from_nested({"*": [{"g": ["x"]}, {"g": ["y"]}]}), "two different nodes"),
        (lambda: Tree.from_nested({"*": ["*", "x"]}), "two different nodes"),
        (lambda: Tree.from_nested({"*": [["x"]]}), "label or a mapping"),
        (lambda: Tree.from_nested({"*": ["x", None]}), "label or a mapping"),
        (lambda: Tree.from_levels([]), "no leaf"),
        (lambda: Tree.from_levels([(), ()]), "without a cell"),
        (lambda: Tree.from_levels([("a", "*"), ("b", "g", "*")]), "different length"),
        (lambda: Tree.from_levels([("a", "g", "h", "*"), ("b", "h", "g", "*")]), "two different nodes"),
        (lambda: Tree.from_levels([("a", "g", "*"), ("b", "a", "*")]), "two different nodes"),
        (lambda: Tree.from_levels([("g", "g", "*"), ("b", "g", "*")]), "two different nodes"),
        (lambda: Tree.from_levels([("a", "g", "x", "*"), ("b", "g", "y", "*")]), "two different nodes"),
        (lambda: Tree.from_levels([("*", "*"), ("b", "*")]), "called like its root"),
        (lambda: Tree.from_paths([]), "no leaf"),
        (lambda: Tree.from_paths([("a", "x"), ("b", "y")]), "one root"),
        (lambda: Tree.from_paths([("a", "*"), ("a", "*")], [1, 2]), "share one leaf"),
    ],
)
def test_what_is_no_tree_is_refused(make, rule):
    with pytest.raises(BadRequest, match=rule):
        make()


def test_refusals_name_the_column():
    with pytest.raises(BadRequest) as caught:
        Tree.from_levels([("a", "*"), ("b", "g", "*")], column="job")
    assert (caught.value.column, caught.value.value) == ("job", [2, 3])


# ---- shape ----------------------------------------------------------------------------------------------------------


@given(trees(max_leaves=9, max_depth=4))
def test_arrays_agree_with_a_walk_of_the_nested_form(nested):
    tree = Tree.from_nested(nested)
    walked = paths(nested)
    assert tree.leaves == tuple(path[0] for path in walked)
    assert tree.height == max(map(len, walked)) - 1
    for node, label in enumerate(tree.labels):
        below = [number for number, path in enumerate(walked) if label in path]
        assert list(range(tree.leaf_first[node], tree.leaf_last[node])) == below
        assert tree.leaf_count[node] == len(below)
        path = next(path for path in walked if label in path)
        assert tree.depth[node] == len(path) - 1 - path.index(label)
        assert tree.node(label) == node
        assert {tree.labels[child] for child in tree.children[node]} == {
            path[path.index(label) - 1] for path in walked if label in path[1:]
        }


@given(trees(max_leaves=9, max_depth=4))
def test_every_level_is_a_cut_and_levels_nest(nested):
    tree = Tree.from_nested(nested)
    for level in range(tree.height + 1):
        assert tree.is_cut(set(tree.level_nodes[level].tolist()))
    for lower, upper in zip(tree.level_nodes, tree.level_nodes[1:], strict=False):
        above = {}
        for low, high in zip(lower.tolist(), upper.tolist(), strict=True):
            assert above.setdefault(low, high) == high


@given(trees(max_leaves=5, max_depth=3))
def test_cuts_are_all_sets_of_nodes_that_meet_each_path_once(nested):
    tree = Tree.from_nested(nested)
    walked = [set(path) for path in paths(nested)]
    naive = {
        frozenset(nodes)
        for size in range(1, len(walked) + 1)
        for nodes in combinations(tree.labels, size)
        if all(len(path & set(nodes)) == 1 for path in walked)
    }
    found = [frozenset(tree.labels[node] for node in cut) for cut in tree.cuts()]
    assert len(found) == len(set(found)) == tree.cut_count()
    assert set(found) == naive


def test_cut_count_of_the_unbalanced_tree():
    # civil: 1*1+1 = 2; married: 2*1+1 = 3; root: 1*3+1 = 4
    assert Tree.from_nested(UNBALANCED).cut_count() == 4


def test_is_cut_takes_labels_and_says_no():
    tree = Tree.from_nested(UNBALANCED)
    assert tree.is_cut(["never", "civil", "absent"])
    assert not tree.is_cut(["never", "civil"])
    assert not tree.is_cut(["*", "never"])


# ---- looking up -----------------------------------------------------------------------------------------------------


@given(trees(max_leaves=9, max_depth=3), st.data())
def test_encode_is_the_position_of_the_leaf(nested, data):
    tree = Tree.from_nested(nested)
    values = data.draw(st.lists(st.sampled_from(tree.leaves)))
    numbers = tree.encode(values)
    assert numbers.dtype == np.int32
    assert [tree.leaves[number] for number in numbers] == values


def test_values_without_a_leaf_are_refused_all_at_once_with_the_nearest():
    with pytest.raises(BadRequest) as caught:
        Tree.from_nested(JOB).encode(["Lawyer", "Lawyr", "?", "Riter"], column="job")
    assert caught.value.column == "job"
    assert caught.value.value == ["Lawyr", "?", "Riter"]
    assert "got Lawyr (nearest: Lawyer), Riter (nearest: Writer); 1 not shown" in str(caught.value)
    assert caught.value.available == ["Engineer", "Lawyer", "Dancer", "Writer"]


def test_of_very_many_unknown_values_only_the_first_misspelt_are_shown():
    known = [f"{a}{b}" for a, b in product("abcdefghij", repeat=2)]
    error = Tree.from_nested({"*": known}).unknown([f"{label}x" for label in known])
    assert error.value == [f"{label}x" for label in known]
    assert error.facts["value"] == [text for text in error.facts["value"] if "nearest" in text]
    assert str(error).count("nearest") == 12
    assert "88 not shown" in str(error)


@pytest.mark.parametrize("person", ["Erika Mustermann", "1984-03-05", "Lawyer 1984", "A123456789"])
def test_a_value_that_may_be_of_a_person_is_not_in_the_text(person: str):
    error = Tree.from_nested(JOB).unknown([person])
    assert error.value == [person]
    assert person not in f"{error} {error!r} {error.facts}"


def test_unknown_label_is_refused_with_the_labels():
    with pytest.raises(BadRequest, match="did you mean 'Artist'") as caught:
        Tree.from_nested(JOB).node("Artists", column="job")
    assert caught.value.value == "Artists"
