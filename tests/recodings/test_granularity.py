"""Mixed granularity: a value and a more general one side by side."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import sfumato
from sfumato.data.tree import Tree
from sfumato.recodings import CellGeneralization, CellSuppression, RecordSuppression, ValueSuppression
from sfumato.recodings.granularity import mixed_columns, mixed_granularity

from .conftest import JOB, any_of, cuts, paths, small_trees


@given(tree=small_trees, data=st.data())
def test_it_agrees_with_the_paths(tree: Tree, data: st.DataObject) -> None:
    shown = data.draw(st.sets(st.sampled_from(tree.labels)))
    wanted = any(len(shown & set(path)) > 1 for path in paths(tree.to_nested()).values())
    assert mixed_granularity([*shown, "no node"], tree) == wanted


@given(tree=small_trees, data=st.data())
def test_the_flag_of_a_recoding_is_what_its_labels_say(tree: Tree, data: st.DataObject) -> None:
    recoding = data.draw(any_of(tree))
    assert recoding.mixed_granularity == mixed_granularity(recoding.published(), tree)
    assert not data.draw(cuts(tree)).mixed_granularity


def test_the_columns_of_a_table() -> None:
    table = sfumato.from_rows(["Job", "Sex"], [("Engineer", "Male"), ("Engineer", "Male"), ("Lawyer", "Male")])
    trees = {"Job": JOB, "Sex": {"*": ["Male", "Female"]}}
    some = CellGeneralization(trees=trees, cells=((0, "Job", "Professional"),))
    assert mixed_columns(some.apply(table), trees) == ["Job"]
    # The recoding may mix and here does not: the rows tell.
    every = CellGeneralization(trees=trees, cells=tuple((row, "Job", "Professional") for row in range(3)))
    assert every.mixed_granularity
    assert mixed_columns(every.apply(table), trees) == []


def test_the_flag_of_operations_on_records() -> None:
    assert CellSuppression(cells=((0, "Job"),)).mixed_granularity
    assert not CellSuppression(cells=()).mixed_granularity
    assert RecordSuppression(qid=("Job",), k=2, mode="mask").mixed_granularity
    assert not RecordSuppression(qid=("Job",), k=2).mixed_granularity
    assert not ValueSuppression(suppressed=("a",)).mixed_granularity
