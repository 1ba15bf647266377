"""A synthetic table from noisy marginals: columns are counted together with noise, and records drawn from the counts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from sfumato.algorithms.mechanisms._private_marginals import every_marginal, published, refuse_strange
from sfumato.algorithms.mechanisms._procedures import only_procedure
from sfumato.contracts.algorithm import ROWS_IN_MEMORY, Algorithm, AlgorithmTraits, Outcome, Task
from sfumato.contracts.engine import Table
from sfumato.contracts.model import Audit, MechanismModel, at_most
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Floats, Ints
from sfumato.models.differential_privacy import ADD_REMOVE, SUBSTITUTE, DifferentialPrivacy
from sfumato.perturbations.budget import Budget
from sfumato.perturbations.domains import Domain, domains_of
from sfumato.perturbations.opendp_noise import OpenDPLaplace
from sfumato.searches.grouping import records_of

__all__ = ["DPMarginals"]

MOST_CELLS = 1_000_000

# Building a law takes longer than drawing from it.
_laplace = lru_cache(maxsize=64)(OpenDPLaplace)


class DPMarginals(Algorithm):
    """Chosen groups of columns are counted with differentially private noise, and records are drawn from the noisy counts.

    For M marginals each count gets discrete Laplace noise of scale ``M / epsilon`` (twice that if a record may be
    ``substitute``-d). One record more or less changes one count of each marginal by 1, so all counts together, and
    whatever is drawn from them, are epsilon-differentially private; epsilon is that of the requirement
    ``differential-privacy``. Negative counts become 0.

    Records are drawn marginal by marginal: the first gives its columns together, each further one draws its new columns
    given those that it shares with earlier ones, ``P(new | shared)``. So ``[[sex, job], [job, income]]`` keeps both
    pairs and makes sex and income independent given the job. Columns in no marginal are drawn alone. The number of
    records is the noisy total, unless you declare it.

    ``domains`` must be known without the data: categories, or ``{low: , high: , bins: }`` of numbers, drawn evenly from
    their bin. A refusal because of a value outside tells something of the data, so keep it inside, or choose to
    ``leave-out`` such records. The noise comes from OpenDP (extra ``dp``) and cannot be seeded. The release is a
    ``synthetic-table``: **not truthful at record level**. The facts hold the noisy counts, which may be published too.

    Examples
    --------
    >>> import sfumato
    >>> rows = [("f", "cook"), ("f", "cook"), ("m", "clerk"), ("m", "cook")] * 50
    >>> table = sfumato.from_rows(["sex", "job"], rows)
    >>> known = {"sex": ["f", "m"], "job": ["cook", "clerk"]}
    >>> policy = {
    ...     "columns": {"sex": {"role": "quasi-identifier"}, "job": {"role": "quasi-identifier"}},
    ...     "requirements": [{"id": "differential-privacy", "epsilon": 1.0}],
    ...     "algorithm": DPMarginals(domains=known, marginals=[["sex", "job"]], records=100).spec(),
    ... }
    >>> release = sfumato.anonymize(table, policy)
    >>> release.table.rows, release.certificate["procedures"][0]["measured"]
    (100, 1.0)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 5.4.1.
    Dwork, McSherry, Nissim, Smith, "Calibrating noise to sensitivity in private data analysis", 2006,
    doi:10.1007/11681878_14.
    """

    id: ClassVar[str] = "dp-marginals"
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
        cost="records and cells of each marginal",
        works_on="rows",
        most_rows=ROWS_IN_MEMORY,
    )
    procedures: ClassVar[tuple[str, ...]] = (DifferentialPrivacy.id,)
    seedable: ClassVar[bool] = False
    spends: ClassVar[bool] = True

    domains: Any = param(doc="columns to draw, each with its categories or with low, high and bins")
    marginals: tuple[tuple[str, ...], ...] = param(
        default=(), doc="groups of columns that are counted together; each column alone if none is named"
    )
    records: int | None = param(default=None, ge=1, doc="how many records to draw; the noisy total if not set")
    outside: str = param(
        default="refuse", choices=("refuse", "leave-out"), doc="what happens to records outside of the domains"
    )

    def validate(self) -> None:
        """Refuse marginals of unknown columns, marginals that add no column, and more cells than can be counted."""
        domains, where = domains_of(self.domains, f"{self.id}.domains"), f"{self.id}.marginals"
        drawn: set[str] = set()
        for marginal in self.counted():
            refuse_strange(marginal, domains, where)
            if set(marginal) <= drawn:
                raise BadRequest("adds no column to the marginals before it", parameter=where, value=marginal)
            cells = math.prod(domains[name].cells for name in marginal)
            if cells > MOST_CELLS:
                raise BadRequest(
                    f"has {cells:,} cells, at most {MOST_CELLS:,} are counted", parameter=where, value=marginal
                )
            drawn |= set(marginal)

    def counted(self) -> tuple[tuple[str, ...], ...]:
        """Return all marginals: those named, and one for each column that is in none of them."""
        return every_marginal(self.marginals, self.domains)

    def promised(self, model: MechanismModel) -> Audit | None:
        """Return the epsilon that the marginals spend together."""
        if not isinstance(model, DifferentialPrivacy):
            return None
        budget = Budget(model.epsilon)
        for share in budget.shares(len(self.counted())):
            budget.spend(share)
        return model.audited(budget.spent, at_most(float(model.epsilon)), {"marginals": len(self.counted())})

    def run(self, task: Task, run: Run) -> Outcome:
        """Count with noise and draw the records."""
        model = only_procedure(task, self, DifferentialPrivacy)
        raw, where = records_of(task, self.id), f"{self.id}.domains"
        domains, marginals = domains_of(self.domains, where), self.counted()
        budget = Budget(model.epsilon)
        audit, exact = self.promised(model), self.exact(raw)
        assert audit is not None
        run.charge(float(audit.measured))
        noisy = self.noised(exact, budget, adjacency=model.adjacency)
        total = self.records or max(1, round(sum(float(counts.sum()) for counts in noisy) / len(noisy)))
        cells = _drawn(marginals, noisy, total, run.rng)
        return published(
            task,
            self.id,
            model,
            raw,
            domains,
            cells,
            settings={"marginals": [list(marginal) for marginal in marginals]},
            noisy_counts={" x ".join(m): counts.tolist() for m, counts in zip(marginals, noisy, strict=True)},
            budget=budget,
            audit=audit,
            run=run,
        )

    def exact(self, table: Table) -> list[Ints]:
        """Return the counts of every marginal before the noise; they must stay."""
        where = f"{self.id}.domains"
        domains = domains_of(self.domains, where)
        codes = self._codes(table, domains, where)
        sizes = {name: domain.size(table.types[name], where) for name, domain in domains.items()}
        return [_counts(codes, sizes, marginal) for marginal in self.counted()]

    def noised(self, exact: Sequence[Ints], budget: Budget, *, adjacency: str = ADD_REMOVE) -> list[Floats]:
        """Return the counts with noise; spends what is left of the budget evenly on the marginals."""
        out = []
        for marginal, counts, share in zip(self.counted(), exact, budget.shares(len(exact)), strict=True):
            noise = _laplace(budget.spend(share, purpose=" x ".join(marginal)), 2 if adjacency == SUBSTITUTE else 1)
            out.append(np.array(noise.add(counts.ravel().tolist()), np.float64).reshape(counts.shape))
        return out

    def _codes(self, raw: Table, domains: Mapping[str, Domain], where: str) -> dict[str, Ints]:
        codes = {name: domain.codes(raw, where) for name, domain in domains.items()}
        if self.outside == "refuse":
            for name, cells in codes.items():
                if (cells < 0).any():
                    raise BadRequest("holds values outside of the declared domain", column=name, parameter=where)
        inside = np.all([cells >= 0 for cells in codes.values()], axis=0)
        return {name: cells[inside] for name, cells in codes.items()}


def _counts(codes: Mapping[str, Ints], sizes: Mapping[str, int], marginal: Sequence[str]) -> Ints:
    shape = tuple(sizes[name] for name in marginal)
    flat = np.ravel_multi_index(tuple(codes[name] for name in marginal), shape)
    return np.bincount(flat, minlength=math.prod(shape)).reshape(shape).astype(np.int64)


def _drawn(
    marginals: Sequence[Sequence[str]], noisy: Sequence[Floats], total: int, rng: np.random.Generator
) -> dict[str, Ints]:
    """Draw cells for all columns, marginal by marginal, given what earlier ones have drawn."""
    out: dict[str, Ints] = {}
    for marginal, counts in zip(marginals, noisy, strict=True):
        known = [at for at, name in enumerate(marginal) if name in out]
        new = [at for at, name in enumerate(marginal) if name not in out]
        shape = tuple(counts.shape[at] for at in new)
        weights = np.clip(counts, 0.0, None).transpose([*known, *new])
        rows = weights.reshape(math.prod(counts.shape[at] for at in known), math.prod(shape))
        given = np.zeros(total, np.int64)
        if known:
            held = tuple(out[marginal[at]] for at in known)
            given = np.ravel_multi_index(held, tuple(counts.shape[at] for at in known)).astype(np.int64)
        cells = np.empty(total, np.int64)
        for row in np.unique(given).tolist():
            here = np.flatnonzero(given == row)
            mass = rows[row].sum()
            # With nothing but noise below zero, all that is known is the domain.
            shares = rows[row] / mass if mass > 0 else np.full(rows.shape[1], 1 / rows.shape[1])
            cells[here] = rng.choice(rows.shape[1], len(here), p=shares)
        for at, drawn in zip(new, np.unravel_index(cells, shape), strict=True):
            out[marginal[at]] = drawn.astype(np.int64)
    return out
