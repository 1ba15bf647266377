"""Combinations of a few values, counted in tables and row by row, against counting each of them by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato.models._combination_counts as counting
from sfumato.models._combination_counts import CombinationCounts, Counted, Secret

# Room for tables: none at all, a little, plenty; and bits in which codes are packed: hardly any, plenty.
ROOMS = [(0, 0, 62), (0, 0, 2), (0, 12, 62), (2, 2048, 62)]
WIDTHS = (3, 2, 4)


@st.composite
def groups(draw: st.DrawFn) -> tuple[list[Any], list[dict[int, int]], bool]:
    """Draw groups as codes, with sensitive values and their counts; a code that equals the width cannot be known."""
    absent = draw(st.booleans())
    cells = st.tuples(*(st.integers(0, width - (0 if absent else 1)) for width in WIDTHS))
    codes = draw(st.lists(cells, min_size=1, max_size=10))
    held = st.dictionaries(st.integers(0, 2), st.integers(1, 4), min_size=1)
    return codes, [draw(held) for _ in codes], absent


def naive(codes: list[Any], held: list[dict[int, int]], chosen: tuple[int, ...]) -> dict[Any, Counter[int]]:
    """Count sensitive values by combination; value 0 is not protected."""
    found: dict[Any, Counter[int]] = {}
    for row, histogram in zip(codes, held, strict=True):
        if all(row[at] < WIDTHS[at] for at in chosen):
            found.setdefault(tuple(row[at] for at in chosen), Counter()).update(histogram)
    return found


def counted(codes: list[Any], held: list[dict[int, int]], least: int, most: int) -> CombinationCounts:
    entries = [(g, value - 1, n) for g, histogram in enumerate(held) for value, n in histogram.items() if value > 0]
    group, code, count = (np.array([entry[at] for entry in entries], np.int64) for at in range(3))
    return CombinationCounts(
        np.array(codes, np.int64),
        WIDTHS,
        np.array([sum(histogram.values()) for histogram in held], np.int64),
        Secret(("p", "q"), group, code, count),
        (0, 1, 2),
        least,
        most,
    )


@pytest.fixture(params=ROOMS, ids=["listed", "listed, out of bits", "both", "tables"])
def room(request: pytest.FixtureRequest) -> Iterator[None]:
    """Count with more or less room for tables."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in zip(("_ROOM", "_LEAST_ROOM", "_BITS"), request.param, strict=True):
            patch.setattr(counting, name, value)
        yield


def test_like_counting_each_set_by_hand(room: None) -> None:
    @given(groups(), st.integers(1, 3))
    def run(drawn: tuple[list[Any], list[dict[int, int]], bool], most: int) -> None:
        codes, held, absent = drawn
        least = 1 if absent else most
        found: dict[tuple[int, ...], Counted] = {}
        for part in counted(codes, held, least, most):
            assert part.chosen not in found
            found[part.chosen] = part
        wanted = {
            chosen: naive(codes, held, chosen)
            for size in range(least, most + 1)
            for chosen in combinations(range(3), size)
        }
        assert set(found) == {chosen for chosen, cells in wanted.items() if cells}
        for chosen, part in found.items():
            cells = sorted(wanted[chosen].items())
            assert [part.codes_of(at) for at in range(len(part.size))] == [key for key, _ in cells]
            assert part.size.tolist() == [sum(values.values()) for _, values in cells]
            most_frequent = [max(values[1], values[2]) for _, values in cells]
            assert part.matching.tolist() == most_frequent
            for at, (key, values) in enumerate(cells):
                surest = -1 if not most_frequent[at] else 0 if values[1] >= values[2] else 1
                assert part.surest(at) == surest
                fitting = part.fitting(np.array([at]), np.arange(len(codes)))
                assert fitting.tolist() == [tuple(row[column] for column in chosen) == key for row in codes]

    run()


def test_rows_that_are_asked_for_may_be_some(room: None) -> None:
    parts = list(counted([(0, 0, 0), (1, 0, 0), (0, 1, 3)], [{0: 1}] * 3, 1, 1))
    first = next(part for part in parts if part.chosen == (0,))
    assert first.fitting(np.array([0]), np.array([2, 1])).tolist() == [True, False]


def test_sizes_that_are_not_whole_are_added_up_group_by_group() -> None:
    """A sum of sums would be rounded in another way than the sum of the parts."""
    codes = np.array([(0, at) for at in range(20)], np.int64)
    weights = np.array([2.0**53, *[1.0] * 19])  # one after the other, none of the ones makes a difference
    counts = CombinationCounts(codes, (20, 20), weights, Secret.none(), (0, 1), 1, 1)
    sizes = {part.chosen: part.size for part in counts}
    assert sizes[0,].tolist() == [2.0**53]


def test_nothing_to_count() -> None:
    empty = np.empty((0, 2), np.int64)
    assert list(CombinationCounts(empty, (0, 0), np.empty(0, np.int64), Secret.none(), (0, 1), 1, 1)) == []
    assert list(CombinationCounts(empty[:, :0], (), np.ones(1, np.int64), Secret.none(), (), 0, 0)) == []
