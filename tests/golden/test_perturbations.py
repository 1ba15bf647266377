"""Perturbations: what rank swapping keeps for any seed, and the steps of the reconstruction of a distribution."""

from __future__ import annotations

from collections.abc import Callable
from statistics import fmean
from typing import Any

import pytest

import sfumato
from sfumato.perturbations import DistributionReconstruction


def swapped(values: list[int], p: float, seed: int) -> list[int]:
    """Return the values after rank swapping, in their places."""
    made = sfumato.perturb({"value": values}, {"id": "rank-swapping", "column": "value", "p": p}, seed=seed)
    return [value for (value,) in made.table.to_rows()]


def shifts(old: list[int], new: list[int]) -> list[int]:
    """Return how far the rank of the value in each place moved; the values are all different."""
    rank = {value: place for place, value in enumerate(sorted(old))}
    return [abs(rank[after] - rank[before]) for before, after in zip(old, new, strict=True)]


def test_rank_swapping_keeps_values_and_ranks_for_any_seed(golden: Callable[..., Any]) -> None:
    with golden("02-rank-swapping-1") as file:
        values, p = file.input["values"], file.input["p"]
        runs = [swapped(values, p, seed) for seed in range(200)]
        for run in runs:
            file.compare(sorted(run), "sorted_output")
            file.compare(fmean(run), "mean")
        # The bound holds in every run, and is reached in some.
        file.compare(max(shift for run in runs for shift in shifts(values, run)), "max_rank_shift")


def test_reconstruction_of_a_distribution(golden: Callable[..., Any]) -> None:
    with golden("02-distribution-reconstruction-1") as file:
        asked = {"grid": file.input["domain"], "distribution": "discrete", "noise": file.input["noise"]}
        first = DistributionReconstruction(**asked, max_iterations=1).reconstruct(file.input["observed_counts"])
        file.compare({f"{point:g}": chance for point, chance in first.as_dict().items()}, "first_iterate")
        limit = DistributionReconstruction(**asked).reconstruct(file.input["observed_counts"])
        assert limit.converged
        tolerance = file.expected["limit_tolerance"]
        file.compare(tolerance, "limit_tolerance")
        for point, chance in limit.as_dict().items():
            wanted = file.expected["limit"][f"{point:g}"]
            assert chance == pytest.approx(wanted, abs=tolerance)
            file.compare(wanted, "limit", f"{point:g}")
