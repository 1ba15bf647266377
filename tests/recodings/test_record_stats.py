"""Records as codes, and what metrics read of recoded records, against counting cell by cell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from oracles.naive_cells import Cells
from sfumato.contracts.recoding import TableRecoding
from sfumato.data.schema import ColumnType
from sfumato.data.text import to_text
from sfumato.engines import get_engine
from sfumato.errors import InternalError
from sfumato.groups.published import PublishedStats
from sfumato.recodings import (
    CellGeneralization,
    CellSuppression,
    GroupSuppression,
    MultidimensionalGeneralization,
    RecordSuppression,
)
from sfumato.recodings._records import Records, own_labels, pair_counts, put_labels
from sfumato.recodings.scales import flat_scale

from .conftest import JOB

QID = ("Job", "Age", "Size")
SIZES = ("S", "M", "L")
JOBS = ("Engineer", "Lawyer", "Dancer", "Writer")
Row = tuple[Any, ...]
ROWS = st.lists(st.tuples(st.sampled_from(JOBS), st.integers(30, 40), st.sampled_from(SIZES)), min_size=1, max_size=12)
BOXES = st.lists(
    st.tuples(
        st.sampled_from(["Professional", "Artist", "ANY", "Dancer"]),
        st.sampled_from(["[30-35)", "[33-38]", "*", "36"]),
        st.sampled_from(["S", "S..M", "*"]),
    ),
    max_size=4,
)


def boxed(boxes: Sequence[Row], **more: Any) -> MultidimensionalGeneralization:
    return MultidimensionalGeneralization(
        qid=QID, trees={"Job": JOB}, ranges={"Age": (30, 40)}, orders={"Size": SIZES}, boxes=tuple(boxes), **more
    )


def agree(found: PublishedStats, cells: Cells) -> None:
    """Compare the numbers with those counted cell by cell."""
    dropped = [row for row, new in zip(cells.rows, cells.shown, strict=True) if new is None]
    assert (found.records, found.suppressed) == (len(cells.rows), len(dropped))
    sizes = {tuple(map(to_text, key)): size for key, size in found.groups.as_dict().items()}
    assert sizes == Counter(new for new in cells.shown if new is not None)
    keys = [tuple(map(to_text, found.groups.key(group))) for group in range(len(found.groups))]
    for at, (name, scale) in enumerate(cells.scales.items()):
        stats = found.attributes[name]
        kept = stats.count > 0
        columns = (stats.covered, stats.climbed, stats.root_climb, stats.count)
        assert Counter(zip(*(column[kept].tolist() for column in columns), strict=True)) == cells.pairs(at)
        assert len(set(stats.label[kept].tolist())) == len({new[at] for new in cells.shown if new is not None})
        assert stats.domain == scale.domain
        assert int(stats.suppressed.sum()) == len(dropped)
        assert dict(zip(keys, found.group_cover[:, at].tolist(), strict=True)) == cells.cover(at)
        occurring = len({row[at] for row in cells.rows})
        assert found.cover_domain[at] == (occurring if scale.continuous else scale.domain)
        if dropped:
            assert found.suppressed_climb[name] == sum(max(scale.climbs(row[at], scale.root)[1], 0) for row in dropped)
    named = [None if group < 0 else keys[group] for group in found.raw_group.tolist()]
    assert Counter(zip(named, found.raw_sizes.tolist(), strict=True)) == cells.raw_groups()
    assert sorted(found.suppressed_sizes.tolist()) == sorted(Counter(dropped).values())


@settings(max_examples=60, deadline=None)
@given(boxes=BOXES, rows=ROWS)
def test_boxes(boxes: list[Row], rows: list[Row]) -> None:
    recoding = boxed([*boxes, ("ANY", "*", "*")])
    table = sfumato.from_rows(QID, rows)
    shown = [tuple(map(to_text, row)) for row in recoding.apply(table).to_rows()]
    agree(recoding.stats(table), Cells(rows, shown, recoding.scales))


@settings(max_examples=40, deadline=None)
@given(rows=ROWS, data=st.data())
def test_cells(rows: list[Row], data: st.DataObject) -> None:
    above = {"Job": "ANY", "Age": "[30-40]", "Size": "S..L"}
    chosen = data.draw(
        st.sets(st.tuples(st.integers(0, len(rows) - 1), st.sampled_from(["Job", "Age", "Size"])), max_size=8)
    )
    recoding = CellGeneralization(
        trees={"Job": JOB},
        ranges={"Age": (30, 40)},
        orders={"Size": SIZES},
        cells=tuple((row, name, above[name]) for row, name in sorted(chosen)),
    )
    shown = [
        tuple(above[name] if (number, name) in chosen else str(value) for name, value in zip(QID, row, strict=True))
        for number, row in enumerate(rows)
    ]
    table = sfumato.from_rows(QID, rows)
    assert [tuple(map(str, row)) for row in recoding.apply(table).to_rows()] == shown
    agree(recoding.stats(table), Cells(rows, shown, recoding.scales))


def suppressed(operation: TableRecoding, rows: list[Row], shown: list[Row | None]) -> None:
    table = sfumato.from_rows(QID, rows)
    scales = {name: flat_scale(table.dictionary(name).values, "*") for name in QID}
    agree(operation.stats(table, qid=QID), Cells(rows, shown, scales))


@settings(max_examples=40, deadline=None)
@given(rows=ROWS, data=st.data())
def test_suppression(rows: list[Row], data: st.DataObject) -> None:
    texts = [tuple(map(str, row)) for row in rows]
    gone = data.draw(st.sets(st.sampled_from(texts)))
    groups = GroupSuppression(qid=QID, groups=tuple(sorted(gone)))
    suppressed(groups, rows, [None if row in gone else row for row in texts])
    small = {row for row in texts if texts.count(row) < 2}
    suppressed(RecordSuppression(qid=QID, k=2), rows, [None if row in small else row for row in texts])
    masked = RecordSuppression(qid=QID, k=2, mode="mask")
    suppressed(masked, rows, [("*", "*", "*") if row in small else row for row in texts])
    cells = data.draw(st.sets(st.tuples(st.integers(0, len(rows) - 1), st.sampled_from(QID))))
    starred = [
        tuple("*" if (number, name) in cells else text for name, text in zip(QID, row, strict=True))
        for number, row in enumerate(texts)
    ]
    suppressed(CellSuppression(cells=tuple(sorted(cells))), rows, starred)  # type: ignore[arg-type]


def test_of_numbers_the_values_that_occur_are_counted() -> None:
    table = sfumato.from_rows(["Age"], [(30,), (30,), (31,), (39,)])
    recoding = MultidimensionalGeneralization(qid=("Age",), ranges={"Age": (0, 99)}, boxes=(("[0-35)",), ("[35-99]",)))
    found = recoding.stats(table)
    assert found.groups.as_dict() == {("[0-35)",): 3, ("[35-99]",): 1}
    assert found.group_cover.tolist() == [[2.0], [1.0]]
    assert found.cover_domain.tolist() == [3.0]
    assert found.attributes["Age"].domain == 99


def test_missing_values_and_the_refuge() -> None:
    table = sfumato.from_rows(["Job", "Age"], [("Engineer", None), ("Engineer", 31), (None, 31)])
    recoding = MultidimensionalGeneralization(
        qid=("Job", "Age"),
        trees={"Job": JOB},
        ranges={"Age": (30, 40)},
        boxes=(("Engineer", "[30-35)"),),
        outside="root",
    )
    found = recoding.stats(table)
    assert found.groups.as_dict() == {("ANY", "*"): 2, ("Engineer", "[30-35)"): 1}
    assert found.attributes["Job"].count.sum() == 3
    cells = CellGeneralization(trees={"Job": JOB}, cells=((0, "Job", "Professional"),))
    kept = cells.stats(table)
    assert kept.groups.as_dict() == {(None,): 1, ("Engineer",): 1, ("Professional",): 1}
    assert kept.attributes["Job"].count.sum() == 2
    assert np.isnan(kept.group_cover[0, 0])


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_the_same_numbers_in_every_engine(engine: str) -> None:
    rows = [("Engineer", 35, "S"), ("Lawyer", 38, "M"), ("Dancer", 31, "L"), ("Engineer", 35, "S")]
    table = get_engine(engine).open(sfumato.from_rows(QID, rows).to_native())
    recoding = boxed([("Professional", "[33-38]", "S..M"), ("ANY", "*", "*")])
    shown = [tuple(map(to_text, row)) for row in recoding.apply(table).to_rows()]
    agree(recoding.stats(table), Cells(rows, shown, recoding.scales))


# ---- what a search knows -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kept", [0, 100], ids=["counted anew each time", "counts are kept"])
def test_a_search_may_say_which_box_a_record_lies_in(monkeypatch: pytest.MonkeyPatch, kept: int) -> None:
    monkeypatch.setattr("sfumato.contracts.engine.KEPT_NUMBERS", kept)
    rows = [("Engineer", 31, "S"), ("Dancer", 36, "L"), ("Lawyer", 34, "M")]
    table = sfumato.from_rows(QID, rows)
    boxes = [("Professional", "[30-35)", "*"), ("Artist", "*", "*")]
    wanted = boxed(boxes).apply(table).to_rows()
    recoding = boxed(boxes)
    recoding.remember(table, [1, 0, 0])  # in the order of the records: Dancer, Engineer, Lawyer

    def refused(*given: Any) -> Any:
        raise AssertionError("looked for a box that was known")

    monkeypatch.setattr(MultidimensionalGeneralization, "_find", refused)
    assert recoding.apply(table).to_rows() == wanted
    assert recoding.stats(table).groups.as_dict() == {boxes[0]: 2, boxes[1]: 1}
    assert recoding == boxed(boxes)
    with pytest.raises(AssertionError, match="looked for"):
        recoding.apply(sfumato.from_rows(QID, rows))


@pytest.mark.parametrize("given_boxes", [[0, 0, 0], [0, 1], [0, 1, 2], [0, 1, -1], [[0], [1], [0]]])
def test_what_a_search_says_must_be_true(given_boxes: Any) -> None:
    table = sfumato.from_rows(QID, [("Engineer", 31, "S"), ("Dancer", 36, "L"), ("Lawyer", 34, "M")])
    with pytest.raises(InternalError):
        boxed([("Professional", "[30-35)", "*"), ("Artist", "*", "*")]).remember(table, given_boxes)


# ---- what may be published -----------------------------------------------------------------------------------------------


def test_labels_that_boxes_publish() -> None:
    recoding = boxed([("Professional", "[30-35)", "*"), ("Artist", "[30-35)", "S")])
    assert recoding.published("Job") == ("Professional", "Artist")
    assert recoding.published("Age") == ("[30-35)",)
    assert recoding.published("Zip") is None
    assert boxed(recoding.boxes, outside="root").published("Job") == ("Professional", "Artist", "ANY")
    assert recoding.publishes("Size", "S")
    assert not recoding.publishes("Size", "M")
    assert recoding.publishes("Zip", "anything")


def test_labels_that_cells_publish() -> None:
    recoding = CellGeneralization(trees={"Job": JOB}, ranges={"Age": (30, 40)}, cells=((0, "Job", "Professional"),))
    assert all(recoding.publishes("Job", label) for label in ("Professional", "Engineer", "Dancer"))
    assert not any(recoding.publishes("Job", label) for label in ("Artist", "ANY", "Plumber"))
    assert recoding.publishes("Age", "37.5")
    assert not recoding.publishes("Age", "[30-35)")
    assert recoding.publishes("Zip", "anything")
    assert CellSuppression(cells=()).publishes("Job", "anything")


# ---- records -------------------------------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(rows=st.lists(st.tuples(st.sampled_from(["b", "a", None]), st.sampled_from([2, 1, None])), max_size=12))
def test_distinct_records_stand_in_the_order_of_groups(rows: list[Row]) -> None:
    table = sfumato.from_rows(["t", "n"], [*rows, ("b", 2)])
    records = Records.of(table, ["t", "n"])
    first, number = records.distinct
    groups = table.groups(["t", "n"])
    assert [records.row(place) for place in first.tolist()] == [groups.key(group) for group in range(len(groups))]
    assert np.bincount(number).tolist() == groups.sizes.tolist()
    wanted = [("b", 2), ("a", None), ("z", 1)]
    assert records.among(wanted).tolist() == [row in wanted for row in [*rows, ("b", 2)]]
    again = Records.from_rows(["t", "n"], rows)
    assert [again.row(place) for place in range(len(rows))] == rows


def test_records_whose_codes_outgrow_a_word() -> None:
    rng = np.random.default_rng(3)
    values = rng.integers(0, 300, (500, 9))
    rows = [tuple(row) for row in np.concatenate([values, values[:200]]).tolist()]
    table = sfumato.from_rows([f"c{at}" for at in range(9)], rows)
    first, number = Records.of(table, table.columns).distinct
    assert [rows[place] for place in first.tolist()] == sorted(set(rows))
    assert np.bincount(number).tolist() == [rows.count(row) for row in sorted(set(rows))]


def test_columns_in_which_nothing_changes_keep_their_type() -> None:
    table = sfumato.from_rows(["Age", "Zip"], [(30, 7), (None, 7)])
    records = Records.of(table, ["Age", "Zip"])
    labels = own_labels(records)
    same = put_labels(table, records, labels)
    assert same.to_rows() == table.to_rows()
    other = put_labels(table, records, {**labels, "Zip": (np.array([0, 1], np.int32), ["7", "*"])})
    assert other.to_rows() == [(30, "7"), (None, "*")]
    assert other.types["Age"] is ColumnType.INTEGER
    filled = put_labels(table, records, {**labels, "Age": (np.array([0, 1], np.int32), ["30", "*"])})
    assert filled.to_rows() == [("30", 7), ("*", 7)]


def test_pairs_are_counted_alike_in_small_and_large_domains(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    one, two = (rng.integers(-1, 5, 200).astype(np.int32) for _ in range(2))
    counted = pair_counts(one, two, 5)
    assert dict(zip(counted[0], counted[1].tolist(), strict=True)) == Counter(
        zip(one.tolist(), two.tolist(), strict=True)
    )
    monkeypatch.setattr("sfumato.recodings._records._COUNTED", 0)
    again = pair_counts(one, two, 5)
    assert again[0] == counted[0]
    assert again[1].tolist() == counted[1].tolist()
