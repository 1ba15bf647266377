"""Synthetic data from moments: numbers from a normal law with the means and covariances of the data."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from typing import ClassVar

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.perturbation import Perturbation, PerturbationTraits, Perturbed, Values
from sfumato.contracts.thing import columns as named
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.data.schema import ColumnType
from sfumato.errors import BadRequest
from sfumato.perturbations._reading import REFUSE, exact_matches, matrix, present, refuse_repeats, refuse_unknown

__all__ = ["SyntheticMoments"]


class SyntheticMoments(Perturbation):
    """Records drawn from a normal law with the means and covariances of the data, categories from their histograms.

    All numeric columns are drawn together from the multivariate normal law with the mean and covariance of the data. Each
    other column is drawn from its own histogram, independently of everything else; a value that occurs in fewer than
    ``fewest`` records is not drawn at all, so that names and other rare values do not come out again. Whole numbers are
    rounded, which adds 1/12 to a variance. ``bounds`` cut a column off at values you declare.

    A published record belongs to nobody. Yet means, covariances and frequent values are those of the data, without a formal
    guarantee: an outlier moves them. The result says which share of the drawn records equals an original by chance.

    Examples
    --------
    >>> from sfumato.engines import from_rows
    >>> table = from_rows(["height", "sex"], [(171.5, "f"), (180.0, "m"), (164.5, "f"), (176.0, "m")] * 5)
    >>> drawn = SyntheticMoments(columns=("height", "sex"), records=100).apply(table, np.random.default_rng(7))
    >>> drawn.rows, set(drawn.values("sex")) <= {"f", "m"}
    (100, True)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 3.3.3.
    Rubin, "Discussion: statistical disclosure limitation", Journal of Official Statistics 9(2), 1993.
    """

    id: ClassVar[str] = "synthetic-moments"
    traits: ClassVar[PerturbationTraits] = PerturbationTraits(records="drawn", randomness="generator")

    columns: tuple[str, ...] = named("plain", doc="columns to draw; no other column is published")
    records: int | None = param(default=None, ge=1, doc="how many records to draw; as many as there are if not set")
    fewest: int = param(default=3, ge=1, doc="records in which a category must occur to be drawn")
    bounds: Mapping[str, tuple[float, float]] | None = param(
        default=None, doc="lowest and highest value of a numeric column"
    )

    def validate(self) -> None:
        """Refuse bounds that do not rise or belong to no drawn column."""
        refuse_repeats(self.columns, f"{self.id}.columns")
        if self.bounds is None:
            return
        where = f"{self.id}.bounds"
        if not isinstance(self.bounds, Mapping):
            raise BadRequest("must give a lowest and a highest value for columns", parameter=where)
        out = {}
        for name, given in self.bounds.items():
            if name not in self.columns:
                raise BadRequest("is not a drawn column", parameter=where, value=name, available=self.columns)
            try:
                low, high = (float(edge) for edge in given)
            except (TypeError, ValueError):
                low, high = math.nan, math.nan
            if not low < high:
                raise BadRequest("must be two numbers that rise", column=name, parameter=where)
            out[name] = (low, high)
        object.__setattr__(self, "bounds", out)

    def draw(self, table: Table, rng: np.random.Generator) -> Perturbed:
        """Return the drawn records."""
        refuse_unknown(table, self.columns, f"{self.id}.columns")
        present(table, self.columns, REFUSE, f"{self.id}.columns")
        count = self.records or table.rows
        numeric = [name for name in self.columns if table.types[name].numeric]
        drawn = self._numbers(table, numeric, count, rng) if numeric else {}
        left_out: dict[str, int] = {}
        for name in self.columns:
            if name not in drawn:
                drawn[name], left_out[name] = self._categories(table, name, count, rng)
        columns = {name: drawn[name] for name in self.columns}
        plain = [
            list(column) if isinstance(column, list) else np.asarray(column).tolist() for column in columns.values()
        ]
        return Perturbed(
            self,
            columns,
            count,
            self._keeps(numeric),
            private={
                "share_of_records_that_equal_an_original": exact_matches(table, self.columns, plain),
                "records_with_a_category_left_out": left_out,
            },
        )

    def _keeps(self, numeric: list[str]) -> tuple[str, ...]:
        kept = []
        if numeric:
            kept.append(say("keeps.moments", names=", ".join(numeric)))
        if len(numeric) < len(self.columns):
            kept.append(say("keeps.frequent"))
        return tuple(kept)

    def _numbers(self, table: Table, names: list[str], count: int, rng: np.random.Generator) -> dict[str, Values]:
        data = matrix(table, names, f"{self.id}.columns")
        if len(data) < 2:
            raise BadRequest("needs at least two records", parameter=self.id)
        sizes, directions = np.linalg.eigh(np.atleast_2d(np.cov(data, rowvar=False)))
        root = directions * np.sqrt(np.clip(sizes, 0.0, None))
        sample = data.mean(axis=0) + rng.standard_normal((count, len(names))) @ root.T
        out: dict[str, Values] = {}
        for at, name in enumerate(names):
            low, high = (self.bounds or {}).get(name, (-math.inf, math.inf))
            if table.types[name] is ColumnType.INTEGER:
                low, high = np.ceil(low), np.floor(high)
                out[name] = np.clip(np.round(sample[:, at]), low, high).astype(np.int64)
            else:
                out[name] = np.clip(sample[:, at], low, high)
        return out

    def _categories(self, table: Table, name: str, count: int, rng: np.random.Generator) -> tuple[list[Hashable], int]:
        if name in (self.bounds or {}):
            raise BadRequest("bounds are for numbers", column=name, parameter=f"{self.id}.bounds")
        dictionary = table.dictionary(name)
        frequent = dictionary.counts >= self.fewest
        if not frequent.any():
            raise BadRequest(
                f"no value occurs in {self.fewest} records; a histogram of such a column would publish its values",
                column=name,
                parameter=f"{self.id}.fewest",
            )
        counts = np.where(frequent, dictionary.counts, 0)
        codes = rng.choice(len(dictionary), count, p=counts / counts.sum())
        return [dictionary.values[code] for code in codes.tolist()], int(dictionary.counts[~frequent].sum())
