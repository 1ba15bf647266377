"""Noise with a formal guarantee: discrete Laplace noise, thresholds and quantiles from OpenDP, imported when it is asked for.

Noise that carries a guarantee is not drawn by this project. OpenDP draws it exactly, from the entropy of the operating
system; no seed repeats it, and that is part of the guarantee.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.metadata import version
from typing import Any

from sfumato.errors import Unsupported

__all__ = ["OpenDPChoice", "OpenDPLaplace", "OpenDPQuantile", "OpenDPThreshold"]


class OpenDPLaplace:
    """Laplace noise for vectors of whole numbers, spending at most epsilon on each vector.

    One record changes a vector by ``sensitivity`` in total, in the sum of absolute values.
    """

    def __init__(self, epsilon: float, sensitivity: int = 1) -> None:
        prelude = _prelude()
        prelude.enable_features("contrib")
        space = prelude.vector_domain(prelude.atom_domain(T="i64")), prelude.l1_distance(T="i64")
        scale = sensitivity / epsilon
        measurement = prelude.m.make_laplace(*space, scale=scale)
        while measurement.map(sensitivity) > epsilon:
            # OpenDP rounds the loss up; a little more noise brings it below what was promised.
            scale = math.nextafter(scale * (1 + 1e-12), math.inf)
            measurement = prelude.m.make_laplace(*space, scale=scale)
        self.scale = scale
        self.epsilon = float(measurement.map(sensitivity))
        self.source = f"opendp {version('opendp')}, discrete Laplace noise"
        self._measurement = measurement

    def add(self, counts: Sequence[int]) -> list[int]:
        """Return the counts with fresh noise."""
        return [int(count) for count in self._measurement([int(count) for count in counts])]


class OpenDPThreshold:
    """Laplace noise for counts by names that nobody declared: those below a threshold are left out, names and all.

    One person changes at most ``most`` counts, each by 1. A name that only one person has passes the threshold T with the
    probability ``P[1 + noise >= T]``, so that ``delta <= most P[noise >= T - 1]``. OpenDP 0.16 states ``most P[noise >= T]``,
    although it keeps counts that reach T (opendp/opendp issue 2922); so what it states for ``T - 1`` is taken for T.
    """

    def __init__(self, epsilon: float, delta: float, most: int) -> None:
        prelude = _prelude()
        prelude.enable_features("contrib")
        keys, counts = prelude.atom_domain(T="String"), prelude.atom_domain(T="i64")
        space = prelude.map_domain(keys, counts), prelude.l01inf_distance(prelude.absolute_distance(T="i64"))
        changes = (most, most, 1)

        def made(scale: float, threshold: int) -> Any:
            return prelude.m.make_laplace_threshold(*space, scale=scale, threshold=threshold)

        scale = most / epsilon
        while made(scale, 2).map(changes)[0] > epsilon:
            scale = math.nextafter(scale * (1 + 1e-12), math.inf)
        threshold = max(2, math.floor(1 + scale * math.log(most / (2 * delta))))
        while made(scale, threshold - 1).map(changes)[1] > delta:
            threshold += 1
        self.scale, self.threshold = scale, threshold
        self.epsilon, self.delta = (float(one) for one in made(scale, threshold - 1).map(changes))
        self.source = f"opendp {version('opendp')}, discrete Laplace noise and a threshold"
        self._measurement = made(scale, threshold)

    def add(self, counts: Mapping[str, int]) -> dict[str, int]:
        """Return noisy counts of the names that reach the threshold, in the order of the names."""
        found = self._measurement({name: int(count) for name, count in counts.items()})
        return {name: int(found[name]) for name in sorted(found)}


class OpenDPQuantile:
    """A quantile chosen among declared candidates, spending at most epsilon; ``changes`` counts records added or removed."""

    def __init__(self, epsilon: float, q: float, candidates: Sequence[float], changes: int = 1) -> None:
        prelude = _prelude()
        prelude.enable_features("contrib")
        space = prelude.vector_domain(prelude.atom_domain(T="f64", nan=False)), prelude.symmetric_distance()
        listed = [float(candidate) for candidate in candidates]

        def made(scale: float) -> Any:
            return prelude.m.make_private_quantile(
                *space, prelude.max_divergence(), candidates=listed, alpha=float(q), scale=scale
            )

        scale = made(1.0).map(changes) / epsilon
        measurement = made(scale)
        while measurement.map(changes) > epsilon:
            scale = math.nextafter(scale * (1 + 1e-12), math.inf)
            measurement = made(scale)
        self.scale = scale
        self.epsilon = float(measurement.map(changes))
        self.source = f"opendp {version('opendp')}, report noisy max"
        self._measurement = measurement

    def choose(self, values: Sequence[float]) -> float:
        """Return one of the candidates."""
        return float(self._measurement([float(value) for value in values]))


class OpenDPChoice:
    """The exponential mechanism: the place of a high score among some, which one record changes by at most ``sensitivity``.

    A place is chosen with probability proportional to ``exp(epsilon score / (2 sensitivity))``.
    """

    def __init__(self, epsilon: float, sensitivity: float) -> None:
        prelude = _prelude()
        prelude.enable_features("contrib")
        space = prelude.vector_domain(prelude.atom_domain(T="f64", nan=False)), prelude.linf_distance(T="f64")

        def made(scale: float) -> Any:
            return prelude.m.make_noisy_max(*space, prelude.max_divergence(), scale=scale)

        scale = 2 * sensitivity / epsilon
        measurement = made(scale)
        while measurement.map(sensitivity) > epsilon:
            scale = math.nextafter(scale * (1 + 1e-12), math.inf)
            measurement = made(scale)
        self.epsilon = float(measurement.map(sensitivity))
        self.source = f"opendp {version('opendp')}, report noisy max"
        self._measurement = measurement

    def choose(self, scores: Sequence[float]) -> int:
        """Return the place of the chosen score."""
        return int(self._measurement([float(score) for score in scores]))


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
