"""Dimensionality reduction: numeric columns are replaced by fewer random mixtures of them; distances stay about the same."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt

from sfumato.contracts.engine import Table
from sfumato.contracts.perturbation import Perturbation, PerturbationTraits, Perturbed
from sfumato.contracts.thing import columns as named
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Floats
from sfumato.perturbations._reading import REFUSE, matrix, present, refuse_repeats

__all__ = ["DRBT", "distances", "projection", "stress"]

FloatArray = Floats

# Stress looks at every pair of records: of a larger table, at the pairs of this many, drawn at random.
_MOST_COMPARED = 2000
_BLOCK = 512


class DRBT(Perturbation):
    """Numeric columns are replaced by fewer random mixtures of them; distances between records stay about the same.

    The dimensionality reduction-based transformation publishes ``T' = s T R``, where ``T`` holds ``m`` numeric columns and
    ``R`` is a secret random matrix with ``r < m`` columns. ``gaussian`` draws normal entries and scales each column of ``R`` to
    length 1, ``s = sqrt(m / r)``; ``sparse`` draws ``sqrt(3)`` times +1, 0 or -1 with probability 1/6, 2/3 and 1/6,
    ``s = 1 / sqrt(r)``. Either way the expected squared distance of two records is the original one, so clusters survive.
    ``stress = sum (d' - d)^2 / sum d^2`` over pairs of records says how well: 0 if all distances are kept. It is in the private
    part of the result (``stress``, with ``stress_records``, the number of records whose pairs were compared).

    There is no k-anonymity in this, and no formal guarantee. The map cannot be inverted, but it keeps distances, and that is
    what undoes it: whoever knows the original values of a few published records can estimate the mixtures, or find any other
    record by its distances to these. A singular record stays singular. Other columns are published as they are.

    Examples
    --------
    >>> from sfumato.engines import from_rows
    >>> table = from_rows(["age", "weight", "height"], [(30, 61.0, 171.0), (41, 80.5, 180.0), (28, 55.0, 164.0)])
    >>> made = DRBT(columns=("age", "weight", "height"), dimensions=2).apply(table, np.random.default_rng(7))
    >>> list(made.columns), made.dropped, made.private["stress"] < 1
    (['mixture 1', 'mixture 2'], ('age', 'weight', 'height'), True)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 7.3.
    Oliveira, Zaïane, "A privacy-preserving clustering approach toward secure and effective data analysis for business
    collaboration", Computers & Security 26(1), 2007.
    Achlioptas, "Database-friendly random projections", 2003, doi:10.1016/S0022-0000(03)00025-4.
    """

    id: ClassVar[str] = "drbt"
    traits: ClassVar[PerturbationTraits] = PerturbationTraits(records="kept", randomness="generator")

    columns: tuple[str, ...] = named("sensitive", doc="numeric columns that are mixed; none of them is published")
    dimensions: int = param(ge=1, doc="how many mixtures are published; fewer than there are columns")
    law: Literal["gaussian", "sparse"] = param(
        default="gaussian", choices=("gaussian", "sparse"), doc="how the entries of the secret matrix are drawn"
    )
    standardize: bool = param(
        default=True, doc="whether columns are scaled to mean 0 and variance 1 first, so that units do not matter"
    )
    prefix: str = param(default="mixture", doc="what the published columns are called, before their number")

    def validate(self) -> None:
        """Refuse as many dimensions as there are columns: such a map could be inverted."""
        refuse_repeats(self.columns, f"{self.id}.columns")
        if self.dimensions >= len(self.columns):
            raise BadRequest(
                f"must be >= 1 and less than the number of columns, {len(self.columns)}",
                parameter=f"{self.id}.dimensions",
                value=self.dimensions,
            )

    def draw(self, table: Table, rng: np.random.Generator) -> Perturbed:
        """Return the mixtures; the matrix is drawn first and forgotten."""
        data = matrix(table, self.columns, f"{self.id}.columns")
        present(table, self.columns, REFUSE, f"{self.id}.columns")
        names = [f"{self.prefix} {number + 1}" for number in range(self.dimensions)]
        taken = [name for name in names if name in table.types]
        if taken:
            raise BadRequest("is already a column of the table", parameter=f"{self.id}.prefix", value=taken[0])
        if (data == data[0]).all():
            raise BadRequest("all records are equal; there are no distances to keep", parameter=f"{self.id}.columns")
        if self.standardize:
            for name, constant in zip(self.columns, (data == data[0]).all(axis=0), strict=True):
                if constant:
                    raise BadRequest("is constant and cannot be scaled", column=name, parameter=f"{self.id}.columns")
            data = (data - data.mean(axis=0)) / data.std(axis=0)
        mixed = data @ projection(len(self.columns), self.dimensions, self.law, rng)
        rows = np.arange(len(data))
        if len(data) > _MOST_COMPARED:
            rows = np.sort(rng.choice(len(data), _MOST_COMPARED, replace=False))
        compared = data[rows]
        # A sample of a table with few distinct records may hold one of them only.
        found = None if (compared == compared[0]).all() else stress(compared, mixed[rows])
        return Perturbed(
            self,
            {name: mixed[:, at] for at, name in enumerate(names)},
            len(data),
            (
                say("keeps.distances"),
                say("keeps.no_values", names=", ".join(self.columns)),
            ),
            facts={"columns": len(self.columns), "dimensions": self.dimensions},
            private={"stress": found, "stress_records": len(rows)},
            dropped=self.columns,
        )


def projection(columns: int, dimensions: int, law: str, rng: np.random.Generator) -> FloatArray:
    """Draw a random matrix that keeps squared distances in expectation, its scale included."""
    if law == "gaussian":
        entries = rng.standard_normal((columns, dimensions))
        return np.asarray(entries / np.linalg.norm(entries, axis=0) * math.sqrt(columns / dimensions))
    # A matrix of zeros would make all records equal. It is drawn again, and the scale allows for that.
    zeros = (2 / 3) ** (columns * dimensions)
    while True:
        signs = rng.choice([1.0, 0.0, -1.0], (columns, dimensions), p=[1 / 6, 2 / 3, 1 / 6])
        if signs.any():
            return np.asarray(signs * math.sqrt(3 * (1 - zeros) / dimensions))


def distances(points: npt.ArrayLike) -> list[float]:
    """Return the Euclidean distance of each pair of rows, in the order (1, 2), (1, 3), ..., (2, 3), ...

    >>> distances([[0, 0], [3, 4], [0, 1]])
    [5.0, 1.0, 4.242640687119285]
    """
    rows = np.asarray(points, np.float64)
    return [float(value) for at in range(len(rows)) for value in np.linalg.norm(rows[at + 1 :] - rows[at], axis=1)]


def stress(
    original: npt.ArrayLike, reduced: npt.ArrayLike, *, relative_to: Literal["original", "reduced"] = "original"
) -> float:
    """Return ``sum (d' - d)^2 / sum d^2`` over all pairs of records: how badly distances are kept, 0 if they are.

    ``d`` is the original and ``d'`` the reduced distance. The book takes the reduced one for the denominator in its text;
    ``relative_to`` does the same.

    >>> stress([[0.0], [1.0], [3.0]], [[0.0], [1.0], [2.0]])
    0.14285714285714285
    """
    if relative_to not in ("original", "reduced"):
        raise BadRequest(
            "is not one of the choices", parameter="relative_to", value=relative_to, available=("original", "reduced")
        )
    before, after = np.asarray(original, np.float64), np.asarray(reduced, np.float64)
    if before.ndim != 2 or after.ndim != 2 or len(before) != len(after):
        raise BadRequest("must be two tables of the same records", parameter="reduced", value=list(after.shape))
    apart, squares = 0.0, 0.0
    for first, second in zip(_pairs(before), _pairs(after), strict=True):
        apart += float(((second - first) ** 2).sum())
        squares += float(((first if relative_to == "original" else second) ** 2).sum())
    if squares == 0:
        raise BadRequest("all records are equal; stress has no meaning", parameter=relative_to)
    return apart / squares


def _pairs(points: FloatArray) -> Iterator[FloatArray]:
    """Yield the distances of all ordered pairs, some rows at a time."""
    for start in range(0, len(points), _BLOCK):
        block = points[start : start + _BLOCK]
        squares = np.zeros((len(block), len(points)))
        for at in range(points.shape[1]):
            # Differences lose no digits, which the expansion of the square would where records lie close together.
            squares += np.subtract.outer(block[:, at], points[:, at]) ** 2
        yield np.sqrt(squares)
