"""Post-randomization (PRAM): every category is replaced by another one with known probabilities."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import ClassVar

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.perturbation import Perturbation, PerturbationTraits, Perturbed
from sfumato.contracts.thing import column as named
from sfumato.contracts.thing import columns, param
from sfumato.data.messages import say
from sfumato.data.text import from_text, to_text
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Floats, Ints
from sfumato.perturbations._reading import KEEP, REFUSE, present, refuse_unknown, values

__all__ = ["PostRandomization", "invariant_matrix"]

FloatArray = Floats


class PostRandomization(Perturbation):
    """Every category is replaced by another one with known probabilities (PRAM).

    A record of category ``k`` is published as ``l`` with probability ``P[k, l]``, independently of all others. Either the
    whole ``matrix`` is given, or ``keep``: the probability that a category stays, the rest being spread evenly over the
    others. If ``t`` are the counts of the original, the expected published counts are ``P' t``, so ``inverse(P')`` times the
    published counts estimates ``t`` without bias; :meth:`estimate` does that.

    With ``invariant``, a second matrix ``Q[l, k] = P[k, l] t[k] / sum_j P[j, l] t[j]`` follows the first. Then
    ``t' P Q = t'``, and the published counts themselves are unbiased. That matrix depends on the data and must stay. With
    ``strata`` there is one such matrix for each combination of their values, so that the counts of every stratum are unbiased.

    Examples
    --------
    >>> from sfumato.engines import from_rows
    >>> table = from_rows(["smokes"], [("yes",), ("no",), ("no",), ("no",)])
    >>> pram = PostRandomization(column="smokes", keep=0.75)
    >>> set(pram.apply(table, np.random.default_rng(7)).values("smokes")) <= {"yes", "no"}
    True
    >>> {category: round(count, 9) for category, count in pram.estimate({"yes": 400, "no": 600}).items()}
    {'yes': 300.0, 'no': 700.0}

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 3.3.
    Gouweleeuw, Kooiman, Willenborg, de Wolf, "Post randomisation for statistical disclosure control: theory and
    implementation", Journal of Official Statistics 14(4), 1998.
    """

    id: ClassVar[str] = "post-randomization"
    traits: ClassVar[PerturbationTraits] = PerturbationTraits(records="kept", randomness="generator")

    column: str = named("sensitive", doc="column of categories")
    keep: float | None = param(default=None, ge=0, le=1, doc="probability that a category stays as it is")
    matrix: Mapping[str, Mapping[str, float]] | None = param(
        default=None, doc="probability of each published category, for each original one; what is not named is 0"
    )
    categories: tuple[Hashable, ...] | None = param(
        default=None, doc="all categories of the column; without it those of the matrix, or of the table"
    )
    invariant: bool = param(default=False, doc="whether published counts estimate the original ones as they are")
    strata: tuple[str, ...] = columns(
        "quasi-identifier", default=(), doc="invariant: columns whose combinations keep their counts on their own"
    )
    missing: str = param(
        default=REFUSE, choices=(REFUSE, KEEP), doc="whether missing values are refused or stay missing"
    )

    def validate(self) -> None:
        """Take either keep or a matrix whose rows sum to 1."""
        if self.matrix is not None:
            object.__setattr__(self, "matrix", self._rows(self.matrix))
        if (self.keep is None) == (self.matrix is None):
            raise BadRequest("needs either keep or matrix", parameter=self.id)
        if self.strata and not self.invariant:
            raise BadRequest(
                "one known matrix serves all strata; they matter with invariant",
                parameter=f"{self.id}.strata",
                value=list(self.strata),
            )
        if self.column in self.strata:
            raise BadRequest("is replaced itself", parameter=f"{self.id}.strata", value=self.column)
        if self.categories is not None:
            names = [to_text(category) for category in self.categories]
            if not names or len(set(names)) != len(names):
                raise BadRequest("must name each category once", parameter=f"{self.id}.categories", value=names)
            if self.matrix is not None and set(names) != set(self.matrix):
                raise BadRequest(
                    "must be those of the matrix",
                    parameter=f"{self.id}.categories",
                    value=names,
                    available=self.matrix,
                )

    def _rows(self, given: object) -> dict[str, dict[str, float]]:
        where = f"{self.id}.matrix"
        if not isinstance(given, Mapping) or not given or not all(isinstance(row, Mapping) for row in given.values()):
            raise BadRequest("must give a row of probabilities for each category", parameter=where)
        rows = {to_text(key): {to_text(name): p for name, p in row.items()} for key, row in given.items()}
        for key, row in rows.items():
            unknown = [name for name in row if name not in rows]
            if unknown:
                raise BadRequest(f"row {key!r} names a category without a row", parameter=where, available=rows)
            good = all(isinstance(p, (int, float)) and not isinstance(p, bool) and p >= 0 for p in row.values())
            if not good or abs(sum(row.values()) - 1) > 1e-9:
                raise BadRequest(f"row {key!r} must hold probabilities that sum to 1", parameter=where)
        return rows

    def transition(self, categories: Sequence[Hashable]) -> FloatArray:
        """Return the matrix over these categories: original in rows, published in columns."""
        names = [to_text(category) for category in categories]
        count = len(names)
        if self.matrix is not None:
            return np.array([[self.matrix[k].get(l, 0.0) for l in names] for k in names], np.float64)
        keep = float(self.keep if self.keep is not None else 1.0)
        if count == 1:
            return np.ones((1, 1))
        return np.where(np.eye(count, dtype=bool), keep, (1 - keep) / (count - 1))

    def estimate(self, published: Mapping[Hashable, float]) -> dict[Hashable, float]:
        """Return unbiased estimates of the original counts from published ones; they may be negative.

        Without declared categories, those of ``published`` are taken for all there are, so name empty ones with a 0.
        """
        declared = self.categories or (tuple(self.matrix) if self.matrix is not None else None)
        given = {to_text(category): float(count) for category, count in published.items()}
        categories = tuple(published) if declared is None else declared
        for name in given:
            if name not in {to_text(category) for category in categories}:
                raise BadRequest("is not a category", parameter="published", value=name, available=categories)
        counts = np.array([given.get(to_text(category), 0.0) for category in categories])
        if not self.invariant:
            probabilities = self.transition(categories)
            if np.linalg.cond(probabilities) > 1e12:
                raise BadRequest("has no inverse: published counts say nothing of the originals", parameter=self.id)
            counts = np.linalg.solve(probabilities.T, counts)
        return dict(zip(categories, counts.tolist(), strict=True))

    def draw(self, table: Table, rng: np.random.Generator) -> Perturbed:
        """Return the column with categories replaced."""
        refuse_unknown(table, [self.column], f"{self.id}.column")
        refuse_unknown(table, self.strata, f"{self.id}.strata")
        rows = np.flatnonzero(present(table, [self.column], self.missing, f"{self.id}.missing"))
        categories = self._categories(table)
        place = {to_text(category): code for code, category in enumerate(categories)}
        held = values(table, self.column)
        codes = np.array([place[to_text(held[row])] for row in rows.tolist()], np.int64)
        probabilities = self.transition(categories)
        facts: dict[str, object] = {"categories": [to_text(category) for category in categories]}
        private: dict[str, object] = {}
        if self.invariant:
            drawn = np.empty_like(codes)
            matrices = []
            for stratum in self._strata(table, rows):
                counts = np.bincount(codes[stratum], minlength=len(categories))
                matrices.append(invariant_matrix(probabilities, counts))
                drawn[stratum] = _replaced(codes[stratum], matrices[-1], rng)
            private["matrix"] = [matrix.tolist() for matrix in matrices] if self.strata else matrices[0].tolist()
        else:
            facts["matrix"] = probabilities.tolist()
            drawn = _replaced(codes, probabilities, rng)
        new = list(held)
        for row, code in zip(rows.tolist(), drawn.tolist(), strict=True):
            new[row] = categories[code]
        private["records_changed"] = int((drawn != codes).sum())
        kept = (
            say("keeps.counts_unchanged", column=self.column)
            if self.invariant
            else say("keeps.counts_undone", column=self.column)
        )
        return Perturbed(self, {self.column: new}, table.rows, (kept,), facts=facts, private=private)

    def _strata(self, table: Table, rows: Ints) -> list[Ints]:
        """Return the places in ``rows`` of each combination of the strata, in the order in which they are met."""
        held = [values(table, name) for name in self.strata]
        found: dict[tuple[Hashable, ...], list[int]] = {}
        for place, row in enumerate(rows.tolist()):
            found.setdefault(tuple(column[row] for column in held), []).append(place)
        return [np.array(places, np.int64) for places in found.values()]

    def _categories(self, table: Table) -> tuple[Hashable, ...]:
        found = table.dictionary(self.column).values
        declared = self.categories or (tuple(self.matrix) if self.matrix is not None else None)
        if declared is None:
            return found
        names = [to_text(category) for category in declared]
        outside = sum(to_text(value) not in names for value in found)
        if outside:
            raise BadRequest(
                f"{outside} categor{'ies of the column are' if outside > 1 else 'y of the column is'} not declared",
                column=self.column,
                parameter=self.id,
                available=names,
            )
        try:
            return tuple(from_text(name, table.types[self.column]) for name in names)
        except ValueError:
            raise BadRequest(
                f"holds a category that is no {table.types[self.column]}", column=self.column, parameter=self.id
            ) from None


def invariant_matrix(probabilities: FloatArray, counts: Ints) -> FloatArray:
    """Return ``P Q`` with ``counts' P Q = counts'``: the matrix followed by the one that draws an original back.

    >>> counts = np.array([30.0, 70.0])
    >>> (counts @ invariant_matrix(np.array([[0.8, 0.2], [0.4, 0.6]]), counts)).round(9).tolist()
    [30.0, 70.0]
    """
    joint = probabilities * np.asarray(counts, np.float64)[:, None]  # original k and published l together
    reached = joint.sum(axis=0)
    back = np.eye(len(probabilities))
    back[reached > 0] = (joint.T[reached > 0]) / reached[reached > 0][:, None]
    return np.asarray(probabilities @ back)


def _replaced(codes: Ints, probabilities: FloatArray, rng: np.random.Generator) -> Ints:
    chances = rng.random(len(codes))
    out = np.empty_like(codes)
    for code in np.unique(codes):
        mine = codes == code
        limits = np.cumsum(probabilities[code])
        # The last category that can be drawn takes what rounding leaves below 1.
        limits[np.flatnonzero(probabilities[code])[-1] :] = 1.0
        out[mine] = np.searchsorted(limits, chances[mine], side="right")
    return out
