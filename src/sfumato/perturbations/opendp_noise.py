"""Noise with a formal guarantee: discrete Laplace noise from OpenDP, which is imported when it is asked for.

Noise that carries a guarantee is not drawn by this project. OpenDP draws it exactly, from the entropy of the operating
system; no seed repeats it, and that is part of the guarantee.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from typing import Any

from sfumato.errors import Unsupported

__all__ = ["OpenDPLaplace"]


class OpenDPLaplace:
    """Laplace noise for vectors of counts that one record changes by 1 in total, spending at most epsilon on each."""

    def __init__(self, epsilon: float) -> None:
        prelude = _prelude()
        prelude.enable_features("contrib")
        space = prelude.vector_domain(prelude.atom_domain(T="i64")), prelude.l1_distance(T="i64")
        scale = 1 / epsilon
        measurement = prelude.m.make_laplace(*space, scale=scale)
        while measurement.map(1) > epsilon:
            # OpenDP rounds the loss up; a little more noise brings it below what was promised.
            scale = math.nextafter(scale * (1 + 1e-12), math.inf)
            measurement = prelude.m.make_laplace(*space, scale=scale)
        self.scale = scale
        self.epsilon = float(measurement.map(1))
        self.source = f"opendp {version('opendp')}, discrete Laplace noise"
        self._measurement = measurement

    def add(self, counts: Sequence[int]) -> list[int]:
        """Return the counts with fresh noise."""
        return [int(count) for count in self._measurement([int(count) for count in counts])]


def _prelude() -> Any:
    # Loading it draws from the global generator of Python, which is the caller's.
    state = random.getstate()
    try:
        return import_module("opendp.prelude")
    except ImportError:
        raise Unsupported(
            "noise with a formal guarantee needs the extra 'dp' (pip install 'sfumato[dp]')",
            thing="opendp",
            alternatives=["synthetic-moments, which promises nothing formally"],
        ) from None
    finally:
        random.setstate(state)
