"""Histogram releases: boxes hold their records and do not overlap."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sfumato
from sfumato.errors import BadRequest
from sfumato.models import DistinctLDiversity, KAnonymity
from sfumato.releases import HistogramRelease

ROWS = [(1, 0.5), (2, 1.5), (6, 0.5), (7, 3.5), (7, 2.5)]


def test_bounding_boxes_and_given_boxes() -> None:
    table = sfumato.from_rows(["X", "Y"], ROWS)
    made = HistogramRelease.build(table, [1, 1, 2, 2, 2], ["X", "Y"])
    assert made.tables["data"].columns == ("X from", "X to", "Y from", "Y to", "Count")
    assert made.tables["data"].to_rows() == [(1, 2, 0.5, 1.5, 2), (6, 7, 0.5, 3.5, 3)]
    boxes = {1: [(0, 4), (0, 4)], 2: [(4, 8), (0, 4)]}
    cells = HistogramRelease.build(table, [1, 1, 2, 2, 2], ["X", "Y"], boxes=boxes)
    assert cells.tables["data"].to_rows() == [(0, 4, 0.0, 4.0, 2), (4, 8, 0.0, 4.0, 3)]
    assert cells.guarantee() == {"smallest_count": 2, "records": 5}
    (verdict,) = cells.kind.verify(cells.tables, [KAnonymity(k=2)], [])
    assert (verdict.satisfied, verdict.strongest, verdict.records) == (True, 2, 5)
    with pytest.raises(BadRequest, match="lack the histogram"):
        cells.kind.verify(cells.tables, [DistinctLDiversity(l=2, sensitive="S")], [])


def test_overlap_is_found_like_by_hand() -> None:
    rng = np.random.default_rng(4)
    kind = HistogramRelease(qid=("X", "Y"))
    seen = set()
    for _ in range(200):
        low = rng.integers(0, 6, (int(rng.integers(1, 4)), 2))
        boxes = [(*corner, *(corner + rng.integers(1, 4, 2))) for corner in low]
        rows = [(int(a), int(c), int(b), int(d), 1) for a, b, c, d in boxes]
        table = sfumato.from_rows(["X from", "X to", "Y from", "Y to", "Count"], rows)
        # Unit squares inside a box: two boxes of whole numbers overlap if they share one.
        squares = [{(x, y) for x in range(a, c) for y in range(b, d)} for a, c, b, d, _ in rows]
        overlap = any(one & two for at, one in enumerate(squares) for two in squares[:at])
        seen.add(overlap)
        if overlap:
            with pytest.raises(BadRequest, match="overlap"):
                kind.verify(table, [], [])
        else:
            assert kind.verify(table, [], []) == []
    assert seen == {True, False}


def test_many_boxes_are_compared_in_blocks() -> None:
    rows = [(at, at + 1, 1) for at in range(600)]
    columns = ["X from", "X to", "Count"]
    kind = HistogramRelease(qid=("X",))
    assert len(kind.groups(sfumato.from_rows(columns, rows))) == 600
    with pytest.raises(BadRequest, match="overlap"):
        kind.groups(sfumato.from_rows(columns, [*rows[:-1], (10, 12, 1)]))


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([(0, 4, 2), (0, 4, 1)], "overlap"),
        ([(4, 0, 2)], "ends before it begins"),
        ([(0, 4, 0)], "positive whole"),
        ([(0, 4, 1.5)], "positive whole"),
        ([(0, 4, None), (4, 5, 1)], "missing"),
        ([(0, 4, 1), (3, 5, 1)], "overlap"),
        ([(0, 4, 1), (2, 2, 1)], "overlap"),
    ],
)
def test_tables_that_are_no_histogram_are_refused(rows: list[Any], says: str) -> None:
    table = sfumato.from_rows(["X from", "X to", "Count"], rows)
    with pytest.raises(BadRequest, match=says):
        HistogramRelease(qid=("X",)).verify(table, [], [])


def test_wrong_requests_are_refused() -> None:
    table = sfumato.from_rows(["X", "Job"], [(1, "a"), (5, "b")])
    with pytest.raises(BadRequest, match="must hold numbers"):
        HistogramRelease.build(table, [1, 2], ["Job"])
    with pytest.raises(BadRequest, match="a box for every group"):
        HistogramRelease.build(table, [1, 2], ["X"], boxes={1: [(0, 4)]})
    with pytest.raises(BadRequest, match="1 record lies outside"):
        HistogramRelease.build(table, [1, 2], ["X"], boxes={1: [(0, 4)], 2: [(6, 8)]})
    with pytest.raises(BadRequest, match=r"\(from, to\) for every column"):
        HistogramRelease.build(table, [1, 2], ["X"], boxes={1: [(0, 4), (1, 2)], 2: [(4, 8)]})
    with pytest.raises(BadRequest, match="overlap"):
        HistogramRelease.build(sfumato.from_rows(["X"], [(1,), (3,), (2,), (4,)]), [1, 1, 2, 2], ["X"])
