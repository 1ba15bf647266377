"""Kernels of blocks around owners against fractions and brute force."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.algorithms.owners._frequency_block import FrequencyBlock
from sfumato.algorithms.owners._owner_block_kernels import (
    choose_completion,
    choose_suppression,
    complete_counts,
    frequency_holds,
)

WHOLES = st.lists(st.integers(1, 6), min_size=1, max_size=4)
TOLERANCES = st.one_of(
    st.sampled_from([Fraction(0), Fraction(1, 10), Fraction(1, 3), Fraction(1), Fraction(123456789, 10**9)]),
    st.fractions(0, 1, max_denominator=30),
)


@st.composite
def parts(draw: Any) -> tuple[list[int], list[int]]:
    """Draw a table's counts and those of a part of it that is not empty."""
    whole = draw(WHOLES)
    counts = [draw(st.integers(0, most)) for most in whole]
    counts[0] = max(counts[0], int(sum(counts) == 0))
    return whole, counts


def holds(whole: list[int], counts: list[int], th: Fraction, *, every: bool = True) -> bool:
    n, size = sum(whole), sum(counts)
    return all(
        abs(Fraction(count, size) - Fraction(own, n)) <= th
        for count, own in zip(counts, whole, strict=True)
        if every or count
    )


@given(drawn=parts(), th=TOLERANCES, every=st.booleans(), least=st.integers(1, 6))
def test_frequencies(drawn: tuple[list[int], list[int]], th: Fraction, every: bool, least: int) -> None:
    whole, counts = drawn
    block = FrequencyBlock(tuple(range(len(whole))), tuple(whole))
    rule = block.rule(th, scope="all" if every else "present", least=least)
    found = frequency_holds(np.array(counts, np.int64), sum(counts), rule)
    assert found == (sum(counts) >= least and holds(whole, counts, th, every=every))


def test_an_empty_block_never_holds() -> None:
    block = FrequencyBlock(("a", "b"), (1, 1))
    assert not frequency_holds(np.zeros(2, np.int64), 0, block.rule(Fraction(1)))


@settings(max_examples=60)
@given(drawn=parts(), th=TOLERANCES)
def test_completion_is_the_smallest_there_is(drawn: tuple[list[int], list[int]], th: Fraction) -> None:
    whole, counts = drawn
    block = FrequencyBlock(tuple(range(len(whole))), tuple(whole))
    n = sum(whole)
    final = complete_counts(
        np.array(counts, np.int64), sum(counts), 1, n, block.bounds(th, n), np.array(whole, np.int64), n
    )
    made = final.tolist()
    assert all(after >= before for before, after in zip(counts, made, strict=True))
    assert holds(whole, made, th)
    for fewer in product(*(range(before, n + 1) for before in counts)):
        if sum(fewer) < sum(made):
            assert not holds(whole, list(fewer), th)


def test_choices_go_to_the_smallest_then_to_the_first_node() -> None:
    counts = np.array([[1, 4], [2, 0], [1, 1], [1, 1]], np.int64)
    sizes = counts.sum(axis=1)
    marked = np.array([True, False])
    cells = np.array([0, 1, 2, 3], np.int32)
    assert choose_suppression(cells, counts, sizes, marked, 1) == 2
    assert choose_suppression(cells, counts, sizes, marked, 0) == -1
    assert choose_suppression(cells, counts, sizes, marked, 2) == 1
    block = FrequencyBlock(("a", "b"), (5, 5))
    bounds = block.bounds(Fraction(1, 10), 10)
    node, final = choose_completion(cells, counts, sizes, marked, block.rule(Fraction(1)), 1, 10, bounds)
    assert (node, final.tolist()) == (2, [1, 1])
    node, final = choose_completion(cells[:2], counts, sizes, marked, block.rule(Fraction(1)), 1, 10, bounds)
    assert (node, final.tolist()) == (1, [2, 2])
    node, _ = choose_completion(cells[:2], counts, sizes, marked, block.rule(Fraction(1, 10)), 1, 10, bounds)
    assert node == -1
