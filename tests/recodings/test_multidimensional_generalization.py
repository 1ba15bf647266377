"""Multidimensional generalization: the first box that holds a record, and what happens to records in none."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from sfumato.engines import get_engine
from sfumato.errors import BadRequest
from sfumato.recodings import FullDomainGeneralization, MultidimensionalGeneralization, SubtreeGeneralization
from sfumato.recodings._records import Records, put_labels

from .conftest import JOB, paths

QID = ("Job", "Age", "Size")
SIZES = ("S", "M", "L")
AGES = {
    "*": (30, 40, True),
    "[30-35)": (30, 35, False),
    "[35-40]": (35, 40, True),
    "[36-38]": (36, 38, True),
    "38": (38, 38, True),
}
RUNS = {"*": SIZES, "S": ("S",), "S..M": ("S", "M"), "M..L": ("M", "L")}
ABOVE = paths(
    {
        "value": "ANY",
        "children": [
            {"value": a, "children": [{"value": b} for b in c]}
            for a, c in (("Professional", ["Engineer", "Lawyer"]), ("Artist", ["Dancer", "Writer"]))
        ],
    }
)
LABELS = sorted({label for path in ABOVE.values() for label in path})
BOXES = st.lists(
    st.tuples(st.sampled_from(LABELS), st.sampled_from(sorted(AGES)), st.sampled_from(sorted(RUNS))), max_size=6
)
ROWS = st.lists(
    st.tuples(st.sampled_from(sorted(ABOVE)), st.integers(30, 40), st.sampled_from(SIZES)), min_size=1, max_size=10
)


def made(boxes: Any, **more: Any) -> MultidimensionalGeneralization:
    return MultidimensionalGeneralization(
        qid=QID, trees={"Job": JOB}, ranges={"Age": (30, 40)}, orders={"Size": SIZES}, boxes=tuple(boxes), **more
    )


def holds(box: tuple[str, str, str], row: tuple[str, int, str]) -> bool:
    low, high, closed = AGES[box[1]]
    return box[0] in ABOVE[row[0]] and (low <= row[1] < high or (closed and row[1] == high)) and row[2] in RUNS[box[2]]


@given(boxes=BOXES, rows=ROWS)
def test_the_first_box_that_holds_a_record_is_published(
    boxes: list[tuple[str, str, str]], rows: list[tuple[str, int, str]]
) -> None:
    table = sfumato.from_rows(QID, rows)
    wanted = [next((box for box in boxes if holds(box, row)), None) for row in rows]
    recoding = made(boxes)
    if None in wanted:
        lost = wanted.count(None)
        with pytest.raises(BadRequest, match=f"{lost} records? lies? in no box") as caught:
            recoding.apply(table)
        assert caught.value.parameter == recoding.id
        with pytest.raises(BadRequest, match="in no box"):
            made(boxes, outside="root").apply(table, unknown="refuse")
    root = ("ANY", "*", "*")
    shown = [box or root for box in wanted]
    for recoded in (recoding.apply(table, unknown="root"), made(boxes, outside="root").apply(table)):
        assert recoded.columns == QID
        assert [tuple(map(str, row)) for row in recoded.to_rows()] == shown
    assert table.to_rows() == rows
    for row, labels in zip(rows, shown, strict=True):
        assert all(recoding.stands_for(name, label, value) for name, label, value in zip(QID, labels, row, strict=True))


@given(boxes=BOXES, rows=ROWS)
def test_equal_records_are_published_alike_in_every_engine(
    boxes: list[tuple[str, str, str]], rows: list[tuple[str, int, str]]
) -> None:
    recoding = made([*boxes, ("ANY", "*", "*")])
    table = sfumato.from_rows(QID, [*rows, *rows])
    shown = recoding.apply(table).to_rows()
    assert shown[: len(rows)] == shown[len(rows) :]


def test_the_same_rows_in_another_engine() -> None:
    rows = [("Engineer", 35, "S"), ("Lawyer", 38, "M"), ("Dancer", 31, "L"), ("Engineer", 35, "S")]
    recoding = made([("Professional", "[35-40]", "S..M"), ("Dancer", "*", "*")])
    frame = sfumato.from_rows(QID, rows).to_native()
    tables = [get_engine(name).open(frame) for name in ("polars", "duckdb")]
    assert recoding.apply(tables[0]).to_rows() == recoding.apply(tables[1]).to_rows()
    assert recoding.apply(tables[1]).to_rows()[1] == ("Professional", "[35-40]", "S..M")


def test_a_box_can_be_an_exception_inside_another() -> None:
    recoding = made([("Engineer", "38", "*"), ("Professional", "*", "*")])
    table = sfumato.from_rows(QID, [("Engineer", 38, "S"), ("Engineer", 35, "S"), ("Lawyer", 38, "L")])
    assert recoding.apply(table).to_rows() == [
        ("Engineer", "38", "*"),
        ("Professional", "*", "*"),
        ("Professional", "*", "*"),
    ]
    assert recoding.mixed_granularity
    assert not made([("Professional", "*", "*"), ("Artist", "*", "*")]).mixed_granularity


def test_columns_in_which_nothing_changes_keep_their_type() -> None:
    table = sfumato.from_rows(["Job", "Age"], [("Engineer", 35), ("Lawyer", 35)])
    recoding = MultidimensionalGeneralization(
        qid=("Job", "Age"), trees={"Job": JOB}, ranges={"Age": (30, 40)}, boxes=(("Professional", "35"),)
    )
    assert recoding.apply(table).to_rows() == [("Professional", 35), ("Professional", 35)]


@given(boxes=BOXES, outside=st.sampled_from(["refuse", "root"]))
def test_a_text_may_appear_if_it_is_among_the_published(boxes: Any, outside: str) -> None:
    recoding = made(boxes, outside=outside)
    for name, root, texts in zip(QID, ("ANY", "*", "*"), (LABELS, sorted(AGES), sorted(RUNS)), strict=True):
        shown = {box[QID.index(name)] for box in boxes} | ({root} if outside == "root" else set())
        assert set(recoding.published(name) or ()) == shown
        for text in (*texts, root, "elsewhere"):
            assert recoding.publishes(name, text) == (text in shown)
    assert recoding.publishes("another column", "anything")


def test_labels_that_are_the_values_themselves_change_nothing() -> None:
    """Not in the order of the values, one of them twice, and one for a missing value."""
    table = sfumato.from_rows(["Age"], [(31,), (None,), (30,)])
    records = Records.of(table, ["Age"])
    for texts, type_ in ((["31", None, "30", "31"], "integer"), (["31", "30", "30", "31"], "text")):
        shown = np.array([3, 1, 2], np.int32)
        assert str(put_labels(table, records, {"Age": (shown, texts)}).types["Age"]) == type_
    alike = put_labels(table, records, {"Age": (np.array([0, -1, 1], np.int32), ["31", "30"])})
    assert alike.to_rows() == table.to_rows()


def test_missing_values_lie_in_no_box() -> None:
    table = sfumato.from_rows(QID, [("Engineer", None, "S"), ("Engineer", 31, "S")])
    recoding = made([("ANY", "[30-35)", "*")])
    with pytest.raises(BadRequest, match="1 record lies in no box"):
        recoding.apply(table)
    assert recoding.apply(table, unknown="root").to_rows() == [("ANY", "*", "*"), ("ANY", "[30-35)", "*")]


def test_recoded_rows_are_not_recoded_again() -> None:
    table = sfumato.from_rows(QID, [("Engineer", 31, "S")])
    recoding = made([("Professional", "[30-35)", "*")])
    with pytest.raises(BadRequest, match="in no box"):
        recoding.apply(recoding.apply(table))


def test_products_of_cuts_are_boxes() -> None:
    """A single-dimensional recoding is a multidimensional one, with the same rows and the same numbers for metrics."""
    rows = [(job, sex) for job in ("Engineer", "Engineer", "Lawyer", "Dancer") for sex in ("Male", "Female", "Female")]
    trees = {"Job": JOB, "Sex": {"*": ["Male", "Female"]}}
    table = sfumato.from_rows(["Job", "Sex"], rows)
    columns = {
        "Job": SubtreeGeneralization(tree=JOB, cut=("Professional", "Dancer", "Writer")),
        "Sex": FullDomainGeneralization(tree=trees["Sex"], level=1),
    }
    boxes = tuple((job, "*") for job in columns["Job"].published())
    recoding = MultidimensionalGeneralization(qid=("Job", "Sex"), trees=trees, boxes=boxes)
    single = sfumato.recode(table, columns)
    assert recoding.apply(table).to_rows() == single.table.to_rows()
    found = recoding.stats(table)
    for metric in ("loss", "minimal-distortion", "discernibility", "iloss"):
        wanted = sfumato.measure(table, single, metric)
        thing = sfumato.catalogue.build(metric, "metric")
        assert thing.measure(found).value == pytest.approx(wanted.value)


def test_spec_through_json() -> None:
    recoding = made([("Professional", "[30-35)", "S..M")], outside="root")
    again = MultidimensionalGeneralization.from_spec(json.loads(json.dumps(recoding.spec())))
    assert again == recoding


@pytest.mark.parametrize(
    ("change", "parameter", "rule"),
    [
        ({"boxes": (("ANY", "*"),)}, "boxes", "3 labels"),
        ({"boxes": (("Surgeon", "*", "*"),)}, "boxes", "not a label"),
        ({"boxes": (("ANY", "[30-45)", "*"),)}, "boxes", "not a label"),
        ({"boxes": (("ANY", "young", "*"),)}, "boxes", "not a label"),
        ({"boxes": (("ANY", "*", "M..S"),)}, "boxes", "not a label"),
        ({"qid": ("Job", "Age")}, "qid", "once"),
        ({"qid": ("Job", "Age", "Size", "Zip")}, "qid", "needs a tree"),
        ({"ranges": {"Age": (40, 30)}}, "ranges", "two numbers"),
        ({"ranges": {"Age": "old"}}, "ranges", "two numbers"),
        ({"orders": {"Size": ("S", "S")}}, "orders", "different values"),
        ({"orders": {"Size": ("S..M", "L")}}, "orders", "different values"),
        ({"orders": {"Size": "SML"}}, "orders", "different values"),
        ({"trees": {"Job": 5}}, "trees", "must be a tree"),
        ({"outside": "drop"}, "outside", "choices"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(change: dict[str, Any], parameter: str, rule: str) -> None:
    good = {
        "qid": QID,
        "trees": {"Job": JOB},
        "ranges": {"Age": (30, 40)},
        "orders": {"Size": SIZES},
        "boxes": (("ANY", "*", "*"),),
    }
    MultidimensionalGeneralization(**good)
    with pytest.raises(BadRequest, match=rule) as caught:
        MultidimensionalGeneralization(**{**good, **change})
    assert caught.value.parameter == f"multidimensional-generalization.{parameter}"


def test_a_column_has_one_scale() -> None:
    with pytest.raises(BadRequest, match="more than one") as caught:
        MultidimensionalGeneralization(
            qid=("Job",), trees={"Job": JOB}, orders={"Job": ("Engineer", "Lawyer")}, boxes=(("ANY",),)
        )
    assert caught.value.column == "Job"


def test_a_table_without_a_column_is_refused() -> None:
    with pytest.raises(BadRequest, match="not a column") as caught:
        made([("ANY", "*", "*")]).apply(sfumato.from_rows(["Job"], [("Engineer",)]))
    assert caught.value.available == ["Job"]
