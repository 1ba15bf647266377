"""Invented persons for questions about releases."""

from __future__ import annotations

import numpy as np
import polars as pl

__all__ = ["people"]


def people(seed: int, count: int = 800) -> pl.DataFrame:
    """Return persons with two numbers, two texts and an illness that depends on them a little."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 90, count)
    return pl.DataFrame(
        {
            "age": age,
            "income": np.round(np.exp(rng.normal(10, 0.5, count))),
            "job": [f"job {number}" for number in rng.integers(0, 15, count)],
            "city": [f"city {number}" for number in rng.integers(0, 300, count)],
            "ill": [f"ill {number}" for number in (rng.integers(0, 5, count) + age // 40)],
        }
    )
