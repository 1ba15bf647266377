"""The compiler of kernels: numba's, with a signature that keeps the type of what it compiles, and numbers as it takes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

import numba
import numpy as np

__all__ = ["njit", "whole"]

P = ParamSpec("P")
R = TypeVar("R")

# A bare constant that one kernel hands to another has a type of its own, for which that one would be compiled once more.
whole = cast("Callable[[int], int]", np.int64)


def njit(**options: bool) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Compile a function at its first call with these types; ``cache`` keeps the machine code for the next process."""
    compiled: Callable[[Callable[P, R]], Callable[P, R]] = numba.njit(**options)
    return compiled
