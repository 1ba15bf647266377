"""Saved recodings: every operation survives JSON and does the same again."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from sfumato.catalogue import things
from sfumato.contracts.recoding import ColumnRecoding, TableRecoding
from sfumato.data.schema import ColumnType
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest
from sfumato.recodings import (
    CellGeneralization,
    CellSuppression,
    Discretization,
    FullDomainGeneralization,
    GroupSuppression,
    MultidimensionalGeneralization,
    OrderedPartition,
    RecordSuppression,
    SiblingGeneralization,
    SubtreeGeneralization,
    ValueSuppression,
)
from sfumato.recodings.saved import load_operations, load_recodings, save_recodings

from .conftest import JOB, any_of, small_trees

AGE = Tree.from_paths([("30", "[30-35)", "*"), ("35", "[35-40)", "*"), ("38", "[35-40)", "*")], [30, 35, 38])
ROWS = [("Engineer", 35, "M"), ("Engineer", 38, "M"), ("Lawyer", 38, "L"), ("Dancer", 30, "S"), ("Engineer", 35, "M")]
COLUMNS: dict[str, ColumnRecoding] = {
    "full": FullDomainGeneralization(tree=JOB, level=1),
    "cut": SubtreeGeneralization(tree=JOB, cut=("Professional", "Dancer", "Writer")),
    "siblings": SiblingGeneralization(tree=JOB, nodes=("ANY", "Lawyer")),
    "values": ValueSuppression(suppressed=("Engineer",), domain=("Engineer", "Lawyer", "Dancer")),
    "numbers": Discretization(edges=(30, 35, 40)),
    "runs": OrderedPartition(domain=("A", "B", "C"), starts=("B",)),
}
OPERATIONS: list[TableRecoding] = [
    CellSuppression(cells=((0, "Job"), (2, "Age"))),
    GroupSuppression(qid=("Job", "Age"), groups=(("Lawyer", "38"), ("Dancer", "30"))),
    RecordSuppression(qid=("Job", "Age"), k=2),
    RecordSuppression(qid=("Job", "Age"), k=2, mode="mask", marker="?"),
    CellGeneralization(trees={"Job": JOB, "Age": AGE}, cells=((0, "Job", "Professional"), (1, "Age", "[35-40)"))),
    CellGeneralization(orders={"Size": ("S", "M", "L")}, cells=((0, "Size", "S..M"),), covering=True),
    MultidimensionalGeneralization(
        qid=("Age", "Job", "Size"),
        trees={"Job": JOB, "Age": AGE},
        orders={"Size": ("S", "M", "L")},
        boxes=(("[35-40)", "Professional", "M..L"), ("*", "ANY", "*")),
    ),
    MultidimensionalGeneralization(
        qid=("Age", "Job"),
        trees={"Job": JOB},
        ranges={"Age": (30, 40)},
        boxes=(("[30-36)", "Engineer"),),
        outside="root",
    ),
]


def table() -> Any:
    return sfumato.from_rows(["Job", "Age", "Size"], ROWS)


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.id)
def test_operations_on_records_do_the_same_again(operation: TableRecoding) -> None:
    document = json.loads(json.dumps(save_recodings({}, {}, [operation])))
    (again,) = load_operations(document)
    assert again == operation
    assert again.apply(table()).to_rows() == operation.apply(table()).to_rows()
    assert json.loads(json.dumps(save_recodings({}, {}, [again]))) == document
    assert load_recodings(document) == ({}, {})


def test_columns_and_records_are_saved_together() -> None:
    types = {name: ColumnType.INTEGER if name == "numbers" else ColumnType.TEXT for name in COLUMNS}
    document = json.loads(json.dumps(save_recodings(COLUMNS, types, OPERATIONS)))
    assert load_recodings(document) == (COLUMNS, types)
    assert load_operations(document) == OPERATIONS


def test_nothing_is_said_of_records_where_there_is_nothing_to_say() -> None:
    document = save_recodings({"a": COLUMNS["full"]}, {"a": ColumnType.TEXT})
    assert set(document) == {"recoding", "columns"}
    assert load_operations(document) == []


def test_every_recoding_of_the_catalogue_is_tried_here() -> None:
    known = {thing.id for thing in things("operation") if issubclass(thing, (ColumnRecoding, TableRecoding))}
    assert known == {recoding.id for recoding in [*COLUMNS.values(), *OPERATIONS]}


def test_what_is_no_saved_recoding_is_refused() -> None:
    with pytest.raises(BadRequest, match="not a saved recoding"):
        load_operations({"records": []})


@given(tree=small_trees, data=st.data())
def test_recodings_of_any_tree_do_the_same_again(tree: Tree, data: st.DataObject) -> None:
    recoding = data.draw(any_of(tree))
    document = json.loads(json.dumps(save_recodings({"c": recoding}, {"c": ColumnType.TEXT})))
    (again,) = load_recodings(document)[0].values()
    assert again == recoding
    assert again.map(tree.leaves).labels == recoding.map(tree.leaves).labels
