"""Additive noise: every number is published with a random error of mean 0."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import ClassVar

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.perturbation import Perturbation, PerturbationTraits, Perturbed
from sfumato.contracts.thing import columns as named
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Array, Floats
from sfumato.perturbations._noise_laws import LAWS, density, draw, interval_width
from sfumato.perturbations._reading import KEEP, REFUSE, matrix, present, refuse_repeats
from sfumato.perturbations._spectral_filtering import spectral_filtering

__all__ = ["AdditiveNoise", "density"]

FloatArray = Floats


class AdditiveNoise(Perturbation):
    """Every number is published with a random error of mean 0.

    A value ``s`` becomes ``s + r``, where ``r`` is drawn independently for each record from a uniform, Gaussian or Laplace
    law. Give the standard deviation ``sigma`` of the noise, or its variance as a share ``c`` of the variance of the data.
    The mean stays in expectation, the variance becomes ``var(s) + var(r)``, and correlations shrink. With ``correlated``
    noise, of covariance ``c`` times the covariance of the data, the published covariance is ``(1 + c)`` times the original
    one and correlations stay.

    How closely a value can be told is measured by the width of the interval around the published number that holds the
    original with 95 % confidence. That measure does not see what several columns tell together: strongly correlated columns
    with independent noise can be filtered, and the result says how far. Noise drawn here carries no formal guarantee.

    Examples
    --------
    >>> from sfumato.engines import from_rows
    >>> table = from_rows(["income"], [(40,), (52,), (61,)])
    >>> noise = AdditiveNoise(columns=("income",), distribution="uniform", sigma=2.0)
    >>> made = noise.apply(table, np.random.default_rng(7))
    >>> all(abs(new - old) <= 2 * 3**0.5 for new, old in zip(made.values("income"), (40, 52, 61)))
    True
    >>> round(noise.interval_widths()["income"], 3)
    6.582

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 3.3.1.
    Agrawal, Srikant, "Privacy-preserving data mining", 2000, doi:10.1145/342009.335438.
    Brand, "Microdata protection through noise addition", 2002, doi:10.1007/3-540-47804-3_8.
    Kargupta, Datta, Wang, Sivakumar, "On the privacy preserving properties of random data perturbation techniques", 2003,
    doi:10.1109/ICDM.2003.1250908.
    """

    id: ClassVar[str] = "additive-noise"
    traits: ClassVar[PerturbationTraits] = PerturbationTraits(records="kept", randomness="generator")

    columns: tuple[str, ...] = named("sensitive", doc="numeric columns that get noise")
    distribution: str = param(default="gaussian", choices=LAWS, doc="law of the noise")
    sigma: float | tuple[float, ...] | None = param(
        default=None, gt=0, doc="standard deviation of the noise, one for all columns or one each"
    )
    c: float | None = param(default=None, gt=0, doc="variance of the noise as a share of the variance of the data")
    correlated: bool = param(default=False, doc="whether noise is correlated like the data; needs c and gaussian noise")
    decimals: int | None = param(
        default=None, ge=0, doc="digits after the decimal point that are published; all if not set"
    )
    missing: str = param(
        default=REFUSE, choices=(REFUSE, KEEP), doc="whether missing values are refused or stay missing"
    )

    def validate(self) -> None:
        """Take either sigma or c, and correlated noise with c only."""
        refuse_repeats(self.columns, f"{self.id}.columns")
        if (self.sigma is None) == (self.c is None):
            raise BadRequest("needs either sigma or c", parameter=self.id)
        for name, given in (("sigma", self.sigma), ("c", self.c)):
            for value in given if isinstance(given, tuple) else (given,):
                if value is not None and not 0 < value < math.inf:
                    raise BadRequest("must be > 0 and finite", parameter=f"{self.id}.{name}", value=value)
        if isinstance(self.sigma, tuple) and len(self.sigma) != len(self.columns):
            raise BadRequest(
                f"must be one number or {len(self.columns)}, one for each column",
                parameter=f"{self.id}.sigma",
                value=self.sigma,
            )
        if self.correlated and (self.c is None or self.distribution != "gaussian"):
            raise BadRequest("correlated noise needs c and gaussian noise", parameter=f"{self.id}.correlated")

    @property
    def _sigmas(self) -> tuple[float, ...] | None:
        if self.sigma is None or isinstance(self.sigma, tuple):
            return self.sigma
        return (self.sigma,) * len(self.columns)

    def interval_widths(self, confidence: float = 0.95) -> Mapping[str, float]:
        """Return, for noise of a given sigma, the width of the interval that holds the original of a published number."""
        if self._sigmas is None:
            raise BadRequest("follows from the data when c is given: see the facts of the result", parameter=self.id)
        return {
            name: interval_width(self.distribution, sigma, confidence)
            for name, sigma in zip(self.columns, self._sigmas, strict=True)
        }

    def noise_covariance(self, data: FloatArray) -> FloatArray:
        """Return the covariance of the noise for data with records in rows."""
        if self._sigmas is not None:
            return np.diag(np.square(self._sigmas))
        if len(data) < 2:
            raise BadRequest("a share of the variance needs at least two records", parameter=f"{self.id}.c")
        covariance = np.atleast_2d(np.cov(data, rowvar=False)) * float(self.c or 0)
        for name, variance in zip(self.columns, np.diag(covariance), strict=True):
            if not variance > 0:
                raise BadRequest("is constant; a share of its variance is no noise", column=name, parameter=self.id)
        return covariance if self.correlated else np.diag(np.diag(covariance))

    def draw(self, table: Table, rng: np.random.Generator) -> Perturbed:
        """Return the columns with noise."""
        data = matrix(table, self.columns, f"{self.id}.columns")
        rows = present(table, self.columns, self.missing, f"{self.id}.missing")
        covariance = self.noise_covariance(data[rows])
        spread = np.sqrt(np.diag(covariance))
        if self.correlated:
            sizes, directions = np.linalg.eigh(covariance)
            root = directions * np.sqrt(np.clip(sizes, 0.0, None))
            noise = rng.standard_normal(data.shape) @ root.T
        else:
            noise = np.column_stack([draw(self.distribution, float(s), len(data), rng) for s in spread])
        noisy = data + noise
        if self.decimals is not None:
            noisy = np.round(noisy, self.decimals)
        private: dict[str, object] = {}
        if len(self.columns) > 1 and rows.sum() > 1:
            found, _ = spectral_filtering(data[rows], noisy[rows], covariance)
            private["spectral_filtering"] = {**asdict(found), "reduction": found.reduction}
        whole = self.decimals == 0
        return Perturbed(
            self,
            {name: _column(noisy[:, at], whole) for at, name in enumerate(self.columns)},
            len(data),
            self._keeps(),
            facts={
                "noise_sigma": dict(zip(self.columns, spread.tolist(), strict=True)),
                "interval_width_95": {
                    name: interval_width(self.distribution, float(s))
                    for name, s in zip(self.columns, spread, strict=True)
                },
            },
            private=private,
        )

    def _keeps(self) -> tuple[str, ...]:
        kept = say("keeps.means")
        return (kept, say("keeps.correlations") if self.correlated else say("keeps.no_correlation"))


def _column(noisy: FloatArray, whole: bool) -> Array:
    return noisy.astype(np.int64) if whole and not np.isnan(noisy).any() else noisy
