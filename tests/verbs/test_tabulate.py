"""Tables of counts and sums: which cells are left empty, by hand; complementary suppression; the log; the written release."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from oracles.naive_sanitization import dominated, lonely
from sfumato.errors import BadRequest, Unsupported
from sfumato.models import QuerySizeOverlapControl
from sfumato.releases.statistical_table import StatisticalTable, complementary, lonely_lines

ROWS = [
    ("north", "cook", 10),
    ("north", "cook", 12),
    ("north", "cook", 9),
    ("north", "clerk", 90),
    ("south", "cook", 8),
]
ROWS += [
    ("south", "cook", 9),
    ("south", "cook", 8),
    ("south", "clerk", 20),
    ("south", "clerk", 19),
    ("south", "clerk", 21),
]


def table(rows: Sequence[Any] = ROWS) -> Any:
    return sfumato.from_rows(["area", "job", "pay"], rows)


rows_of_pay = st.lists(
    st.tuples(st.sampled_from(["n", "s", "e"]), st.sampled_from(["a", "b"]), st.integers(0, 99)),
    min_size=1,
    max_size=30,
)


@settings(max_examples=80, deadline=None)
@given(rows=rows_of_pay, n=st.integers(1, 3), k=st.integers(30, 100), least=st.integers(1, 4))
def test_cells_by_hand(rows: list[Any], n: int, k: int, least: int) -> None:
    made = sfumato.tabulate(table(rows), ["area", "job"], sum="pay", dominance=(n, k), min_size=least)
    held: dict[Any, list[int]] = {}
    for area, job, pay in rows:
        held.setdefault((area, job), []).append(pay)
    wanted = {}
    for cell, pays in held.items():
        hidden = dominated(pays, n, k) or not least <= len(pays) <= len(rows) - least
        wanted[cell] = (None, None) if hidden else (len(pays), sum(pays))
    assert {row[:2]: row[2:] for row in made.table.to_rows()} == wanted
    gone = sum(value == (None, None) for value in wanted.values())
    assert made.certificate["guarantee"]["suppressed_cells"] == gone
    assert sum(made.private.facts["suppressed"].values()) == gone
    alone = lonely({cell: value == (None, None) for cell, value in wanted.items()})
    assert any("exactly one empty cell" in text for text in made.warnings) is bool(alone)


@settings(max_examples=100)
@given(data=st.data(), a=st.integers(1, 4), b=st.integers(1, 4))
def test_no_line_is_left_with_one_empty_cell(data: Any, a: int, b: int) -> None:
    cells = [cell for cell in product(range(a), range(b)) if data.draw(st.integers(0, 9))]
    if not cells:
        return
    hidden = np.array([data.draw(st.integers(0, 3)) == 0 for _ in cells], bool)
    weights = [data.draw(st.integers(1, 9)) for _ in cells]
    assert lonely_lines(cells, hidden) == lonely(dict(zip(cells, hidden.tolist(), strict=True)))
    after = complementary(cells, hidden, weights)
    assert (after | ~hidden).all()
    assert lonely_lines(cells, after) == 0
    if not lonely_lines(cells, hidden):
        assert (after == hidden).all()


def test_complementary_cells_are_left_out_and_said() -> None:
    warned = sfumato.tabulate(table(), ["area", "job"], sum="pay")
    assert [row[2] for row in warned.table.to_rows()] == [None, 3, 3, 3]
    assert any("2 lines" in text for text in warned.warnings)
    hidden = sfumato.tabulate(table(), ["area", "job"], sum="pay", complement="suppress")
    assert [row[2] for row in hidden.table.to_rows()] == [None] * 4
    assert hidden.private.facts["suppressed"] == {"complement": 3, "dominance": 1}
    assert hidden.certificate["guarantee"] == {"smallest_cell": 0, "suppressed_cells": 4}


def test_counts_alone_need_a_size() -> None:
    made = sfumato.tabulate(table(), "job", min_size=4)
    assert made.table.to_rows() == [("clerk", 4), ("cook", 6)]
    assert made.verdict.satisfied
    with pytest.raises(BadRequest, match="needs a rule"):
        sfumato.tabulate(table(), "job")
    with pytest.raises(BadRequest, match="needs a rule"):
        sfumato.tabulate(table(), "job", sum="pay", dominance=None)


def test_queries_that_overlap_earlier_ones_are_left_empty(tmp_path: Path) -> None:
    log = tmp_path / "log.json"
    first = sfumato.tabulate(table(), "area", min_size=2, overlap=3, log=log)
    assert [row[1] for row in first.table.to_rows()] == [4, 6]
    second = sfumato.tabulate(table(), "job", min_size=2, overlap=3, log=log)
    # Three of the cooks are in the north and three in the south, as are one and three of the clerks.
    assert [row[1] for row in second.table.to_rows()] == [4, 6]
    third = sfumato.tabulate(table(), ["area", "job"], min_size=1, overlap=2, log=log)
    assert [row[2] for row in third.table.to_rows()] == [1, None, None, None]
    assert third.private.facts["suppressed"] == {"overlap": 3}
    document = json.loads(log.read_text())
    assert [entry["refused"] is None for entry in document["queries"]] == [True] * 5 + [False] * 3
    assert document["queries"][4]["records"] == [3]
    with pytest.raises(BadRequest, match="belongs to a table of 10 records"):
        sfumato.tabulate(table(ROWS[:5]), "area", min_size=1, log=log)
    log.write_text("no log")
    with pytest.raises(BadRequest, match="not a log"):
        sfumato.tabulate(table(), "area", min_size=1, log=log)


def test_a_log_in_memory_and_cells_that_hide_others() -> None:
    log = QuerySizeOverlapControl(m=1).log(rows=len(ROWS))
    sfumato.tabulate(table(), ["area", "job"], sum="pay", min_size=1, complement="suppress", log=log)
    said = [entry.refused for entry in log.entries]
    assert [text is None for text in said] == [False] * 4
    assert sum("largest" in str(text) for text in said) == 1
    assert sum("hide another" in str(text) for text in said) == 3


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_written_verified_and_told(engine: str, tmp_path: Path) -> None:
    held = table() if engine == "polars" else sfumato.read(table().to_native(), engine="duckdb")
    made = sfumato.tabulate(held, ["area", "job"], sum="pay", min_size=2)
    out = sfumato.publish(made, tmp_path / "out")
    assert sfumato.verify(out)
    page = (out / "private" / "report.html").read_text()
    assert "Cells left empty" in page
    text = (out / "public" / "data.csv").read_text()
    assert "90" not in text
    certificate = json.loads((out / "public" / "certificate.json").read_text())
    assert "records_read" not in certificate["counts"]
    assert any("80 percent" in said for said in certificate["statement"]["not_checkable"])


def test_sums_do_not_depend_on_the_order_of_records() -> None:
    rows = [("n", "a", 0.1 * i) for i in range(50)]
    one = sfumato.tabulate(table(rows), "area", sum="pay").table.to_rows()
    assert one == sfumato.tabulate(table(rows[::-1]), "area", sum="pay").table.to_rows()


@pytest.mark.parametrize(
    "wrong",
    [
        {"by": "nothing", "min_size": 2},
        {"by": [], "min_size": 2},
        {"by": "area", "sum": "area"},
        {"by": "area", "sum": "job"},
        {"by": "area", "sum": "pay", "dominance": (0, 80)},
        {"by": "area", "sum": "pay", "dominance": (2, 0)},
        {"by": "area", "min_size": 0},
        {"by": "area", "min_size": 2, "overlap": 1},
        {"by": "area", "sum": "pay", "log": "x.json"},
        {"by": "area", "min_size": 2, "complement": "maybe"},
    ],
)
def test_requests_that_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadRequest):
        sfumato.tabulate(table(), wrong.pop("by"), **wrong)


def test_negative_contributions_are_refused() -> None:
    with pytest.raises(BadRequest, match="negative"):
        sfumato.tabulate(table([*ROWS, ("north", "cook", -5)]), "area", sum="pay")


def test_the_kind_refuses_tables_that_are_none() -> None:
    kind = StatisticalTable(by=("area",), least=2)
    for rows in ([("n", 1)], [("n", 3), ("n", 4)], [("n", 2.5)]):
        with pytest.raises(BadRequest):
            kind.verify(sfumato.from_rows(["area", "Count"], rows), [], [])
    with pytest.raises(BadRequest):
        kind.verify(sfumato.from_rows(["area", "N"], [("n", 3)]), [], [])
    with pytest.raises(BadRequest, match="total gives away"):
        StatisticalTable(by=("area",), complement="suppress").verify(
            sfumato.from_rows(["area", "Count"], [("n", 3), ("s", None)]), [], []
        )
    with pytest.raises(BadRequest, match="in part"):
        StatisticalTable(by=("area",), total="pay").verify(
            sfumato.from_rows(["area", "Count", "Sum"], [("n", 3, None), ("s", 4, 5)]), [], []
        )
    for bad in ({"by": ()}, {"by": ("Count",)}, {"by": ("a",), "n": 2}):
        with pytest.raises(BadRequest):
            StatisticalTable(**bad)  # type: ignore[arg-type]


def test_by_the_verb_of_all_kinds() -> None:
    made = sfumato.release(table(), "statistical-table", qid="area", sensitive="pay", min_size=2)
    assert made.table.to_rows() == sfumato.tabulate(table(), "area", sum="pay", min_size=2).table.to_rows()
    with pytest.raises(Unsupported):
        sfumato.release(
            table(), "statistical-table", qid="area", requirements={"id": "k-anonymity", "k": 2}, min_size=2
        )
