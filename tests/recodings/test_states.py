"""Recodings as states: steps that undo each other, the order, the common refinement, the drawing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.tree import Tree
from sfumato.errors import BadRequest, Unsupported
from sfumato.recodings import (
    CellGeneralization,
    CellSuppression,
    Discretization,
    FullDomainGeneralization,
    MultidimensionalGeneralization,
    RecordSuppression,
    SiblingGeneralization,
    SubtreeGeneralization,
    ValueSuppression,
)

from .conftest import JOB, any_of, cuts, paths, siblings, small_trees

DOMAIN = ("a", "b", "c", "d")
EDGES = st.lists(st.integers(1, 19), max_size=4, unique=True).map(lambda inner: (0, *sorted(inner), 20))


def taken(step: Callable[[Any], Any], values: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every step that is allowed, with where it leads."""
    for value in values:
        try:
            yield value, step(value)
        except BadRequest:
            continue


def check_steps(recoding: Any, values: list[Any]) -> int:
    """Every step has its inverse and moves the state in the order."""
    count = 0
    for value, finer in taken(recoding.refine, values):
        count += 1
        assert finer != recoding
        assert finer.generalize(value) == recoding
        assert finer.is_finer_than(recoding)
        assert not recoding.is_finer_than(finer)
        assert finer.common_refinement(recoding) == recoding.common_refinement(finer) == finer
    for value, coarser in taken(recoding.generalize, values):
        count += 1
        assert coarser != recoding
        assert coarser.refine(value) == recoding
        assert recoding.is_finer_than(coarser)
    return count


# ---- along a tree --------------------------------------------------------------------------------------------------------


@given(tree=small_trees, data=st.data())
def test_steps_along_a_tree_undo_each_other(tree: Tree, data: st.DataObject) -> None:
    recoding = data.draw(any_of(tree))
    assert check_steps(recoding, list(tree.labels)) > 0  # the root is never a leaf, so one way is always open


@given(tree=small_trees, data=st.data())
def test_the_order_is_the_order_of_labels_leaf_by_leaf(tree: Tree, data: st.DataObject) -> None:
    one, other = data.draw(any_of(tree)), data.draw(any_of(tree))
    depth = {label: int(tree.depth[node]) for node, label in enumerate(tree.labels)}
    shown = list(zip(one.map(tree.leaves).labels, other.map(tree.leaves).labels, strict=True))
    assert one.is_finer_than(other) == all(depth[a] >= depth[b] for a, b in shown)
    assert one.is_finer_than(one)
    if one.is_finer_than(other):
        # What two leaves share in the finer one they share in the coarser one.
        pairs = set(shown)
        assert len({a for a, _ in pairs}) == len(pairs)


@given(tree=small_trees, data=st.data())
def test_the_common_refinement_shows_the_lower_label(tree: Tree, data: st.DataObject) -> None:
    one, other = data.draw(any_of(tree)), data.draw(any_of(tree))
    both = one.common_refinement(other)
    depth = {label: int(tree.depth[node]) for node, label in enumerate(tree.labels)}
    wanted = [
        max(a, b, key=depth.__getitem__)
        for a, b in zip(one.map(tree.leaves).labels, other.map(tree.leaves).labels, strict=True)
    ]
    assert list(both.map(tree.leaves).labels) == wanted
    assert both.is_finer_than(one)
    assert both.is_finer_than(other)


@given(tree=small_trees, data=st.data())
def test_two_cuts_have_a_cut_in_common(tree: Tree, data: st.DataObject) -> None:
    both = data.draw(cuts(tree)).common_refinement(data.draw(cuts(tree)))
    assert isinstance(both, SubtreeGeneralization)


@given(tree=small_trees, data=st.data())
def test_every_state_is_reached_from_the_root_by_refining(tree: Tree, data: st.DataObject) -> None:
    target = data.draw(siblings(tree))
    state = SiblingGeneralization(tree=tree, nodes=(tree.labels[0],))
    for _ in range(len(tree.labels) ** 2):
        if state == target:
            break
        state = next(finer for _, finer in taken(state.refine, tree.labels) if target.is_finer_than(finer))
    assert state == target


def test_a_level_goes_down_as_a_whole() -> None:
    recoding = FullDomainGeneralization(tree=JOB, level=1)
    assert recoding.refine("Artist").level == 0
    assert recoding.generalize("ANY").level == 2
    for value in ("ANY", "Engineer"):
        with pytest.raises(BadRequest):
            recoding.refine(value)
    with pytest.raises(BadRequest, match="next level"):
        recoding.generalize("Artist")


def test_recodings_of_different_trees_are_not_compared() -> None:
    other = {"ANY": [{"Work": ["Engineer", "Lawyer", "Dancer", "Writer"]}]}
    one, two = FullDomainGeneralization(tree=JOB, level=1), FullDomainGeneralization(tree=other, level=1)
    with pytest.raises(Unsupported, match="same tree"):
        one.is_finer_than(two)
    with pytest.raises(Unsupported, match="same tree"):
        one.common_refinement(ValueSuppression(suppressed=("Engineer",)))


def test_levels_that_repeat_a_label_are_one_state() -> None:
    tree = Tree.from_levels([("a", "x", "x", "*"), ("b", "y", "z", "*")])
    one = FullDomainGeneralization(tree=tree, level=1)
    cut = SubtreeGeneralization(tree=tree, cut=("x", "z"))
    two = FullDomainGeneralization(tree=tree, level=2)
    assert two.is_finer_than(cut)
    assert cut.is_finer_than(two)
    assert one.is_finer_than(two)
    assert not two.is_finer_than(one)


# ---- numbers and bare values ---------------------------------------------------------------------------------------------


@given(edges=EDGES, other=EDGES)
def test_edges_are_put_and_taken(edges: tuple[int, ...], other: tuple[int, ...]) -> None:
    one, two = Discretization(edges=edges), Discretization(edges=other)
    assert check_steps(one, [*range(21), 0.5]) > 0
    both = one.common_refinement(two)
    assert both.edges == tuple(sorted({*edges, *other}))
    assert one.is_finer_than(two) == (set(other) <= set(edges))


@pytest.mark.parametrize("value", [0, 20, 7, -1, 25])
def test_an_edge_that_cuts_nothing_is_refused(value: int) -> None:
    recoding = Discretization(edges=(0, 7, 20))
    with pytest.raises(BadRequest, match="inside an interval"):
        recoding.refine(value)
    if value != 7:
        with pytest.raises(BadRequest, match="edge between"):
            recoding.generalize(value)
    with pytest.raises(Unsupported, match="same range"):
        recoding.is_finer_than(Discretization(edges=(0, 7, 21)))


@given(
    hidden=st.sets(st.sampled_from(DOMAIN)),
    others=st.sets(st.sampled_from(DOMAIN)),
    forms=st.tuples(st.booleans(), st.booleans()),
)
def test_values_are_disclosed_and_suppressed(hidden: set[str], others: set[str], forms: tuple[bool, bool]) -> None:
    one, two = _suppression(hidden, forms[0]), _suppression(others, forms[1])
    assert check_steps(one, list(DOMAIN)) == len(DOMAIN)
    assert one.is_finer_than(two) == (hidden <= others)
    both = one.common_refinement(two)
    assert {value for value in DOMAIN if both.hides(value)} == hidden & others


def _suppression(hidden: set[str], listed: bool) -> ValueSuppression:
    if listed:
        return ValueSuppression(suppressed=tuple(sorted(hidden)), domain=DOMAIN)
    return ValueSuppression(disclosed=tuple(value for value in DOMAIN if value not in hidden), domain=DOMAIN)


def test_values_nobody_listed_keep_a_list_from_being_finer() -> None:
    shown, hidden = ValueSuppression(disclosed=("a",)), ValueSuppression(suppressed=("b",))
    assert not shown.is_finer_than(hidden)
    assert hidden.is_finer_than(shown)
    with pytest.raises(BadRequest, match="is suppressed already"):
        hidden.generalize("b")
    with pytest.raises(BadRequest, match="is not suppressed"):
        hidden.refine("a")
    with pytest.raises(BadRequest, match="not a value of the column"):
        _suppression({"a"}, True).generalize("z")


# ---- whole records -------------------------------------------------------------------------------------------------------


@given(
    cells=st.sets(st.tuples(st.integers(0, 3), st.sampled_from("uv"))),
    others=st.sets(st.tuples(st.integers(0, 3), st.sampled_from("uv"))),
)
def test_cells_are_disclosed_and_suppressed(cells: set[tuple[int, str]], others: set[tuple[int, str]]) -> None:
    one, two = CellSuppression(cells=tuple(sorted(cells))), CellSuppression(cells=tuple(sorted(others)))
    assert check_steps(one, [(row, name) for row in range(4) for name in "uv"]) == 8
    assert one.is_finer_than(two) == (cells <= others)
    assert set(one.common_refinement(two).cells) == cells & others


def test_record_suppression_is_a_rule_with_an_order_and_no_steps() -> None:
    less, more = RecordSuppression(qid=("a",), k=2), RecordSuppression(qid=("a",), k=5)
    assert less.is_finer_than(more)
    assert not more.is_finer_than(less)
    assert less.common_refinement(more) == less
    for step in (less.refine, less.generalize):
        with pytest.raises(Unsupported, match="no steps"):
            step("x")
    with pytest.raises(Unsupported, match="same columns"):
        less.is_finer_than(RecordSuppression(qid=("b",), k=2))


@given(data=st.data(), tree=small_trees)
def test_cells_climb_and_come_down(tree: Tree, data: st.DataObject) -> None:
    leaves = data.draw(st.lists(st.sampled_from(tree.leaves), min_size=1, max_size=3))
    above = paths(tree.to_nested())
    made = [
        CellGeneralization(
            trees={"c": tree},
            cells=tuple((row, "c", data.draw(st.sampled_from(above[str(leaf)]))) for row, leaf in enumerate(leaves)),
        )
        for _ in range(2)
    ]
    steps = [(row, "c", label) for row, leaf in enumerate(leaves) for label in above[str(leaf)]]
    assert check_steps(made[0], steps) > 0
    one, two = (dict(zip(range(len(leaves)), _shown(recoding, leaves), strict=True)) for recoding in made)
    height = {row: above[str(leaf)].index for row, leaf in enumerate(leaves)}
    assert made[0].is_finer_than(made[1]) == all(height[row](one[row]) <= height[row](two[row]) for row in one)
    both = _shown(made[0].common_refinement(made[1]), leaves)
    assert both == [min(one[row], two[row], key=height[row]) for row in one]


def _shown(recoding: CellGeneralization, leaves: list[Any]) -> list[str]:
    return [label for (label,) in recoding.labels([(leaf,) for leaf in leaves])]


def test_labels_of_a_cell_that_no_value_can_have_have_no_refinement() -> None:
    one = CellGeneralization(trees={"Job": JOB}, cells=((0, "Job", "Professional"),))
    two = CellGeneralization(trees={"Job": JOB}, cells=((0, "Job", "Artist"),))
    with pytest.raises(BadRequest, match="nothing in common"):
        one.common_refinement(two)
    for value in ((0, "Job", "Dancer"), (0, "Job", "ANY"), (1, "Job", "Professional"), (0, "Age", "x"), "Job"):
        with pytest.raises(BadRequest):
            one.generalize(value)
    with pytest.raises(BadRequest, match="must show Artist"):
        one.refine((0, "Job", "Dancer"))


@given(data=st.data())
def test_boxes_fall_into_parts_and_join_again(data: st.DataObject) -> None:
    recoding, steps = boxes(), []
    for _ in range(data.draw(st.integers(0, 5))):
        box = data.draw(st.sampled_from(recoding.boxes))
        named = [
            (box, "Job"),
            (box, "Age", data.draw(st.integers(0, 10))),
            (box, "Size", data.draw(st.sampled_from("SML"))),
        ]
        for step, finer in taken(recoding.refine, data.draw(st.permutations(named))):
            steps.append(step)
            recoding = finer
            break
    open_steps = [(box, "Job") for box in recoding.boxes]
    assert check_steps(recoding, [*open_steps, *steps[-1:]]) > 0 or not steps
    assert recoding.is_finer_than(boxes())
    rows = [
        (job, age, size) for job in ("Engineer", "Lawyer", "Dancer", "Writer") for age in range(11) for size in "SML"
    ]
    assert (recoding.box_of(rows) >= 0).all()  # refining loses no record
    held = [
        sum(
            all(recoding.scales[n].holds(label, value) for n, label, value in zip(recoding.qid, box, row, strict=True))
            for box in recoding.boxes
        )
        for row in rows
    ]
    assert set(held) == {1}


@given(data=st.data())
def test_boxes_in_common_show_the_lower_labels(data: st.DataObject) -> None:
    made = []
    for _ in range(2):
        recoding = boxes()
        for _ in range(data.draw(st.integers(0, 4))):
            box = data.draw(st.sampled_from(recoding.boxes))
            for step in data.draw(
                st.permutations([(box, "Job"), (box, "Age", data.draw(st.integers(1, 9))), (box, "Size", "M")])
            ):
                try:
                    recoding = recoding.refine(step)
                    break
                except BadRequest:
                    continue
        made.append(recoding)
    one, two = made
    both = one.common_refinement(two)
    assert both.is_finer_than(one)
    assert both.is_finer_than(two)
    rows = [(job, age, size) for job in ("Engineer", "Dancer") for age in range(11) for size in "SML"]
    for mine, theirs, shared in zip(one.labels(rows), two.labels(rows), both.labels(rows), strict=True):
        for name, a, b, label in zip(one.qid, mine, theirs, shared, strict=True):
            assert one.scales[name].meet(a, b) == label
    finer = all(
        one.scales[n].within(a, b)
        for x, y in zip(one.labels(rows), two.labels(rows), strict=True)
        for n, a, b in zip(one.qid, x, y, strict=True)
    )
    if one.is_finer_than(two):
        assert finer


def boxes() -> MultidimensionalGeneralization:
    return MultidimensionalGeneralization(
        qid=("Job", "Age", "Size"),
        trees={"Job": JOB},
        ranges={"Age": (0, 10)},
        orders={"Size": ("S", "M", "L")},
        boxes=(("ANY", "*", "*"),),
    )


def test_wrong_steps_of_boxes_are_refused() -> None:
    recoding = boxes()
    box = ("ANY", "*", "*")
    for value in (
        "Job",
        (box,),
        (box, "Sex"),
        (("ANY",), "Job"),
        (box, "Age", 0),
        (box, "Age"),
        (box, "Size", "S"),
        (("x", "*", "*"), "Job"),
    ):
        with pytest.raises(BadRequest):
            recoding.refine(value)
    with pytest.raises(BadRequest, match="not a box"):
        recoding.refine((("Artist", "*", "*"), "Job"))
    with pytest.raises(BadRequest, match="all parts"):
        recoding.generalize((box, "Job"))
    with pytest.raises(BadRequest, match="leaf"):
        recoding.refine((box, "Job")).refine((("Artist", "*", "*"), "Job")).refine((("Dancer", "*", "*"), "Job"))
    with pytest.raises(Unsupported, match="same columns"):
        recoding.is_finer_than(RecordSuppression(qid=("Job",), k=2))


# ---- drawings ------------------------------------------------------------------------------------------------------------


def test_drawings() -> None:
    sibling = SiblingGeneralization(tree=JOB, nodes=("Professional", "Lawyer", "Artist"))
    assert sibling.draw().splitlines() == [
        "○ ANY",
        "├─ ● Professional (1 of 2)",
        "│  └─ ● Lawyer",
        "└─ ● Artist (2 of 2)",
    ]
    assert Discretization(edges=(0, 10, 40)).draw().splitlines() == ["[0-10)   ██████████", "[10-40)  " + "█" * 30]
    assert ValueSuppression(suppressed=("a", "b"), domain=("a", "b", "c")).draw() == "c\n* (a, b)"
    assert ValueSuppression(disclosed=("a",)).draw() == "a\n* (everything else)"
    assert CellSuppression(cells=((3, "Job"),)).draw() == "row 3, Job: *"
    assert CellSuppression(cells=()).draw() == "no cell is suppressed"
    assert CellGeneralization(trees={"Job": JOB}, cells=()).draw() == "no cell is generalized"
    assert "fewer than 2 on Job are left out" in RecordSuppression(qid=("Job",), k=2).draw()
    assert "masked as *" in RecordSuppression(qid=("Job",), k=2, mode="mask").draw()
    assert boxes().refine((("ANY", "*", "*"), "Age", 5)).draw().splitlines() == [
        "Job  Age     Size",
        "ANY  [0-5)   *",
        "ANY  [5-10]  *",
    ]


@given(tree=small_trees, data=st.data())
def test_a_drawing_shows_published_nodes_filled_and_nothing_below_them(tree: Tree, data: st.DataObject) -> None:
    recoding = data.draw(any_of(tree))
    lines = recoding.draw().splitlines()
    filled = {line.split("● ")[1].split(" (")[0] for line in lines if "●" in line}
    assert filled == set(recoding.published())
    wanted = {
        label
        for path in paths(tree.to_nested()).values()
        for at, label in enumerate(path)
        if set(path[: at + 1]) & filled
    }
    assert len(lines) == len(wanted | filled)
