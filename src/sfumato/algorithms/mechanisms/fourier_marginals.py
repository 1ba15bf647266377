"""Consistent private marginals: noise is added in the Fourier domain, and a table of whole records is fitted to it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Any, ClassVar

import numpy as np

from sfumato.algorithms.mechanisms._private_marginals import every_marginal, published, refuse_strange
from sfumato.algorithms.mechanisms._procedures import only_procedure
from sfumato.contracts.algorithm import ROWS_IN_MEMORY, Algorithm, AlgorithmTraits, Outcome, Task
from sfumato.contracts.engine import Table
from sfumato.contracts.model import Audit, MechanismModel, at_most
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.errors import BadRequest, Unsupported
from sfumato.itemsets.exact_solver import exact_solver
from sfumato.kernels.arrays import Bools, Floats, Ints
from sfumato.models.differential_privacy import ADD_REMOVE, SUBSTITUTE, DifferentialPrivacy
from sfumato.perturbations.budget import Budget
from sfumato.perturbations.domains import domains_of
from sfumato.perturbations.opendp_noise import OpenDPLaplace
from sfumato.searches.grouping import records_of

__all__ = [
    "FourierMarginals",
    "consistent_table",
    "downward_closure",
    "fourier_coefficients",
    "marginal_of_coefficients",
    "marginal_of_table",
]

MOST_BITS = 16

_laplace = lru_cache(maxsize=64)(OpenDPLaplace)

# An attribute set of d binary attributes is a number of d bits, the first attribute first: 0b110 is {1, 2} of three.


def downward_closure(marginals: Sequence[int]) -> list[int]:
    """Return every subset of the attribute sets, rising: the coefficients that their marginals need.

    >>> [f"{one:03b}" for one in downward_closure([0b110, 0b011])]
    ['000', '001', '010', '011', '100', '110']
    """
    found = {0}
    for mask in marginals:
        bits = [1 << at for at in range(mask.bit_length()) if mask >> at & 1]
        found |= {sum(chosen) for size in range(len(bits) + 1) for chosen in combinations(bits, size)}
    return sorted(found)


def _signs(alphas: Sequence[int], betas: Ints) -> Ints:
    """Return ``(-1)^<alpha, beta>``, alphas x betas."""
    shared = np.bitwise_count(np.asarray(alphas, np.int64)[:, None] & betas[None, :])
    signs: Ints = 1 - 2 * (shared & 1).astype(np.int64)
    return signs


def fourier_coefficients(counts: Sequence[int] | Ints, alphas: Sequence[int]) -> Ints:
    """Return ``sum over beta of (-1)^<alpha, beta> x_beta`` for each alpha; times ``2^(-d/2)`` they are orthonormal.

    >>> fourier_coefficients([5, 1, 0, 2, 3, 0, 4, 1], [0b000, 0b001, 0b110]).tolist()
    [16, 8, 6]
    """
    held = np.asarray(counts, np.int64)
    return np.asarray(_signs(alphas, np.arange(len(held))) @ held, np.int64)


def marginal_of_coefficients(coefficients: Mapping[int, float], mask: int) -> dict[int, float]:
    """Return the marginal on an attribute set from coefficients of its subsets alone: ``2^-|a| sum (-1)^<alpha,g> c_alpha``.

    >>> marginal_of_coefficients({0b00: 8, 0b01: 2, 0b10: 4, 0b11: 2}, 0b11)
    {0: 4.0, 1: 2.0, 2: 1.0, 3: 1.0}
    """
    subsets = downward_closure([mask])
    cells = np.array(subsets, np.int64)
    values = _signs(subsets, cells).T @ np.array([coefficients[one] for one in subsets], np.float64)
    return {cell: float(value) / len(subsets) for cell, value in zip(subsets, values, strict=True)}


def marginal_of_table(counts: Ints, mask: int) -> dict[int, int]:
    """Return the marginal of a contingency table on an attribute set, by cell.

    >>> marginal_of_table(np.array([5, 1, 0, 2, 3, 0, 4, 1]), 0b110)
    {0: 6, 2: 2, 4: 3, 6: 5}
    """
    cell = np.arange(len(counts)) & mask
    added = np.bincount(cell, weights=counts, minlength=len(counts)).astype(np.int64)
    return {one: int(added[one]) for one in downward_closure([mask])}


def consistent_table(noisy: Mapping[int, float], bits: int, reachable: Bools | None = None) -> Ints:
    """Return whole non-negative counts whose coefficients are as near to noisy ones as a linear program gets.

    Minimise b with ``|c_alpha - c_alpha(w)| <= b`` and ``w >= 0``. A corner of the program has at most ``|F|`` counts that are
    not 0, so that rounding (by largest remainder, which keeps the total) moves them by at most ``|F|`` together.
    """
    solver = exact_solver("fourier-marginals", "a consistent marginal")
    solver.setOptionValue("solver", "simplex")
    import highspy

    places = np.flatnonzero(np.ones(1 << bits, bool) if reachable is None else reachable)
    alphas = list(noisy)
    signs = _signs(alphas, places).astype(np.float64)
    width, rows = len(places), len(alphas)
    endless = float(highspy.kHighsInf)
    solver.addVars(width + 1, np.zeros(width + 1), np.full(width + 1, endless))
    solver.changeColCost(width, 1.0)
    columns = np.arange(width + 1, dtype=np.int32)
    wanted = np.array([float(noisy[alpha]) for alpha in alphas])
    for at in range(rows):
        solver.addRow(-endless, wanted[at], width + 1, columns, np.append(signs[at], -1.0))
        solver.addRow(wanted[at], endless, width + 1, columns, np.append(signs[at], 1.0))
    solver.run()
    if solver.getModelStatus().name != "kOptimal":
        raise Unsupported("the solver found no consistent table", thing="fourier-marginals")
    found = np.maximum(np.array(solver.getSolution().col_value)[:width], 0.0)
    out = np.zeros(1 << bits, np.int64)
    out[places] = _rounded(found)
    return out


def _rounded(values: Floats) -> Ints:
    """Round by largest remainder: the total is the rounded total, ties go to the first."""
    whole = np.floor(values + 1e-9).astype(np.int64)
    lacking = round(float(values.sum())) - int(whole.sum())
    order = np.argsort(-(values - whole), kind="stable")[: max(lacking, 0)]
    whole[order] += 1
    return whole


class FourierMarginals(Algorithm):
    """Marginals with differentially private noise that are all those of one table of whole records.

    Columns are written as bits, d in all. A marginal on the bits a follows from the coefficients ``c_alpha = sum (-1)^<alpha,
    beta> x_beta`` with alpha inside a, so that F, all subsets of the wanted marginals, is all that is asked of the data. One
    record more or less changes each by 1: together by ``|F|`` (twice that if a record may be ``substitute``-d), and they get
    discrete Laplace noise of scale ``|F| / epsilon`` from OpenDP, which cannot be seeded. A linear program then finds a table
    ``w >= 0`` with coefficients as near as possible, at a corner, and its counts are rounded. All that is published are
    records of w: its marginals are whole, not negative, and agree wherever they share columns. With probability ``1 - delta``
    the error of a marginal on a, summed over its cells, is at most ``2^(|a|+1) |F| ln(2 |F| / delta) / epsilon + |F|``
    (:meth:`error_bound`). **Not truthful at record level.** Needs the extras ``dp`` and ``exact``.

    Examples
    --------
    >>> import sfumato
    >>> table = sfumato.from_rows(["sex", "job"], [("f", "cook"), ("f", "clerk"), ("m", "cook")] * 100)
    >>> algorithm = FourierMarginals(
    ...     domains={"sex": ["f", "m"], "job": ["cook", "clerk"]}, marginals=[["sex"], ["sex", "job"]]
    ... )
    >>> policy = {
    ...     "columns": {"sex": {"role": "quasi-identifier"}, "job": {"role": "quasi-identifier"}},
    ...     "requirements": [{"id": "differential-privacy", "epsilon": 1.0}],
    ...     "algorithm": algorithm.spec(),
    ... }
    >>> release = sfumato.anonymize(table, policy)
    >>> release.certificate["procedures"][0]["measured"], abs(release.table.rows - 300) < 300
    (1.0, True)

    References
    ----------
    Barak, Chaudhuri, Dwork, Kale, McSherry, Talwar, "Privacy, accuracy, and consistency too: a holistic solution to contingency
    table release", 2007, doi:10.1145/1265530.1265569.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 8.3.
    """

    id: ClassVar[str] = "fourier-marginals"
    traits: ClassVar[AlgorithmTraits] = AlgorithmTraits(
        recoding="none",
        release="synthetic-table",
        optimal=False,
        deterministic=False,
        truthful=False,
        anytime=False,
        model_needs=(),
        numeric_without_hierarchy=True,
        suppresses_records=False,
        cost="a linear program of 2^d unknowns and a row for each coefficient",
        works_on="rows",
        most_rows=ROWS_IN_MEMORY,
    )
    procedures: ClassVar[tuple[str, ...]] = (DifferentialPrivacy.id,)
    seedable: ClassVar[bool] = False
    spends: ClassVar[bool] = True

    domains: Any = param(doc="columns to publish, each with its categories or with low, high and bins")
    marginals: tuple[tuple[str, ...], ...] = param(
        default=(), doc="groups of columns whose counts are wanted; each column alone if none is named"
    )

    def validate(self) -> None:
        """Refuse marginals of unknown columns, and more bits than a program can hold."""
        domains, where = domains_of(self.domains, f"{self.id}.domains"), f"{self.id}.marginals"
        for marginal in self.marginals:
            refuse_strange(marginal, domains, where)
        bits = sum(self.widths().values())
        if bits > MOST_BITS:
            raise BadRequest(
                f"needs {bits} bits for all columns, at most {MOST_BITS} can be fitted", parameter=f"{self.id}.domains"
            )

    def wanted(self) -> tuple[tuple[str, ...], ...]:
        """Return the marginals that are wanted: those named, and one for each column that is in none of them."""
        return every_marginal(self.marginals, self.domains)

    def widths(self) -> dict[str, int]:
        """Return how many bits each column takes."""
        domains = domains_of(self.domains, f"{self.id}.domains")
        return {name: max(1, math.ceil(math.log2(max(domain.cells, 2)))) for name, domain in domains.items()}

    def masks(self) -> list[int]:
        """Return the bits of each wanted marginal, those of the first column first."""
        found = []
        for marginal in self.wanted():
            mask = 0
            for name, width in self.widths().items():
                mask = mask << width | (((1 << width) - 1) if name in marginal else 0)
            found.append(mask)
        return found

    def closure(self) -> list[int]:
        """Return F: the coefficients that are asked of the data."""
        return downward_closure(self.masks())

    def error_bound(self, marginal: Sequence[str], epsilon: float, delta: float = 0.05) -> float:
        """Return what the error of a marginal, summed over its cells, exceeds with probability delta at most."""
        size = len(self.closure())
        bits = sum(self.widths()[name] for name in marginal)
        return float(2 ** (bits + 1) * size * math.log(2 * size / delta) / epsilon + size)

    def promised(self, model: MechanismModel) -> Audit | None:
        """Return the epsilon that the coefficients spend together."""
        if not isinstance(model, DifferentialPrivacy):
            return None
        return model.audited(float(model.epsilon), at_most(float(model.epsilon)), {"coefficients": len(self.closure())})

    def contingency(self, table: Table) -> Ints:
        """Return the counts of all 2^d cells before the noise; they must stay."""
        where = f"{self.id}.domains"
        key = np.zeros(table.rows, np.int64)
        for name, domain in domains_of(self.domains, where).items():
            codes = domain.codes(table, where)
            if (codes < 0).any():
                raise BadRequest("holds values outside of the declared domain", column=name, parameter=where)
            key = key << self.widths()[name] | codes
        return np.bincount(key, minlength=1 << sum(self.widths().values())).astype(np.int64)

    def fitted(self, counts: Ints, epsilon: float, *, adjacency: str = ADD_REMOVE) -> Ints:
        """Return whole counts whose marginals are private; spends epsilon."""
        alphas = self.closure()
        exact = fourier_coefficients(counts, alphas)
        noise = _laplace(epsilon, len(alphas) * (2 if adjacency == SUBSTITUTE else 1))
        noisy = dict(zip(alphas, noise.add(exact.tolist()), strict=True))
        return consistent_table(noisy, sum(self.widths().values()), self._reachable())

    def _reachable(self) -> Bools:
        """Return which cells stand for values; codes beyond a domain stand for nothing."""
        domains, widths = domains_of(self.domains, f"{self.id}.domains"), self.widths()
        found, cells = np.ones(1 << sum(widths.values()), bool), np.arange(1 << sum(widths.values()))
        for name in reversed(widths):
            found &= (cells & ((1 << widths[name]) - 1)) < domains[name].cells
            cells = cells >> widths[name]
        return found

    def run(self, task: Task, run: Run) -> Outcome:
        """Count with noise, fit a table, and publish its records."""
        model = only_procedure(task, self, DifferentialPrivacy)
        raw, widths = records_of(task, self.id), self.widths()
        budget = Budget(model.epsilon)
        audit, exact = self.promised(model), self.contingency(raw)
        assert audit is not None
        run.charge(float(audit.measured))
        share = budget.spend(budget.shares(1)[0], purpose="Fourier coefficients")
        found = self.fitted(exact, float(share), adjacency=model.adjacency)
        run.checkpoint()
        cells = np.repeat(np.arange(len(found)), found)
        codes: dict[str, Ints] = {}
        for name in reversed(widths):
            codes[name] = cells & ((1 << widths[name]) - 1)
            cells = cells >> widths[name]
        noisy = {
            " x ".join(marginal): list(marginal_of_table(found, mask).values())
            for marginal, mask in zip(self.wanted(), self.masks(), strict=True)
        }
        return published(
            task,
            self.id,
            model,
            raw,
            domains_of(self.domains, f"{self.id}.domains"),
            codes,
            settings={
                "marginals": [list(marginal) for marginal in self.wanted()],
                "coefficients": len(self.closure()),
            },
            noisy_counts=noisy,
            budget=budget,
            audit=audit,
            run=run,
        )
