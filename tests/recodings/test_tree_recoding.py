"""Recodings along a tree: cuts, levels, later values, and the saved state for every type of leaf."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.schema import ColumnType
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest
from sfumato.hierarchies import Dates, Intervals, Redaction, Taxonomy
from sfumato.recodings import FullDomainGeneralization, SubtreeGeneralization
from sfumato.recodings.saved import load_recodings, save_recodings
from sfumato.testing.strategies import trees

JOB = {"ANY": [{"Professional": ["Engineer", "Lawyer"]}, {"Artist": ["Dancer", "Writer"]}]}
UNEVEN = {"*": ["never", {"married": [{"civil": ["spouse", "forces"]}, "absent"]}]}


@given(nested=trees(max_leaves=8, max_depth=4), data=st.data())
def test_each_leaf_is_published_as_the_cut_node_above_it(nested: dict[str, Any], data: st.DataObject) -> None:
    tree = Tree.from_nested(nested)
    cut = data.draw(st.sampled_from(list(tree.cuts())))
    recoding = SubtreeGeneralization(tree=tree, cut=tuple(tree.labels[node] for node in cut))
    mapped = recoding.map(tree.leaves)
    assert set(mapped.labels) == set(recoding.published())
    for number, label in enumerate(mapped.labels):
        path = [int(tree.leaf_nodes[number])]
        while tree.parent[path[-1]] >= 0:
            path.append(int(tree.parent[path[-1]]))
        (place,) = [i for i, node in enumerate(path) if node in cut]
        assert label == tree.labels[path[place]]
        assert mapped.climbed[number] == place
        assert mapped.root_climb[number] == len(path) - 1
        assert mapped.covered[number] == mapped.labels.count(label)
    assert mapped.domain == len(tree.leaves)


@given(nested=trees(max_leaves=8, max_depth=4))
def test_every_level_is_a_cut_from_the_values_to_the_root(nested: dict[str, Any]) -> None:
    tree = Tree.from_nested(nested)
    before = None
    for level in range(tree.height + 1):
        recoding = FullDomainGeneralization(tree=tree, level=level)
        assert tree.is_cut(recoding.cut_nodes())
        assert recoding.identity == (level == 0 or recoding.map(tree.leaves).labels == tree.leaves)
        labels = recoding.map(tree.leaves).labels
        if before is not None:
            assert len(set(zip(before, labels, strict=True))) == len(set(before))
        before = labels
    assert len(set(before or ())) == 1


def test_short_branches_stand_for_themselves() -> None:
    labels = [
        FullDomainGeneralization(tree=UNEVEN, level=level).map(["never", "absent", "spouse"]).labels
        for level in range(4)
    ]
    assert labels == [
        ("never", "absent", "spouse"),
        ("never", "absent", "civil"),
        ("never", "married", "married"),
        ("*", "*", "*"),
    ]


def test_a_level_above_the_root_is_refused() -> None:
    with pytest.raises(BadRequest, match="height of the tree, 2") as caught:
        FullDomainGeneralization(tree=JOB, level=3)
    assert caught.value.parameter == "full-domain-generalization.level"


@pytest.mark.parametrize("cut", [(), ("Engineer",), ("ANY", "Artist"), ("Professional", "Artist", "Artist")])
def test_node_sets_that_are_no_cut_are_refused(cut: tuple[str, ...]) -> None:
    with pytest.raises(BadRequest, match="exactly one node"):
        SubtreeGeneralization(tree=JOB, cut=cut)


def test_a_label_outside_the_tree_is_refused_with_the_known_ones() -> None:
    with pytest.raises(BadRequest, match="not a node") as caught:
        SubtreeGeneralization(tree=JOB, cut=("Profesional", "Artist"))
    assert "did you mean 'Professional'" in str(caught.value)


# ---- values that came later ----------------------------------------------------------------------------------------------


def test_unknown_values_are_refused_all_at_once_or_masked() -> None:
    recoding = SubtreeGeneralization(tree=JOB, cut=("Professional", "Dancer", "Writer"))
    with pytest.raises(BadRequest, match="2 values have no leaf") as caught:
        recoding.map(["Lawyer", "Plumber", "Dansser"], column="Job")
    assert caught.value.column == "Job"
    assert "Dansser (nearest: Dancer)" in str(caught.value)
    mapped = recoding.map(["Lawyer", "Plumber"], column="Job", unknown="root")
    assert mapped.labels == ("Professional", "ANY")
    assert mapped.outside == (1,)


def test_a_later_value_climbs_to_the_cut() -> None:
    builder = Intervals(lower=0, width=5, fan_out=(2, 2))
    tree = builder.build([1, 7, 12])
    cut = ("[0-5)", "[5-10)", "[10-20]")
    recoding = SubtreeGeneralization(tree=tree, cut=cut, hierarchy=builder)
    mapped = recoding.map([1, 3, 14])
    assert mapped.labels == ("[0-5)", "[0-5)", "[10-20]")
    assert mapped.outside == (1, 2)
    assert mapped.climbed.tolist() == [1, 1, 2]


def test_a_later_value_below_an_open_branch_is_refused() -> None:
    """The cut runs below the first node the value shares with the tree: a label of its own was never checked."""
    builder = Redaction(length=3)
    recoding = SubtreeGeneralization(
        tree=builder.build(["130", "131", "200"]), cut=("130", "131", "2**"), hierarchy=builder
    )
    assert recoding.map(["250"]).labels == ("2**",)
    with pytest.raises(BadRequest, match="no leaf"):
        recoding.map(["139"], column="zip")
    assert recoding.map(["139"], unknown="root").labels == ("*",)


# ---- saved ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("builder", "values", "kind"),
    [
        (Taxonomy(tree=JOB), ["Engineer", "Lawyer", "Dancer", "Writer"], ColumnType.TEXT),
        (Taxonomy(tree={"*": [{"young": ["17", "18"]}, {"old": ["70"]}]}), [17, 18, 70], ColumnType.INTEGER),
        (Taxonomy(tree={"*": [{"some": ["1.5", "2"]}, "3.25"]}), [1.5, 2.0, 3.25], ColumnType.NUMBER),
        (Taxonomy(tree={"*": ["true", "false"]}), [True, False], ColumnType.BOOLEAN),
        (Dates(levels=("month", "year")), [date(2024, 1, 3), date(2024, 2, 1), date(2023, 2, 1)], ColumnType.DATE),
        (Intervals(lower=0, width=5, fan_out=(2, 2)), [1, 7, 12], ColumnType.INTEGER),
        (Redaction(), ["130", "131", "200"], ColumnType.TEXT),
    ],
)
@pytest.mark.parametrize("level", [0, 1, 2])
def test_saved_recodings_give_the_same_labels(builder: Any, values: list[Any], kind: ColumnType, level: int) -> None:
    tree = builder.build(values)
    level = min(level, tree.height)
    made = {
        "full": FullDomainGeneralization(tree=tree, level=level, hierarchy=builder),
        "cut": SubtreeGeneralization(
            tree=tree,
            cut=tuple(tree.labels[n] for n in dict.fromkeys(tree.level_nodes[level].tolist())),
            hierarchy=builder,
        ),
    }
    document = json.loads(json.dumps(save_recodings(made, dict.fromkeys(made, kind))))
    loaded, types = load_recodings(document)
    assert types == dict.fromkeys(made, kind)
    for name, recoding in made.items():
        assert loaded[name] == recoding
        assert loaded[name].map(values).labels == recoding.map(values).labels


def test_what_is_no_saved_recoding_is_refused() -> None:
    with pytest.raises(BadRequest, match="not a saved recoding"):
        load_recodings({"columns": {}})


@pytest.mark.parametrize("odd", [7, True, None, 0.5])
def test_what_is_no_tree_is_refused(odd: object) -> None:
    with pytest.raises(BadRequest):
        FullDomainGeneralization(tree=odd, level=1)
