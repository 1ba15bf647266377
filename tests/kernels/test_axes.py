"""Lines and trees in flat arrays against lists of paths."""

from __future__ import annotations

import numpy as np
import pytest

from oracles.drawn_axes import drawn_axes
from sfumato.kernels.axes import below, lowest_cover, width


@pytest.mark.parametrize("seed", range(20))
def test_covers_widths_and_children(seed: int) -> None:
    drawn = drawn_axes(np.random.default_rng(seed), 3)
    for axis, line in enumerate(drawn.lines):
        last = drawn.length(axis) - 1
        for low in range(last + 1):
            for high in range(low, last + 1):
                found = width(drawn.axes, axis, low, high)
                if line is not None:
                    assert found == (line[high] - line[low]) / (line[-1] - line[0])
                    continue
                node = drawn.cover(axis, low, high)
                assert lowest_cover(drawn.axes, axis, low, high) == node
                assert found == (0 if low == high else (len(drawn.leaves(axis, node)) - 1) / last)
                if low < high:
                    path = drawn.paths[axis][high]
                    assert below(drawn.axes, axis, node, high) == path[path.index(node) + 1]
