"""The kernel of equal distances against fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.models._closeness_kernels import equal_distances


@given(st.integers(0, 9999), st.integers(1, 8), st.integers(1, 5), st.sampled_from([0.0, 0.1, 0.25, 0.6, 1.0]))
@settings(max_examples=80, deadline=None)
def test_distances_of_some_groups_are_those_of_the_definition(seed: int, groups: int, values: int, t: float) -> None:
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 5, (groups, values)).astype(np.int32)
    counts[np.arange(groups), rng.integers(0, values, groups)] += 1
    sizes = counts.sum(axis=1).astype(np.int64)
    whole = counts.sum(axis=0).astype(np.int64) + rng.integers(0, 3, values)
    skipped = rng.random(groups) < 0.3
    distances, least = equal_distances(counts, sizes, skipped, whole, t)
    total = int(whole.sum())
    assert not distances[skipped].any()
    assert not least[skipped].any()
    for group in np.flatnonzero(~skipped).tolist():
        gaps = [
            Fraction(int(counts[group, value]), int(sizes[group])) - Fraction(int(whole[value]), total)
            for value in range(values)
        ]
        assert distances[group] == float(sum((abs(gap) for gap in gaps), Fraction(0)) / 2)
        # So many can stay: what is not too frequent then makes up all but t of them.
        staying = max(
            left
            for left in range(int(sizes[group]) + 1)
            if np.minimum(counts[group], left * whole / total).sum() >= (1 - t) * left - 1e-6
        )
        assert least[group] == sizes[group] - staying
