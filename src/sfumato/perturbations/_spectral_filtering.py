"""Spectral filtering: how much of additive noise somebody can take away again who knows its law.

Correlated columns vary along few directions, independent noise along all of them. In units of the noise, the covariance of
the published data has eigenvalues near 1 where there is noise only; for n records and d columns noise alone stays below
``(1 + sqrt(d / n))^2``. Projecting on the eigenvectors above that bound drops the noise in the other directions. The
diagnostic does what an adversary would do and compares with the originals, so its figures must stay.

References
----------
Kargupta, Datta, Wang, Sivakumar, "On the privacy preserving properties of random data perturbation techniques", 2003,
doi:10.1109/ICDM.2003.1250908.
Huang, Du, Chen, "Deriving private information from randomized data", 2005, doi:10.1145/1066157.1066163.
"""

from __future__ import annotations

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Floats

__all__ = ["SpectralFiltering", "spectral_filtering"]

FloatArray = Floats

_NEGLIGIBLE = 1e-12


@frozen
class SpectralFiltering:
    """What filtering finds: root mean square errors in standard deviations of the noise, over all cells.

    ``components`` counts the directions above ``bound`` that were kept. ``reduction`` is the share of the error that
    filtering removes: 0 if it removes nothing, near 1 if the noise is hardly there any more.
    """

    components: int
    bound: float
    error_published: float
    error_filtered: float

    @property
    def reduction(self) -> float:
        """Share of the error that filtering removes; negative if it only does harm."""
        return 1 - self.error_filtered / self.error_published if self.error_published > 0 else 0.0


def spectral_filtering(
    original: FloatArray, published: FloatArray, noise_covariance: FloatArray
) -> tuple[SpectralFiltering, FloatArray]:
    """Return the diagnostic and the filtered data, for records in rows and columns side by side.

    >>> rng = np.random.default_rng(0)
    >>> hidden = rng.normal(size=(2000, 1)) @ np.ones((1, 8)) * 10
    >>> found, _ = spectral_filtering(hidden, hidden + rng.normal(size=hidden.shape), np.eye(8))
    >>> found.components, found.reduction > 0.6
    (1, True)
    """
    rows, width = original.shape
    if rows < 2 or published.shape != original.shape or noise_covariance.shape != (width, width):
        raise BadRequest("needs two tables of one shape, at least two records, and the covariance of the noise")
    values, vectors = np.linalg.eigh(noise_covariance)
    used = values > max(values[-1], 0.0) * _NEGLIGIBLE
    if not used.any():
        raise BadRequest("the noise has no variance", parameter="noise_covariance")
    whiten = vectors[:, used] / np.sqrt(values[used])
    colour = (vectors[:, used] * np.sqrt(values[used])).T
    bound = (1 + np.sqrt(width / rows)) ** 2
    units = (published - published.mean(axis=0)) @ whiten
    sizes, directions = np.linalg.eigh(np.atleast_2d(np.cov(units, rowvar=False)))
    signal = directions[:, sizes > bound]
    # Only what filtering takes away is subtracted: directions without noise stay as published.
    filtered = published - (units - units @ signal @ signal.T) @ colour
    scale = np.sqrt(np.diag(noise_covariance))
    scale[scale == 0] = 1.0

    def error(estimate: FloatArray) -> float:
        return float(np.sqrt(np.mean(((estimate - original) / scale) ** 2)))

    return SpectralFiltering(signal.shape[1], float(bound), error(published), error(filtered)), filtered
