"""Laws of additive noise with mean 0 and a given standard deviation: how it is drawn, its density, how well it hides.

============ ====================== ===============================
law          parameter              shortest interval of confidence p
============ ====================== ===============================
``uniform``  on [-a, a], a = σ√3    2 a p
``gaussian`` σ                      2 z σ with z the (1+p)/2 quantile
``laplace``  scale b = σ/√2         2 b ln(1 / (1 - p))
============ ====================== ===============================
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Floats

__all__ = ["LAWS", "density", "distribution", "draw", "interval_width"]

LAWS = ("uniform", "gaussian", "laplace")

FloatArray = Floats

_erf = np.vectorize(math.erf, otypes=[np.float64])


def draw(law: str, sigma: float, size: int, rng: np.random.Generator) -> FloatArray:
    """Draw independent noise."""
    if law == "uniform":
        half = sigma * math.sqrt(3)
        return rng.uniform(-half, half, size)
    if law == "laplace":
        return rng.laplace(0.0, sigma / math.sqrt(2), size)
    return rng.normal(0.0, sigma, size)


def density(law: str, sigma: float, at: FloatArray) -> FloatArray:
    """Return the density of the noise."""
    if law == "uniform":
        half = sigma * math.sqrt(3)
        return np.where(np.abs(at) <= half, 1 / (2 * half), 0.0)
    if law == "laplace":
        scale = sigma / math.sqrt(2)
        return np.asarray(np.exp(-np.abs(at) / scale) / (2 * scale))
    return np.asarray(np.exp(-0.5 * (at / sigma) ** 2) / (sigma * math.sqrt(2 * math.pi)))


def distribution(law: str, sigma: float, at: FloatArray) -> FloatArray:
    """Return the probability that the noise is at most so large."""
    if law == "uniform":
        half = sigma * math.sqrt(3)
        return np.clip((at + half) / (2 * half), 0.0, 1.0)
    if law == "laplace":
        tail = 0.5 * np.exp(-np.abs(at) / (sigma / math.sqrt(2)))
        return np.where(at < 0, tail, 1 - tail)
    return np.asarray(0.5 * (1 + _erf(at / (sigma * math.sqrt(2)))))


def interval_width(law: str, sigma: float, confidence: float = 0.95) -> float:
    """Return the width of the shortest interval around a published value that holds the original so confidently.

    >>> round(interval_width("gaussian", 1.0), 2), round(interval_width("uniform", 10 / 3**0.5), 2)
    (3.92, 19.0)
    """
    if not 0 < confidence < 1:
        raise BadRequest("must be > 0 and < 1", parameter="confidence", value=confidence)
    if law == "uniform":
        return 2 * sigma * math.sqrt(3) * confidence
    if law == "laplace":
        return -2 * sigma / math.sqrt(2) * math.log1p(-confidence)
    return 2 * sigma * NormalDist().inv_cdf((1 + confidence) / 2)
