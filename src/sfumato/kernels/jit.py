"""The compiler of kernels: numba's, with a signature that keeps the type of what it compiles."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

import numba

__all__ = ["njit"]

P = ParamSpec("P")
R = TypeVar("R")


def njit(**options: bool) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Compile a function at its first call with these types; ``cache`` keeps the machine code for the next process."""
    compiled: Callable[[Callable[P, R]], Callable[P, R]] = numba.njit(**options)
    return compiled
