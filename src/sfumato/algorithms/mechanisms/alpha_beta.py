"""The alpha-beta algorithm: true records are published with one probability, all other possible records with a smaller one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from sfumato.algorithms.mechanisms._private_queries import private_queries
from sfumato.algorithms.mechanisms._procedures import only_procedure, refuse_unmet, seed_note
from sfumato.contracts.algorithm import ROWS_IN_MEMORY, Algorithm, AlgorithmTraits, Outcome, Task
from sfumato.contracts.columns import made
from sfumato.contracts.engine import Table
from sfumato.contracts.facts import MechanismFacts
from sfumato.contracts.model import Audit, MechanismModel
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.data.text import to_text
from sfumato.data.words import counted
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Ints
from sfumato.models.d_gamma_privacy import DGammaPrivacy, posterior_absent, posterior_present
from sfumato.perturbations.domains import Domain, domains_of
from sfumato.releases.perturbed_table import PerturbedTable
from sfumato.searches.grouping import left_out, records_of

__all__ = ["AlphaBeta"]

LARGEST = 10_000_000


class AlphaBeta(Algorithm):
    """True records are published with probability alpha + beta, all other possible records with probability beta.

    The table is a set D of records from a finite domain Dom. Every record of D is published with probability ``alpha +
    beta`` and every other record of Dom with probability ``beta``, all independently. So ``(alpha + beta) |D| + beta
    (|Dom| - |D|)`` records are expected, and if m of the M possible records that a query asks for are published, ``(m -
    beta M) / alpha`` estimates without bias how many are in D (:meth:`estimate`). After the release the belief p in a
    record is ``p (alpha + beta) / (p (alpha + beta) + (1 - p) beta)`` if it was published, and ``p (1 - alpha - beta) /
    (p (1 - alpha - beta) + (1 - p) (1 - beta))`` if not (:meth:`posterior`).

    The requirement is ``d-gamma-privacy``. Without alpha and beta those with the largest alpha are taken that meet it
    for all priors up to d: with ``k = gamma (1 - d) / (d (1 - gamma))`` and ``u = 1 - d / gamma``, ``beta = u / (k - 1
    + u)`` and ``alpha = (k - 1) beta``. Given ones are checked.

    ``domains`` gives for each published column its categories, or ``{low: , high: }`` of whole numbers, from what is
    known without the data. Values outside of them and repeated records are refused. False records are drawn without
    going through the domain. The release is a ``perturbed-table``: **not truthful at record level**, a published record
    may be nobody's. The facts hold ``domain_size``, ``kept`` and ``counterfeits``.

    Examples
    --------
    >>> import sfumato
    >>> table = sfumato.from_rows(["age", "job"], [(30, "cook"), (41, "clerk"), (28, "cook")])
    >>> known = {"age": {"low": 18, "high": 67}, "job": ["cook", "clerk"]}
    >>> policy = {
    ...     "columns": {"age": {"role": "quasi-identifier"}, "job": {"role": "quasi-identifier"}},
    ...     "requirements": [{"id": "d-gamma-privacy", "d": 0.05, "gamma": 0.3}],
    ...     "algorithm": AlphaBeta(domains=known).spec(),
    ...     "seed": 7,
    ... }
    >>> release = sfumato.anonymize(table, policy)
    >>> {key: round(value, 4) for key, value in release.certificate["release"]["parameters"]["settings"].items()}
    {'alpha': 0.7463, 'beta': 0.1045}
    >>> AlphaBeta(alpha=0.3, beta=0.1, domains=known).estimate(published=18, possible=120)
    20.0

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 5.4.2.
    Rastogi, Suciu, Hong, "The boundary between privacy and utility in data publishing", 2007.
    """

    id: ClassVar[str] = "alpha-beta"
    traits: ClassVar[AlgorithmTraits] = AlgorithmTraits(
        recoding="none",
        release="perturbed-table",
        optimal=False,
        deterministic=False,
        truthful=False,
        anytime=False,
        model_needs=(),
        numeric_without_hierarchy=True,
        suppresses_records=False,
        cost="records and expected false records",
        works_on="rows",
        most_rows=ROWS_IN_MEMORY,
    )
    procedures: ClassVar[tuple[str, ...]] = (DGammaPrivacy.id,)

    domains: Any = param(doc="columns to publish, each with its categories or with low and high of whole numbers")
    alpha: float | None = param(
        default=None, ge=0, le=1, doc="by how much true records are likelier; calibrated if not set"
    )
    beta: float | None = param(
        default=None, ge=0, le=1, doc="probability of a record that is not true; calibrated if not set"
    )

    def validate(self) -> None:
        """Refuse one probability without the other, probabilities beyond 1, and domains that are not finite."""
        if (self.alpha is None) != (self.beta is None):
            raise BadRequest("give alpha and beta, or neither", parameter=self.id)
        if self.alpha is not None and self.beta is not None and self.alpha + self.beta > 1 + 1e-12:
            raise BadRequest("must not exceed 1", parameter=f"{self.id}.alpha + beta", value=self.alpha + self.beta)
        self.finite_domains()

    def finite_domains(self) -> dict[str, Domain]:
        """Return the domains by column: categories, or whole numbers."""
        where = f"{self.id}.domains"
        found = domains_of(self.domains, where)
        for name, domain in found.items():
            if domain.bins and not domain.whole:
                raise BadRequest(
                    "must be finite: a list of categories, or low and high of whole numbers",
                    column=name,
                    parameter=where,
                )
        return found

    # ---- what it promises --------------------------------------------------------------------------------------------

    def settled(self, model: DGammaPrivacy) -> AlphaBeta:
        """Return the algorithm with alpha and beta, calibrated to the requirement if none are given."""
        if self.alpha is not None:
            return self
        chosen = model.calibrate(exact=True)
        return replace(self, alpha=chosen["alpha"], beta=chosen["beta"])

    def promised(self, model: MechanismModel) -> Audit | None:
        """Return the smallest gamma that alpha and beta give for all priors up to d."""
        if not isinstance(model, DGammaPrivacy):
            return None
        alpha, beta = self.settled(model).probabilities
        return model.audit(alpha, beta)

    @property
    def probabilities(self) -> tuple[float, float]:
        """Alpha and beta; refused before they are settled."""
        if self.alpha is None or self.beta is None:
            raise BadRequest("is settled by the requirement; give it, or use settled()", parameter=f"{self.id}.alpha")
        return self.alpha, self.beta

    @property
    def keep_probability(self) -> float:
        """Probability that a record of the table is published."""
        return sum(self.probabilities)

    @property
    def counterfeit_probability(self) -> float:
        """Probability that a possible record is published that is not in the table."""
        return self.probabilities[1]

    @property
    def domain_size(self) -> int:
        """The number of possible records."""
        return math.prod(domain.cells for domain in self.finite_domains().values())

    def expected_size(self, records: int, domain_size: int | None = None) -> float:
        """Return how many records are published on average."""
        possible = self.domain_size if domain_size is None else domain_size
        return self.keep_probability * records + self.counterfeit_probability * (possible - records)

    def posterior(self, prior: float, *, published: bool) -> float:
        """Return the belief in a record after the release."""
        alpha, beta = self.probabilities
        return posterior_present(prior, alpha, beta) if published else posterior_absent(prior, alpha, beta)

    def estimate(self, published: float, possible: float) -> float:
        """Estimate how many records of the table meet a query, from the published and the possible ones that do."""
        alpha, beta = self.probabilities
        if alpha == 0:
            raise BadRequest(
                "must be above 0: true records are as likely as others", parameter=f"{self.id}.alpha", value=0
            )
        return (published - beta * possible) / alpha

    def estimate_where(self, table: Table, where: Mapping[str, object]) -> float:
        """Estimate how many records of the raw table meet conditions, from the published table.

        Conditions map columns to a value, a list of values, or ``{low: , high: }``.
        """
        (query,) = private_queries([{"count": dict(where)}], "where")
        possible = 1
        for name, domain in self.finite_domains().items():
            given = query.where.get(name)
            possible *= domain.cells if given is None else _meeting(domain, given)
        return self.estimate(float(query.mask(table).sum()), possible)

    # ---- the release -------------------------------------------------------------------------------------------------

    def run(self, task: Task, run: Run) -> Outcome:
        """Draw the published records."""
        model = only_procedure(task, self, DGammaPrivacy)
        own = self.settled(model)
        audit = refuse_unmet(own.promised(model))
        raw, domains = records_of(task, self.id), own.finite_domains()
        where, names, possible = f"{self.id}.domains", tuple(domains), own.domain_size
        true = _places(raw, domains, where)
        if possible >= 2**62 or own.expected_size(len(true)) > LARGEST:
            raise BadRequest(
                f"{possible:,} possible records with beta={own.counterfeit_probability:g} would publish more than "
                f"{LARGEST:,} records",
                parameter=where,
            )
        kept = true[run.rng.random(len(true)) < own.keep_probability]
        false = _counterfeits(true, possible, own.counterfeit_probability, run.rng)
        places = np.sort(np.concatenate([kept, false]))
        columns: dict[str, object] = {}
        for name in reversed(names):
            places, cells = np.divmod(places, domains[name].cells)
            columns[name] = domains[name].values(cells, raw.types[name], run.rng, where)
        table = made({name: columns[name] for name in names}, raw.home).sort()
        alpha, beta = own.probabilities
        return Outcome(
            built=PerturbedTable.build(table, names, mechanism=self.id, settings={"alpha": alpha, "beta": beta}),
            audits=(audit,),
            procedure=own.spec(),
            warnings=[*left_out(task, self.id, names), say("warning.nobodys_record"), seed_note()],
            facts=MechanismFacts(domain_size=possible, kept=len(kept), counterfeits=len(false)),
        )


def _meeting(domain: Domain, given: object) -> int:
    """Return how many values of a domain meet a condition."""
    if isinstance(given, Mapping):
        if domain.whole:
            low, high = max(float(given["low"]), domain.low), min(float(given["high"]), domain.high)
            return max(0, math.floor(high) - math.ceil(low) + 1)
        return sum(given["low"] <= value <= given["high"] for value in domain.categories)
    wanted = {to_text(value) for value in (given if isinstance(given, list) else [given])}
    if domain.whole:
        return sum(text.lstrip("-").isdecimal() and domain.low <= int(text) <= domain.high for text in wanted)
    return sum(to_text(value) in wanted for value in domain.categories)


def _places(table: Table, domains: Mapping[str, Domain], where: str) -> Ints:
    """Return the number of each record among all possible ones; refuse values outside of the domain and repeated records."""
    out = np.zeros(table.rows, np.int64)
    for name, domain in domains.items():
        cells = domain.codes(table, where)
        if (cells < 0).any():
            raise BadRequest(
                f"{counted(int((cells < 0).sum()), 'record lies', 'records lie')} outside of the declared domain",
                column=name,
                parameter=where,
            )
        out = out * domain.cells + cells
    twice = len(out) - len(np.unique(out))
    if twice:
        raise BadRequest(
            f"the table must be a set: {twice:,} records repeat another one in these columns",
            parameter=where,
            value=list(domains),
        )
    return out


def _counterfeits(true: Ints, possible: int, beta: float, rng: np.random.Generator) -> Ints:
    """Draw each possible record that is not true with probability beta, without going through all of them."""
    others = possible - len(true)
    count = int(rng.binomial(others, beta))
    ranks = np.sort(rng.choice(others, count, replace=False, shuffle=False)) if count else np.empty(0, np.int64)
    # The r-th record that is not true: r, and one more for each true record at or below it.
    held = np.sort(true)
    found: Ints = ranks + np.searchsorted(held - np.arange(len(held)), ranks, side="right")
    return found
