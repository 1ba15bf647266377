"""Condensed groups: of each only the number of its records, the sums of its columns and the sums of their products."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sfumato.data.frozen import frozen
from sfumato.kernels.arrays import Floats, Ints

__all__ = ["Moments"]


@frozen(eq=False)
class Moments:
    """What is kept of groups of numeric records: counts, first-order and second-order sums.

    With ``count`` n, ``sums`` Fs_j = sum of x_j and ``products`` Sc_ij = sum of x_i x_j over the records of a group, its
    mean is ``Fs / n`` and its covariance ``Sc_ij / n - Fs_i Fs_j / n^2``. All three are sums, so groups are joined by
    adding them.

    Reference: Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, sections 3.3.3 and 5.1.3.1;
    Aggarwal, Yu, "A condensation approach to privacy preserving data mining", 2004.

    >>> moments = Moments.of(np.array([[1, 2], [2, 1], [3, 4], [4, 3]]))
    >>> moments.sums[0].tolist(), moments.covariance[0].tolist()
    ([10.0, 10.0], [[1.25, 0.75], [0.75, 1.25]])
    """

    count: Ints
    sums: Floats
    products: Floats

    @classmethod
    def of(cls, points: npt.ArrayLike, groups: npt.ArrayLike | None = None) -> Moments:
        """Return the moments of points, by the group of each (0, 1, ... without gaps); of one group if none are given."""
        given = np.asarray(points, np.float64)
        group = np.zeros(len(given), np.int64) if groups is None else np.asarray(groups, np.int64)
        order = np.argsort(group, kind="stable")
        count = np.bincount(group)
        start = np.cumsum(count) - count
        ordered = given[order]
        wide = given.shape[1]
        products = np.empty((len(count), wide, wide))
        for i in range(wide):  # pair by pair: all products of all records at once would fill the memory
            for j in range(i + 1):
                products[:, i, j] = products[:, j, i] = np.add.reduceat(ordered[:, i] * ordered[:, j], start)
        return cls(count, np.add.reduceat(ordered, start, axis=0), products)

    @classmethod
    def from_covariance(cls, count: Ints, mean: Floats, covariance: Floats) -> Moments:
        """Return the moments of groups whose means and covariances are known."""
        products = (covariance + mean[:, :, None] * mean[:, None, :]) * count[:, None, None]
        return cls(count, mean * count[:, None], products)

    def __len__(self) -> int:
        return len(self.count)

    def __add__(self, other: Moments) -> Moments:
        """Join the groups of both, one by one."""
        return Moments(self.count + other.count, self.sums + other.sums, self.products + other.products)

    @property
    def mean(self) -> Floats:
        """The mean of each group."""
        return np.asarray(self.sums / self.count[:, None])

    @property
    def covariance(self) -> Floats:
        """The covariance of each group (divided by n)."""
        mean = self.mean
        return np.asarray(self.products / self.count[:, None, None] - mean[:, :, None] * mean[:, None, :])

    def axes(self) -> tuple[Floats, Floats]:
        """Return the variances along the principal axes of each group, largest first, and these axes as columns.

        Rounding can make a variance negative; it is then 0. The first of the largest components of an axis is positive.
        """
        variances, axes = np.linalg.eigh(self.covariance)
        variances, axes = np.clip(variances[:, ::-1], 0.0, None), axes[:, :, ::-1]
        size = np.abs(axes)
        largest = (size >= size.max(axis=1, keepdims=True) * (1 - 1e-9)).argmax(axis=1)
        sign = np.where(np.take_along_axis(axes, largest[:, None, :], axis=1) < 0, -1.0, 1.0)
        return variances, axes * sign

    def split(self) -> Moments:
        """Cut each group into two halves along its first axis, as if its records were spread evenly over it.

        With the largest variance v along e the halves have the means ``mean -+ sqrt(12 v) / 4 * e`` and the variance ``v
        / 4`` along e; nothing else changes. First all lower halves, then all upper ones. Counts must be even. Both halves
        together have the mean and the covariance of the group, because ``v / 4 + 12 v / 16 = v``.
        """
        variances, axes = self.axes()
        first, along = variances[:, 0], axes[:, :, 0]
        step = (np.sqrt(12 * first) / 4)[:, None] * along
        covariance = self.covariance - (0.75 * first)[:, None, None] * along[:, :, None] * along[:, None, :]
        half, mean = self.count // 2, self.mean
        return Moments.from_covariance(
            np.concatenate([half, half]),
            np.concatenate([mean - step, mean + step]),
            np.concatenate([covariance, covariance]),
        )

    def draw(self, rng: np.random.Generator) -> tuple[Floats, Ints]:
        """Draw as many points for each group as it has records; return them and the group of each.

        ``mean + sum_j e_j * U(-sqrt(12 v_j) / 2, sqrt(12 v_j) / 2)`` over the axes e_j with their variances v_j: uniform
        along each axis, with the mean and the covariance of the group.
        """
        variances, axes = self.axes()
        group = np.repeat(np.arange(len(self)), self.count)
        steps = (rng.random((len(group), self.sums.shape[1])) - 0.5) * np.sqrt(12 * variances)[group]
        points = self.mean[group]
        for i in range(points.shape[1]):
            for j in range(points.shape[1]):
                points[:, i] += axes[group, i, j] * steps[:, j]
        return points, group
