"""Values of a group given out by odds: small groups against all permutations, large ones against their sums."""

from __future__ import annotations

import numpy as np
import pytest

from oracles.naive_definetti import give_out
from sfumato.attacks.anatomy._soft_world_kernels import count_values, given_out, scaled


def drawn(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    size = rng.integers(1, 3, int(rng.integers(2, 4)))
    values = np.unique(rng.integers(0, 3, int(size.sum())), return_counts=True)[1]
    return rng.random((len(size), len(values))) ** 3, size, values


@pytest.mark.parametrize("seed", range(25))
def test_small_groups(seed: int) -> None:
    odds, size, count = drawn(seed)
    found = given_out(odds, size, count)
    assert np.allclose(found, give_out(odds.tolist(), size.tolist(), count.tolist()))
    assert np.allclose(size @ found, count)


@pytest.mark.parametrize("seed", range(25))
def test_scaling_first_changes_no_chance(seed: int) -> None:
    odds, size, count = drawn(seed)
    assert np.allclose(given_out(scaled(odds, size, count, 5), size, count), given_out(odds, size, count))


@pytest.mark.parametrize("seed", range(25))
def test_scaled_sums(seed: int) -> None:
    odds, size, count = drawn(seed)
    found = scaled(odds, size, count, 2000)
    assert np.allclose(found.sum(axis=1), 1)
    assert np.allclose(size @ found, count, atol=2e-3)
    # Scaling keeps cross ratios: nothing is preferred that the odds do not prefer.
    ratio = odds / found
    assert np.allclose(ratio[:, :1] * ratio[:1, :], ratio * ratio[0, 0])


def test_tiny_odds_do_not_vanish() -> None:
    odds = np.full((12, 12), 1e-90)
    odds[:, 0] = 1.0
    size = count = np.ones(12, np.int64)
    found = given_out(scaled(odds[:8, :8], size[:8], count[:8], 5), size[:8], count[:8])
    assert np.allclose(found, 1 / 8)


@pytest.mark.parametrize("seed", range(25))
def test_values_are_counted_as_far_as_beliefs_say(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cells, kinds = rng.integers(1, 4, 4), rng.integers(1, 3, 4)
    cell_start, value_start = np.cumsum([0, *cells]), np.cumsum([0, *kinds])
    size = rng.integers(1, 4, cell_start[-1])
    rows = rng.integers(-1, 5, (cell_start[-1], 2))
    code = np.concatenate([rng.choice(3, kind, replace=False) for kind in kinds])
    wide = np.repeat(kinds, cells)
    entry = np.cumsum([0, *wide])[:-1]
    beliefs = rng.random(int(wide.sum()))
    groups, expected = np.array([0, 2, 3]), np.zeros((5, 3))
    for group in groups:
        for cell in range(cell_start[group], cell_start[group + 1]):
            for row in (row for row in rows[cell] if row >= 0):
                for value in range(kinds[group]):
                    expected[row, code[value_start[group] + value]] += size[cell] * beliefs[entry[cell] + value]
    counts = np.zeros((5, 3))
    count_values(groups, cell_start, size, rows, entry, value_start, code, beliefs, counts)
    assert np.allclose(counts, expected)
