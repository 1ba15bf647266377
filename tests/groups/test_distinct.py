"""Distinct rows and their places against numpy's own, also where columns are too many and too wide for one number."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.groups.distinct import distinct_rows, places


@given(seed=st.integers(0, 999), rows=st.integers(1, 50), columns=st.integers(1, 12), width=st.sampled_from([2, 900]))
def test_rows_are_found_again(seed: int, rows: int, columns: int, width: int) -> None:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, width, (rows, columns)).astype(np.int32)[rng.integers(0, rows, 2 * rows)]
    distinct, place = distinct_rows(codes)
    want, inverse = np.unique(codes, axis=0, return_inverse=True)
    assert np.array_equal(distinct, want)
    assert np.array_equal(place, inverse.reshape(-1))
    turned = distinct[::-1]
    assert np.array_equal(turned[places(turned, codes)], codes)


def test_no_row() -> None:
    distinct, place = distinct_rows(np.empty((0, 3), np.int32))
    assert (len(distinct), len(place)) == (0, 0)
