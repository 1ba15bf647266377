"""Where runs start, followed back from the end; the costs of runs are tried with the algorithm that cuts them."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.algorithms.groupings._value_run_kernels import run_starts


@pytest.mark.parametrize("seed", range(20))
def test_runs_are_followed_back_from_the_end(seed: int) -> None:
    rng = np.random.default_rng(seed)
    wanted = [0, *sorted(rng.choice(np.arange(1, 12), int(rng.integers(0, 6)), replace=False).tolist())]
    start = np.full(13, -1, np.int64)
    for begin, end in zip(wanted, [*wanted[1:], 12], strict=True):
        start[end] = begin
    assert run_starts(start, len(wanted)).tolist() == wanted
