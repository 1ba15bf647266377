"""What boxes cost, summed side by side in plain Python."""

from __future__ import annotations

from math import floor, inf

import numpy as np
import pytest

from oracles.drawn_axes import DrawnAxes, drawn_axes, spans_of
from sfumato.algorithms.boxes._span_kernels import Spans, penalty, side, steps, union_penalty


def naive_side(drawn: DrawnAxes, spans: Spans, axis: int, low: int, high: int) -> float:
    """Return what a side costs: nothing for one value, a share of the leaves, or a length and a step."""
    if low == high:
        return 0.0
    line = drawn.lines[axis]
    if line is None:
        return len(drawn.leaves(axis, drawn.cover(axis, low, high))) / drawn.length(axis)
    return float((line[high] - line[low]) * spans.factor[axis] + spans.step[axis])


def naive_penalty(drawn: DrawnAxes, spans: Spans, low: list[int], high: list[int]) -> float:
    """Return what all sides cost together."""
    return sum(naive_side(drawn, spans, axis, *ends) for axis, ends in enumerate(zip(low, high, strict=True)))


@pytest.mark.parametrize("seed", range(25))
def test_boxes_and_their_unions(seed: int) -> None:
    rng = np.random.default_rng(seed)
    drawn = drawn_axes(rng, 3)
    spans = spans_of(drawn, rng)
    corners = np.array([np.sort(rng.integers(0, drawn.length(axis), (2, 2)), axis=0) for axis in range(3)], np.int32)
    (low, high), (other_low, other_high) = corners[:, :, 0].T, corners[:, :, 1].T
    for axis in range(3):
        assert side(spans, axis, low[axis], high[axis]) == naive_side(drawn, spans, axis, low[axis], high[axis])
    assert penalty(spans, low, high) == pytest.approx(naive_penalty(drawn, spans, low.tolist(), high.tolist()))
    around = np.minimum(low, other_low).tolist(), np.maximum(high, other_high).tolist()
    whole = naive_penalty(drawn, spans, *around)
    assert union_penalty(spans, low, high, other_low, other_high, inf) == pytest.approx(whole)
    stopped = union_penalty(spans, low, high, other_low, other_high, whole / 2)
    assert whole == 0 or whole / 2 < stopped <= whole * (1 + 1e-12)


@pytest.mark.parametrize("score", [0.0, 0.1, 1 / 3, 2.0**-41, 3 * 2.0**-41, 17.25])
def test_scores_in_whole_steps(score: float) -> None:
    assert steps(score) == floor(score * 2**40 + 0.5)
