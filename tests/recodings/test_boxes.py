"""Boxes: the first one that holds a point, however many there are and however they lie."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.naive_cells import first_that_holds
from sfumato.recodings import _boxes as boxes
from sfumato.recodings._boxes import first_box

Codes = npt.NDArray[np.int32]


def naive(points: Codes, low: Codes, high: Codes) -> list[int]:
    return [first_that_holds(point, low.tolist(), high.tolist()) for point in points.tolist()]


def random_boxes(rng: np.random.Generator, count: int, columns: int, room: int, width: int) -> tuple[Codes, Codes]:
    low = rng.integers(0, room, (count, columns)).astype(np.int32)
    return low, low + rng.integers(0, width, (count, columns)).astype(np.int32)


@pytest.fixture(params=["few at a time", "as set"])
def _sizes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Share out small tables as well, so that cuts are tried too."""
    if request.param == "few at a time":
        monkeypatch.setattr(boxes, "_FEW", 1)
        monkeypatch.setattr(boxes, "_SMALL", 2)
        monkeypatch.setattr(boxes, "_PORTION", 16)


@pytest.mark.usefixtures("_sizes")
@pytest.mark.parametrize("width", [2, 5, 12])
def test_overlapping_boxes(width: int) -> None:
    rng = np.random.default_rng(width)
    for columns in (1, 2, 4):
        low, high = random_boxes(rng, 40, columns, 12, width)
        points = rng.integers(-1, 14, (150, columns)).astype(np.int32)
        assert first_box(points, low, high).tolist() == naive(points, low, high)


@pytest.mark.usefixtures("_sizes")
def test_a_partition_with_exceptions_before_and_a_refuge_behind() -> None:
    grid = np.array([(x, y) for x in range(0, 30, 3) for y in range(0, 30, 5)], np.int32)
    low = np.concatenate([[[4, 4], [4, 5]], grid, [[0, 0]]]).astype(np.int32)
    high = np.concatenate([[[5, 5], [6, 6]], grid + np.array([3, 5]), [[99, 99]]]).astype(np.int32)
    points = np.array([(x, y) for x in range(32) for y in range(32)], np.int32)
    found = first_box(points, low, high)
    assert found.tolist() == naive(points, low, high)
    assert {0, 1, len(low) - 1} <= set(found.tolist())


def test_many_disjoint_boxes_are_shared_out() -> None:
    """A point meets a few boxes only: the cut along edges leaves no more than that to be tried."""
    edges = np.arange(0, 4_000, 2, dtype=np.int32)
    low = np.column_stack([edges, np.zeros_like(edges)])
    high = np.column_stack([edges + 2, np.full_like(edges, 9)])
    points = np.column_stack([np.arange(4_000, dtype=np.int32), np.arange(4_000, dtype=np.int32) % 12])
    tried: list[int] = []
    try_all = boxes._try_all

    def counted(*given: object) -> None:
        tried.append(len(given[2]) * len(given[5]))  # type: ignore[arg-type]
        try_all(*given)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(boxes, "_try_all", counted)
        found = first_box(points, low, high)
    assert found.tolist() == [x // 2 if x % 12 < 9 else -1 for x in range(4_000)]
    assert sum(tried) < 100 * len(points)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_small_cases(data: st.DataObject) -> None:
    columns = data.draw(st.integers(1, 3))
    side = st.lists(st.integers(-1, 6), min_size=columns, max_size=columns)
    low, high = (
        np.array(part, np.int32).reshape(-1, columns)
        for part in (zip(*data.draw(st.lists(st.tuples(side, side), min_size=1, max_size=6)), strict=True))
    )
    points = np.array(data.draw(st.lists(side, max_size=8)), np.int32).reshape(-1, columns)
    wanted = [
        -1 if min(point) < 0 else first_that_holds(point, low.tolist(), high.tolist()) for point in points.tolist()
    ]
    assert first_box(points, low, high).tolist() == wanted


def test_no_boxes_and_no_points() -> None:
    nothing = np.empty((0, 2), np.int32)
    assert first_box(np.zeros((3, 2), np.int32), nothing, nothing).tolist() == [-1, -1, -1]
    assert first_box(nothing, np.zeros((1, 2), np.int32), np.ones((1, 2), np.int32)).tolist() == []
