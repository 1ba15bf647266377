"""Every world of some groups, weighed one by one."""

from __future__ import annotations

from itertools import product
from math import exp, lgamma

import numpy as np
import pytest

from sfumato.attacks.anatomy._world_kernels import weigh_worlds


@pytest.mark.parametrize("seed", range(25))
def test_shares_of_all_worlds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    groups, values, alpha = 3, 3, 0.5
    cells, kinds = rng.integers(1, 3, groups), rng.integers(1, 3, groups)
    cell_start, value_start = np.cumsum([0, *cells]), np.cumsum([0, *kinds])
    rows = rng.integers(-1, 4, (cell_start[-1], 2))
    code = np.concatenate([rng.choice(values, kind, replace=False) for kind in kinds])
    many = rng.integers(1, 4, groups)
    first = np.cumsum([0, *many])
    sizes = np.repeat(cells * kinds, many)
    width = np.cumsum([0, *sizes])
    tables, ways = rng.integers(0, 3, width[-1], np.int32), rng.normal(size=first[-1])
    settled = rng.integers(0, 3, (4, values))
    rising = np.array([lgamma(alpha + count) - lgamma(alpha) for count in range(60)])

    expected, whole = np.zeros(first[-1]), 0.0
    for world in product(*[range(first[group], first[group + 1]) for group in range(groups)]):
        counts, weight = settled.copy(), sum(ways[choice] for choice in world)
        for group, choice in enumerate(world):
            table = tables[width[choice] : width[choice + 1]].reshape(cells[group], kinds[group])
            for cell, value in product(range(cells[group]), range(kinds[group])):
                for row in rows[cell_start[group] + cell]:
                    if row >= 0:
                        counts[row, code[value_start[group] + value]] += table[cell, value]
        share = exp(weight + rising[counts].sum() - rising[settled].sum())
        whole += share
        for choice in world:
            expected[choice] += share

    counts = settled.copy()
    found = weigh_worlds(first, tables, width, ways, cell_start, rows, value_start, code, counts, rising)
    assert np.allclose(found, expected / whole)
    assert np.array_equal(counts, settled)
