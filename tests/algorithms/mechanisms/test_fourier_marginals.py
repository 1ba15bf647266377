"""Fourier marginals: whole, not negative and consistent whatever is drawn, with an error within the stated bound."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sfumato
from sfumato.algorithms import FourierMarginals, consistent_table, fourier_coefficients, marginal_of_table
from sfumato.errors import BadRequest

pytest.importorskip("opendp")
pytest.importorskip("highspy")

KNOWN: dict[str, Any] = {"a": ["0", "1"], "b": ["x", "y", "z"], "c": ["0", "1"]}
WANTED = [["a", "b"], ["b", "c"]]


def table(rows: int = 400) -> Any:
    rng = np.random.default_rng(4)
    cells = zip(rng.integers(0, 2, rows), rng.integers(0, 3, rows), rng.integers(0, 2, rows), strict=True)
    return sfumato.from_rows(["a", "b", "c"], [(str(a), "xyz"[b], str(c)) for a, b, c in cells])


def test_two_hundred_draws_stay_within_the_bound() -> None:
    algorithm = FourierMarginals(domains=KNOWN, marginals=WANTED)
    exact = algorithm.contingency(table())
    late = 0
    for _ in range(200):
        found = algorithm.fitted(exact, 1.0)
        assert found.min() >= 0
        assert found.dtype == np.int64
        assert not found[~algorithm._reachable()].any()
        one, two = (marginal_of_table(found, mask) for mask in algorithm.masks())
        shared = algorithm.masks()[0] & algorithm.masks()[1]
        assert _coarse(one, shared) == _coarse(two, shared)
        for wanted, mask in zip(algorithm.wanted(), algorithm.masks(), strict=True):
            true, noisy = marginal_of_table(exact, mask), marginal_of_table(found, mask)
            error = sum(abs(true[cell] - noisy[cell]) for cell in true)
            late += error > algorithm.error_bound(wanted, 1.0, 0.001)
    assert late <= 2  # 400 chances of a thousandth each: more than 2 come once in a hundred times


def _coarse(marginal: dict[int, int], mask: int) -> dict[int, int]:
    found: dict[int, int] = {}
    for cell, count in marginal.items():
        found[cell & mask] = found.get(cell & mask, 0) + count
    return found


def test_without_noise_marginals_move_by_rounding_alone() -> None:
    counts = np.array([5, 1, 0, 2, 3, 0, 4, 1])
    alphas = [0b000, 0b001, 0b010, 0b011, 0b100, 0b110]
    noisy = dict(zip(alphas, fourier_coefficients(counts, alphas).tolist(), strict=True))
    found = consistent_table(noisy, 3)
    for mask in (0b110, 0b011):
        true, near = marginal_of_table(counts, mask), marginal_of_table(found, mask)
        assert sum(abs(true[cell] - near[cell]) for cell in true) <= len(alphas)
    assert found.sum() == 16


def test_bad_requests() -> None:
    with pytest.raises(BadRequest, match="has no domain"):
        FourierMarginals(domains=KNOWN, marginals=[["d"]])
    with pytest.raises(BadRequest, match="bits"):
        FourierMarginals(domains={f"c{at}": ["0", "1"] for at in range(17)})
    algorithm = FourierMarginals(domains={"a": ["0"]})
    with pytest.raises(BadRequest, match="outside"):
        algorithm.contingency(table())
