"""The compiler of kernels: numba's, with a signature that keeps the type of what it compiles, and numbers as it takes them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, ParamSpec, TypeVar, cast

import numba
import numpy as np

__all__ = ["njit", "whole"]

P = ParamSpec("P")
R = TypeVar("R")

# A bare constant that one kernel hands to another has a type of its own, for which that one would be compiled once more.
whole = cast("Callable[[int], int]", np.int64)


def _leave_linear_algebra_for_later() -> None:
    """Load numba without SciPy: it asks at once whether matrices can be multiplied, and asks again where a kernel does so."""
    from numba.np import linalg

    asked, linalg.ensure_blas = linalg.ensure_blas, lambda: None
    try:
        from numba.np import arraymath
    finally:
        linalg.ensure_blas = asked
    arraymath.ensure_blas = asked


with suppress(ImportError, AttributeError):  # a numba that is built otherwise loads as it likes
    _leave_linear_algebra_for_later()


def _load_without_compiler(kernel: Any) -> None:
    """Let a kernel come from the cache without all that numba knows of compiling: machine code needs the runtime alone.

    What has to be compiled makes the compiler ready by itself, as it does without a cache.
    """
    from numba.core.caching import FunctionCache
    from numba.core.runtime import rtsys

    kept = kernel._cache
    if type(kept) is not FunctionCache:
        return
    guarded, load, ready = kept._guard_against_spurious_io_errors, kept._load_overload, rtsys.initialize

    def load_overload(signature: object, target: object) -> object:
        ready(target)
        with guarded():
            return load(signature, target)

    kept.load_overload = load_overload


def njit(**options: bool) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Compile a function at its first call with these types; ``cache`` keeps the machine code for the next process."""
    compiled = numba.njit(**options)

    def kernel(function: Callable[P, R]) -> Callable[P, R]:
        made: Callable[P, R] = compiled(function)
        with suppress(ImportError, AttributeError):  # a numba that keeps kernels otherwise loads them as it likes
            _load_without_compiler(made)
        return made

    return kernel
