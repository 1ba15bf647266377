"""When a part is safe, by fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from sfumato.algorithms.boxes._handing_back_kernels import safe


@pytest.mark.parametrize("seed", range(40))
def test_a_part_is_safe_if_it_is_large_and_no_value_is_above_its_limit(seed: int) -> None:
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 5, 3)
    size, limits = int(max(counts.sum(), 1)), rng.integers(1, 5, 3) / 4
    shares = [Fraction(int(count), size) for count in counts]
    expected = size >= 4 and all(share <= Fraction(limit) for share, limit in zip(shares, limits.tolist(), strict=True))
    assert safe(counts, size, 4, limits) == expected
