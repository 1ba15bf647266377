"""Suppression of values, cells and records."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from sfumato.data.schema import ColumnType
from sfumato.errors import BadRequest, Unsupported
from sfumato.recodings import CellSuppression, GroupSuppression, RecordSuppression, ValueSuppression
from sfumato.recodings.saved import load_recodings, save_recodings
from sfumato.recodings.value_suppression import suppression_count

DOMAIN = ("a", "b", "c", "d")


@given(hidden=st.sets(st.sampled_from(DOMAIN)))
def test_both_forms_say_the_same(hidden: set[str]) -> None:
    shown = tuple(value for value in DOMAIN if value not in hidden)
    forms = [
        ValueSuppression(suppressed=tuple(sorted(hidden)), domain=DOMAIN),
        ValueSuppression(disclosed=shown, domain=DOMAIN),
    ]
    for recoding in forms:
        mapped = recoding.map(DOMAIN)
        assert mapped.labels == tuple("*" if value in hidden else value for value in DOMAIN)
        assert mapped.covered.tolist() == [float(len(hidden)) if value in hidden else 1.0 for value in DOMAIN]
        assert mapped.domain == 4
        assert recoding.identity == (not hidden)
        assert set(recoding.published()) == set(mapped.labels)
        (again,) = load_recodings(json.loads(json.dumps(save_recodings({"c": recoding}, {"c": ColumnType.TEXT}))))[
            0
        ].values()
        assert again == recoding


def test_values_that_came_later() -> None:
    disclosed = ValueSuppression(disclosed=("a",), domain=DOMAIN)
    assert disclosed.map(["a", "z"]).labels == ("a", "*")
    assert disclosed.map(["a", "z"]).outside == (1,)
    suppressed = ValueSuppression(suppressed=("a",), domain=DOMAIN)
    assert suppressed.map(["a", "z"]).labels == ("*", "z")
    assert suppressed.map(["a", "z"], unknown="root").labels == ("*", "*")
    for recoding in (disclosed, suppressed):
        with pytest.raises(BadRequest, match="1 value is new") as caught:
            recoding.map(["a", "z"], column="Job", unknown="refuse")
        assert caught.value.column == "Job"


@pytest.mark.parametrize("given", [{}, {"suppressed": ("a",), "disclosed": ("b",)}])
def test_exactly_one_list_is_needed(given: dict[str, tuple[str, ...]]) -> None:
    with pytest.raises(BadRequest, match="either suppressed or disclosed"):
        ValueSuppression(**given)


def test_typed_values_are_saved_as_text_and_read_back() -> None:
    recoding = ValueSuppression(disclosed=(1, 3), domain=(1, 2, 3))
    saved = json.loads(json.dumps(save_recodings({"n": recoding}, {"n": ColumnType.INTEGER})))
    assert saved["columns"]["n"]["disclosed"] == ["1", "3"]
    assert load_recodings(saved)[0]["n"].map([1, 2, 3]).labels == ("1", "*", "3")


@pytest.mark.parametrize(("values", "states"), [(0, 1), (1, 2), (5, 32), (70, 2**70)])
def test_number_of_states(values: int, states: int) -> None:
    assert suppression_count(values) == states


@given(
    rows=st.lists(st.tuples(st.sampled_from("xy"), st.sampled_from("uv")), min_size=1, max_size=15), k=st.integers(1, 5)
)
def test_record_suppression_keeps_large_groups_in_order(rows: list[tuple[str, str]], k: int) -> None:
    kept = RecordSuppression(qid=("a", "b"), k=k).apply(sfumato.from_rows(["a", "b"], rows)).to_rows()
    assert kept == [row for row in rows if rows.count(row) >= k]


@given(data=st.data())
def test_cell_suppression_touches_its_cells_only(data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.tuples(st.integers(0, 9), st.sampled_from("uv")), min_size=1, max_size=8))
    cells = data.draw(st.sets(st.tuples(st.integers(0, len(rows) - 1), st.sampled_from(["n", "t"])), max_size=6))
    table = sfumato.from_rows(["n", "t"], rows)
    masked = CellSuppression(cells=tuple(sorted(cells)), marker="?").apply(table).to_rows()
    texts = any(name == "n" for _, name in cells)
    for number, (old, new) in enumerate(zip(rows, masked, strict=True)):
        assert new[0] == ("?" if (number, "n") in cells else str(old[0]) if texts else old[0])
        assert new[1] == ("?" if (number, "t") in cells else old[1])
    assert table.to_rows() == rows


@pytest.mark.parametrize(("cell", "rule"), [((0, "z"), "not a column"), ((2, "a"), r"0\.\.1"), ((-1, "a"), r"0\.\.1")])
def test_cells_outside_the_table_are_refused(cell: tuple[int, str], rule: str) -> None:
    table = sfumato.from_rows(["a"], [("x",), ("y",)])
    with pytest.raises(BadRequest, match=rule) as caught:
        CellSuppression(cells=(cell,)).apply(table)
    assert caught.value.parameter == "cell-suppression.cells"


PAIRS = [("x", 1), ("y", 2), ("x", 2), ("x", 1), ("y", None)]


def test_groups_are_named_by_what_is_published_of_them() -> None:
    table = sfumato.from_rows(["t", "n"], PAIRS)
    left = GroupSuppression(qid=("t", "n"), groups=(("x", "1"), ("z", "1"), ("y", "9")))
    assert left.apply(table).to_rows() == [("y", 2), ("x", 2), ("y", None)]
    assert GroupSuppression(qid=("n",), groups=()).apply(table).to_rows() == PAIRS
    assert left.stands_for("n", "1", 1)
    assert not left.stands_for("n", "1", 2)
    assert left.published("n") is None
    assert left.draw() == "3 groups on t, n are left out"


def test_groups_go_on_the_list_and_come_off_it() -> None:
    none = GroupSuppression(qid=("t",), groups=())
    one = none.generalize(("x",))
    two = one.generalize(("a",))
    assert two.groups == (("a",), ("x",))
    assert two.refine(("a",)) == one
    assert none.is_finer_than(one)
    assert not two.is_finer_than(one)
    assert one.common_refinement(two) == one
    with pytest.raises(BadRequest, match="not left out"):
        none.refine(("x",))
    with pytest.raises(BadRequest, match="left out already"):
        one.generalize(("x",))
    with pytest.raises(Unsupported, match="same columns"):
        one.is_finer_than(GroupSuppression(qid=("n",), groups=()))


def test_wrong_groups_are_refused() -> None:
    with pytest.raises(BadRequest, match="2 values") as caught:
        GroupSuppression(qid=("t", "n"), groups=(("x",),))
    assert caught.value.parameter == "group-suppression.groups"
    with pytest.raises(BadRequest, match="not a column"):
        GroupSuppression(qid=("z",), groups=()).apply(sfumato.from_rows(["t", "n"], PAIRS))


def test_masked_records_show_equal_values_alike() -> None:
    """Two ways to write a number are one value, before and after other cells of the column are masked."""
    table = sfumato.from_rows(["n"], [(1.0,), (1.0,), (2.5,)])
    assert CellSuppression(cells=((2, "n"),)).apply(table).to_rows() == [("1",), ("1",), ("*",)]
    masked = RecordSuppression(qid=("n",), k=2, mode="mask").apply(table)
    assert masked.to_rows() == [("1",), ("1",), ("*",)]
