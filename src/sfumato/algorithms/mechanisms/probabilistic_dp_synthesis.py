"""Synthetic records from a multinomial model with prior counts, private but for rare outputs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from sfumato.algorithms.mechanisms._dirichlet import UNITS, disclosure, polya_draws, smallest_prior, sure_prior
from sfumato.algorithms.mechanisms._procedures import only_procedure, refuse_unmet, seed_note
from sfumato.contracts.algorithm import ROWS_IN_MEMORY, Algorithm, AlgorithmTraits, Outcome, Task
from sfumato.contracts.columns import made
from sfumato.contracts.engine import Table
from sfumato.contracts.facts import MechanismFacts
from sfumato.contracts.model import Audit, MechanismModel, at_most
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.errors import BadRequest, Unsupported
from sfumato.kernels.arrays import Ints
from sfumato.models.differential_privacy import ADD_REMOVE, SUBSTITUTE, DifferentialPrivacy
from sfumato.models.probabilistic_differential_privacy import ProbabilisticDifferentialPrivacy
from sfumato.perturbations.domains import Domain, domains_of
from sfumato.releases.synthetic_table import SyntheticTable
from sfumato.searches.grouping import left_out, records_of

__all__ = ["ProbabilisticDPSynthesis"]

MOST_CELLS = 1_000_000


class ProbabilisticDPSynthesis(Algorithm):
    """Records are drawn from a multinomial model of the table with prior counts, private but for rare outputs.

    The published columns have K possible combinations (cells). Shares of the cells are drawn from the Dirichlet law
    with parameters ``count + prior``, and m records from these shares. With ``prior >= m / (e^epsilon - 1)`` in every
    cell the output is epsilon-differentially private: that is what the requirement ``differential-privacy`` asks for,
    and it leaves little of the data. With ``probabilistic-differential-privacy`` a smaller prior is enough: the
    smallest is taken for which outputs that tell more than epsilon have probability delta at most, over the worst of
    all tables with as many records.

    How many records the table has is public under ``substitute`` and is stated; under ``add-remove`` (only with delta =
    0) the number of ``records`` to draw must be declared. ``domains`` must be known without the data: categories, or
    ``{low: , high: , bins: }``. Fewer cells need less prior: declare no more of a domain than makes sense. Filtering
    data that do not fit, as the paper does, is not done: it would look at the data without paying for it.

    Records are drawn with whole numbers only (an urn with copies), so no rounding of floats tells more; who knows the
    seed can take the drawing back. The release is a ``synthetic-table``: **not truthful at record level**. The facts
    hold ``prior``, ``cells`` and the ``delta`` reached.

    Examples
    --------
    >>> import sfumato
    >>> table = sfumato.from_rows(["sex", "job"], [("f", "cook"), ("m", "cook"), ("m", "clerk"), ("f", "cook")] * 50)
    >>> known = {"sex": ["f", "m"], "job": ["cook", "clerk"]}
    >>> policy = {
    ...     "columns": {"sex": {"role": "quasi-identifier"}, "job": {"role": "quasi-identifier"}},
    ...     "requirements": [{"id": "probabilistic-differential-privacy", "epsilon": 1.0, "delta": 1e-5}],
    ...     "algorithm": ProbabilisticDPSynthesis(domains=known, records=100).spec(),
    ...     "seed": 7,
    ... }
    >>> release = sfumato.anonymize(table, policy)
    >>> release.table.rows, release.certificate["procedures"][0]["measured"] <= 1e-5
    (100, True)
    >>> round(release.private.facts["prior"], 1), round(100 / (2.718281828 - 1), 1)
    (15.7, 58.2)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 5.4.1.
    Machanavajjhala, Kifer, Abowd, Gehrke, Vilhuber, "Privacy: theory meets practice on the map", 2008,
    doi:10.1109/ICDE.2008.4497436.
    """

    id: ClassVar[str] = "probabilistic-dp-synthesis"
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
        cost="records, cells, and the calibration of the prior",
        works_on="rows",
        most_rows=ROWS_IN_MEMORY,
    )
    procedures: ClassVar[tuple[str, ...]] = (ProbabilisticDifferentialPrivacy.id, DifferentialPrivacy.id)
    spends: ClassVar[bool] = True

    domains: Any = param(doc="columns to draw, each with its categories or with low, high and bins")
    records: int | None = param(default=None, ge=1, doc="how many records to draw; as many as the table has if not set")
    prior: float | None = param(
        default=None, gt=0, doc="prior count of each cell; the smallest that suffices if not set"
    )
    population: int | None = param(default=None, ge=1, doc="how many records the table has; counted if not set")

    def validate(self) -> None:
        """Refuse domains that are none, or that make too many cells."""
        domains = domains_of(self.domains, f"{self.id}.domains")
        cells = math.prod(domain.cells for domain in domains.values())
        if cells > MOST_CELLS:
            raise BadRequest(
                f"make {cells:,} cells, at most {MOST_CELLS:,} are counted", parameter=f"{self.id}.domains"
            )

    @property
    def cells(self) -> int:
        """The number of possible records."""
        return math.prod(domain.cells for domain in domains_of(self.domains, f"{self.id}.domains").values())

    # ---- what it promises --------------------------------------------------------------------------------------------

    def settled(self, model: MechanismModel, rows: int) -> ProbabilisticDPSynthesis:
        """Return the algorithm for a table of this many rows, the prior calibrated to the requirement if none is given."""
        declared = self.records is not None
        if getattr(model, "adjacency", SUBSTITUTE) == ADD_REMOVE:
            if isinstance(model, ProbabilisticDifferentialPrivacy) and model.delta > 0:
                raise Unsupported(
                    f"{self.id} bounds rare outputs for tables of one size only",
                    thing=model.id,
                    alternatives=[SUBSTITUTE],
                )
            if not declared:
                raise BadRequest(
                    f"must be declared where neighbours have one record more or less ({ADD_REMOVE})",
                    parameter=f"{self.id}.records",
                    available=[f"adjacency: {SUBSTITUTE}"],
                )
        own = replace(self, records=self.records or rows, population=self.population or rows)
        return own if own.prior is not None else replace(own, prior=own._smallest(model) / UNITS)

    def _smallest(self, model: MechanismModel) -> int:
        if isinstance(model, ProbabilisticDifferentialPrivacy):
            return smallest_prior(self.cells, self.population or 0, self.records or 0, model.epsilon, model.delta)
        assert isinstance(model, DifferentialPrivacy)
        return sure_prior(self.records or 0, model.epsilon)

    @property
    def prior_units(self) -> int:
        """The prior count of a cell as the drawing uses it, rounded down to its smallest unit."""
        return math.floor((self.prior or 0.0) * UNITS)

    def promised(self, model: MechanismModel) -> Audit | None:
        """Return the level that the prior reaches; ``None`` before the sizes are settled."""
        if self.records is None or self.population is None or self.prior is None:
            return None
        if isinstance(model, ProbabilisticDifferentialPrivacy):
            reached = disclosure(self.cells, self.population, self.records, model.epsilon, self.prior_units)
            return model.audited(reached, at_most(float(model.delta)), {"prior": self.prior})
        if isinstance(model, DifferentialPrivacy):
            units = self.prior_units
            level = math.log1p(self.records * UNITS / units) if units > 0 else math.inf
            return model.audited(level, at_most(float(model.epsilon)), {"prior": self.prior})
        return None

    # ---- the release -------------------------------------------------------------------------------------------------

    def run(self, task: Task, run: Run) -> Outcome:
        """Draw the records."""
        model = only_procedure(task, self, MechanismModel)
        adjacency = getattr(model, "adjacency", SUBSTITUTE)
        raw, where = records_of(task, self.id), f"{self.id}.domains"
        domains = domains_of(self.domains, where)
        counts = _counts(raw, domains, where)
        own = self.settled(model, raw.rows)
        if own.population != raw.rows and adjacency == SUBSTITUTE:
            raise BadRequest("is not the number of records of the table", parameter=f"{self.id}.population")
        audit = refuse_unmet(own.promised(model))
        reached, total = float(audit.measured), own.records or 0
        pair = (model.epsilon, reached) if isinstance(model, ProbabilisticDifferentialPrivacy) else (reached, 0.0)
        run.charge(*pair)
        drawn = polya_draws(counts.ravel(), own.prior_units, total, run.rng)
        cells = np.unravel_index(drawn, counts.shape)
        columns = {
            name: domain.values(at.astype(np.int64), raw.types[name], run.rng, where)
            for (name, domain), at in zip(domains.items(), cells, strict=True)
        }
        settings = {
            "prior": own.prior,
            "records": total,
            "cells": own.cells,
            "neighbours": say("settings.one_replaced") if adjacency == SUBSTITUTE else say("settings.one_more"),
            # Under add-remove the size of the table is what is protected.
            **({"records_of_the_table": own.population} if adjacency == SUBSTITUTE else {}),
        }
        names = tuple(name for name in raw.columns if name in domains)
        hidden = replace(own, population=1) if adjacency == ADD_REMOVE else own
        return Outcome(
            built=SyntheticTable.build(
                made({name: columns[name] for name in names}, raw.home).sort(),
                mechanism=self.id,
                settings=settings,
                domains={name: domains[name].declared() for name in names},
            ),
            audits=(audit,),
            procedure=hidden.spec(),
            warnings=[
                *left_out(task, self.id, names),
                say("warning.rows_drawn"),
                seed_note(),
            ],
            facts=MechanismFacts(prior=own.prior, cells=own.cells, delta=getattr(model, "delta", 0.0)),
        )


def _counts(raw: Table, domains: Mapping[str, Domain], where: str) -> Ints:
    """Return the records in each cell; refuse records outside of the domains."""
    codes = []
    for name, domain in domains.items():
        if domain.size(raw.types[name], where) != domain.cells if name in raw.types else False:
            raise BadRequest("has more bins than whole numbers", column=name, parameter=where)
        held = domain.codes(raw, where)
        if (held < 0).any():
            raise BadRequest("holds values outside of the declared domain", column=name, parameter=where)
        codes.append(held)
    shape = tuple(domain.cells for domain in domains.values())
    flat = np.ravel_multi_index(tuple(codes), shape)
    return np.bincount(flat, minlength=math.prod(shape)).reshape(shape).astype(np.int64)
