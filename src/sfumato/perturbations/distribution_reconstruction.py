"""Distribution reconstruction: the distribution of the originals, estimated from values with noise of a known law."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from typing import ClassVar

import numpy as np

from sfumato.contracts.perturbation import Estimator, Observed
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Floats
from sfumato.perturbations._noise_laws import LAWS, density, distribution

__all__ = ["DistributionReconstruction", "Reconstructed"]

FloatArray = Floats

DISCRETE = "discrete"
_DISTINCT = 1000


@frozen(eq=False)
class Reconstructed:
    """The estimate on the grid, the log-likelihood after each step from the start on, and why it ended."""

    grid: tuple[float, ...]
    probabilities: FloatArray
    log_likelihoods: tuple[float, ...]
    converged: bool

    @property
    def iterations(self) -> int:
        """Number of steps."""
        return len(self.log_likelihoods) - 1

    def as_dict(self) -> dict[float, float]:
        """Return the probability of each grid point."""
        return dict(zip(self.grid, self.probabilities.tolist(), strict=True))


class DistributionReconstruction(Estimator):
    """The distribution of the originals, estimated from values with noise of a known law.

    Start from ``f_0`` uniform on the grid and repeat
    ``f_(j+1)(a) = (1/n) sum_i f_Y(w_i - a) f_j(a) / sum_z f_Y(w_i - z) f_j(z)``, where ``w_i`` are the published values and
    ``f_Y`` the law of the noise. This is expectation maximization: every ``f_j`` is non-negative and sums to 1, and the
    likelihood never falls. It ends when two estimates in a row differ by less than ``tolerance``, in the sum of absolute
    differences or in ``chi2 = n sum (f_(j+1) - f_j)^2 / f_j``. Many distinct values are counted in buckets, whose
    probabilities are exact.

    Single originals are not recovered, and a classifier must be trained on reconstructed distributions, class by class: on
    noisy values as they are it learns the noise.

    Examples
    --------
    >>> third = 1 / 3
    >>> coin = DistributionReconstruction(grid=(0, 1, 2), distribution="discrete", noise={-1: third, 0: third, 1: third})
    >>> found = coin.reconstruct({-1: 6, 0: 9, 1: 9, 2: 3})
    >>> [round(float(p), 2) for p in found.probabilities], found.converged
    ([0.67, 0.33, 0.0], True)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, sections 3.3 and 5.4.
    Agrawal, Srikant, "Privacy-preserving data mining", 2000, doi:10.1145/342009.335438.
    Agrawal, Aggarwal, "On the design and quantification of privacy preserving data mining algorithms", 2001,
    doi:10.1145/375551.375602.
    """

    id: ClassVar[str] = "distribution-reconstruction"

    grid: tuple[float, ...] = param(doc="rising points where the originals may lie")
    distribution: str = param(default="gaussian", choices=(*LAWS, DISCRETE), doc="law of the noise")
    sigma: float | None = param(default=None, gt=0, doc="standard deviation of the noise, unless it is discrete")
    noise: Mapping[Hashable, float] | None = param(default=None, doc="probability of each value of discrete noise")
    stop: str = param(default="l1", choices=("l1", "chi2"), doc="how two estimates in a row are compared")
    tolerance: float = param(default=1e-6, gt=0, doc="end when the change is below it")
    max_iterations: int = param(default=10_000, ge=1, doc="end after so many steps in any case")

    def validate(self) -> None:
        """Refuse a grid that does not rise and a law that is not complete."""
        if not self.grid or any(not a < b for a, b in zip(self.grid, self.grid[1:], strict=False)):
            raise BadRequest("must rise and hold at least one point", parameter=f"{self.id}.grid", value=self.grid)
        if self.noise is not None:
            object.__setattr__(self, "noise", self._law(self.noise))
        if (self.distribution == DISCRETE) != (self.noise is not None) or (self.noise is None) != (
            self.sigma is not None
        ):
            raise BadRequest("discrete noise needs noise and no sigma, any other law the reverse", parameter=self.id)

    def _law(self, given: object) -> dict[float, float]:
        where = f"{self.id}.noise"
        if not isinstance(given, Mapping) or not given:
            raise BadRequest("must give the probability of each value of the noise", parameter=where)
        try:
            law = {float(value): float(chance) for value, chance in given.items()}
        except (TypeError, ValueError):
            raise BadRequest("must give a number for each number", parameter=where) from None
        if min(law.values()) < 0 or not math.isclose(math.fsum(law.values()), 1.0, abs_tol=1e-9):
            raise BadRequest("must hold probabilities that sum to 1", parameter=where, value=list(law.values()))
        return law

    def reconstruct(self, observed: Observed) -> Reconstructed:
        """Return the estimate from published values, or from a mapping of value and count."""
        points, counts = _counted(observed)
        kernel, counts = self._kernel(points, counts)
        impossible = int(counts[~kernel.any(axis=1)].sum())
        if impossible:
            raise BadRequest(
                f"{impossible} value{'s' if impossible > 1 else ''} cannot come from the grid with this noise",
                parameter=f"{self.id}.grid",
            )
        total = counts.sum()
        estimate = np.full(len(self.grid), 1 / len(self.grid))
        mixed = kernel @ estimate
        likelihoods = [float(counts @ np.log(mixed))]
        converged = False
        while len(likelihoods) <= self.max_iterations and not converged:
            new = estimate * (kernel.T @ (counts / mixed)) / total
            new /= new.sum()  # only rounding is lost here
            converged = self._change(new, estimate, float(total)) < self.tolerance
            estimate, mixed = new, kernel @ new
            likelihoods.append(float(counts @ np.log(mixed)))
        return Reconstructed(self.grid, estimate, tuple(likelihoods), converged)

    def _change(self, new: FloatArray, old: FloatArray, total: float) -> float:
        if self.stop == "l1":
            return float(np.abs(new - old).sum())
        alive = old > 0
        return float(total * ((new - old)[alive] ** 2 / old[alive]).sum())

    def _kernel(self, points: FloatArray, counts: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return how likely each observed value is from each grid point, and how often it was observed."""
        grid = np.asarray(self.grid, np.float64)
        if self.noise is not None:
            shifts = np.array(list(self.noise))
            chances = np.array(list(self.noise.values()))
            apart = points[:, None] - grid[None, :]
            # Sums of decimal fractions miss each other by rounding.
            hit = np.abs(apart[:, :, None] - shifts) <= 1e-9 * np.maximum(1.0, np.abs(apart))[:, :, None]
            return (hit * chances).sum(axis=2), counts
        sigma = float(self.sigma or 0)
        if len(points) <= _DISTINCT:
            return density(self.distribution, sigma, points[:, None] - grid), counts
        edges = np.linspace(points[0], points[-1], _DISTINCT + 1)
        cell = np.clip(np.searchsorted(edges, points, side="right") - 1, 0, _DISTINCT - 1)
        counted = np.asarray(np.bincount(cell, counts, _DISTINCT), np.float64)
        kernel = np.diff(distribution(self.distribution, sigma, edges[:, None] - grid), axis=0)
        return kernel[counted > 0], counted[counted > 0]


def _counted(observed: Observed) -> tuple[FloatArray, FloatArray]:
    try:
        if isinstance(observed, Mapping):
            points = np.array([float(value) for value in observed], np.float64)
            counts = np.array(list(observed.values()), np.float64)
        else:
            points, tally = np.unique(np.asarray(observed, np.float64), return_counts=True)
            counts = tally.astype(np.float64)
    except (TypeError, ValueError):
        raise BadRequest("must be numbers, or a mapping of number and count", parameter="observed") from None
    if not np.isfinite(points).all() or not np.isfinite(counts).all() or (counts < 0).any() or not counts.sum() > 0:
        raise BadRequest("must be finite values, at least one, with counts that are not negative", parameter="observed")
    order = np.argsort(points)
    order = order[counts[order] > 0]
    return points[order], counts[order]
