"""Perturbed generalization: groups of k, one record drawn from each, and a sensitive value that may be replaced."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from sfumato.algorithms.mechanisms._procedures import seed_note
from sfumato.catalogue import build
from sfumato.contracts.algorithm import ROWS_IN_MEMORY, Algorithm, AlgorithmTraits, Outcome, Task
from sfumato.contracts.columns import arrow_of, linked, made
from sfumato.contracts.engine import Table
from sfumato.contracts.facts import MechanismFacts
from sfumato.contracts.run import Run
from sfumato.contracts.thing import column, param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.text import from_text, to_text
from sfumato.errors import BadRequest, Unsupported
from sfumato.releases.perturbed_table import PerturbedTable
from sfumato.searches.grouping import group_size, left_out, records_of

__all__ = ["Corruption", "PerturbedGeneralization", "corruption", "largest_retention", "worst_growth"]

WEIGHT = "Weight"
STEPS = 80


@frozen
class Corruption:
    """What a release tells about a victim whose whole group has been corrupted, with values other than the published one.

    ``u`` is the chance that a replaced value becomes a given one, ``own`` that the published row is the victim's,
    ``posterior`` the belief in the published value afterwards, and ``growth`` what it gained."""

    u: float
    own: float
    posterior: float
    growth: float


class PerturbedGeneralization(Algorithm):
    """Groups of at least k records are published by one record each, whose sensitive value may have been replaced.

    1. *Perturb*: every sensitive value stays with probability p, else it becomes a value drawn evenly from its domain U
       (which may be the same one).
    2. *Generalize*: the quasi-identifiers are generalized to groups of at least k records (by ``mondrian``), without a
    look at
       sensitive values.
    3. *Sample*: of each group one record drawn at random is published, with the size of the group as its weight.

    Even if all other members of a group have told their values, the belief in the published value of a victim with
    prior ``x`` grows by no more than ``p x (1 - x) / (p x + k (1 - p) / |U|)`` (:func:`corruption`); that bound falls
    with k and rises with p. :func:`largest_retention` gives the largest p for which no prior up to a limit grows by
    more than an amount. With p = 1 nothing is replaced, and a corrupted group tells the value for certain.

    k is that of k-anonymity, counted in the release by weights; other requirements are refused. The release is a
    ``perturbed-table``: **not truthful at record level**, the sensitive value in a row may be nobody's. The facts hold
    ``groups``, ``domain_size`` and ``worst_growth`` (for k, over all priors).

    Adversary: knows the quasi-identifiers of all members of a group, and the sensitive values of all but one.

    Examples
    --------
    >>> import sfumato
    >>> rows = [(20 + i, ("flu", "hiv", "cold")[i % 3]) for i in range(24)]
    >>> policy = {
    ...     "columns": {"age": {"role": "quasi-identifier"}, "disease": {"role": "sensitive"}},
    ...     "requirements": [{"id": "k-anonymity", "k": 6}],
    ...     "algorithm": {"id": "perturbed-generalization", "p": 0.25, "domain": ["flu", "hiv", "cold", "none"]},
    ...     "seed": 7,
    ... }
    >>> release = sfumato.anonymize(sfumato.from_rows(["age", "disease"], rows), policy)
    >>> sorted(row[2] for row in release.table.to_rows()), round(release.private.facts["worst_growth"], 4)
    ([6, 6, 6, 6], 0.0501)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 5.5.3.
    Tao, Xiao, Li, Zhang, "On anti-corruption privacy preserving publication", 2008.
    """

    id: ClassVar[str] = "perturbed-generalization"
    traits: ClassVar[AlgorithmTraits] = AlgorithmTraits(
        recoding="boxes",
        release="perturbed-table",
        optimal=False,
        deterministic=False,
        truthful=False,
        anytime=False,
        model_needs=("by_size_alone",),
        numeric_without_hierarchy=True,
        suppresses_records=False,
        cost="that of mondrian",
        works_on="rows",
        most_rows=ROWS_IN_MEMORY,
    )

    p: float = param(default=0.3, ge=0, le=1, doc="probability that a sensitive value stays as it is")
    domain: tuple[Any, ...] | None = param(
        default=None, doc="all values that the sensitive column can have; those of the table if not given"
    )
    sensitive: str | None = column(
        "sensitive",
        default=None,
        doc="the column that is perturbed; the sensitive one, or else the target, if not given",
    )

    def run(self, task: Task, run: Run) -> Outcome:
        """Perturb, generalize, sample, and build the release."""
        raw = records_of(task, self.id)
        k = group_size(task, self.id, ["tdr"])
        name = self._column(task, raw)
        values, domain = self._perturbed(raw, name, run.rng)
        # Families of algorithms do not import each other.
        found = build({"id": "mondrian"}, "algorithm").run(task, run)
        run.checkpoint()
        shown = found.operation.apply(raw.select(task.qids))
        _, group, sizes = np.unique(shown.codes(task.qids), axis=0, return_inverse=True, return_counts=True)
        group = group.reshape(-1)
        order = run.rng.permutation(len(group))
        # Of each group the record that comes first in a random order.
        chosen = order[np.unique(group[order], return_index=True)[1]]
        held = arrow_of(shown, task.qids).take(chosen)
        published = {label: held.column(label) for label in task.qids}
        published[name] = [values[at] for at in chosen.tolist()]
        published[WEIGHT] = sizes[group[chosen]].astype(np.int64)
        growth = worst_growth(self.p, len(domain), k)
        warnings = [*left_out(task, self.id, (*task.qids, name)), *found.warnings, seed_note()]
        warnings.append(say("warning.may_be_replaced", name=name))
        if self.p == 1:
            warnings.append(say("warning.none_replaced"))
        if self.domain is None:
            warnings.append(say("warning.domain_read", name=name))
        made_of = PerturbedTable.build(
            made(published, raw.home).sort(),
            (name,),
            mechanism=self.id,
            settings={"p": self.p, "k": k, "domain_size": len(domain), "sample": say("settings.one_of_each")},
            weights=WEIGHT,
        )
        return Outcome(
            built=replace(made_of, linking=partial(linked, raw, [*task.qids, name], group + 1)),
            warnings=warnings,
            facts=MechanismFacts(groups=len(sizes), domain_size=len(domain), worst_growth=growth),
        )

    def _column(self, task: Task, raw: Table) -> str:
        names = [self.sensitive] if self.sensitive is not None else list(task.sensitive or [])
        names = names or ([task.target] if task.target is not None else [])
        if len(names) != 1:
            raise Unsupported(f"{self.id} perturbs one sensitive column; name it", thing=self.id, alternatives=names)
        (name,) = names
        if name not in raw.types or name in task.qids or name == WEIGHT:
            raise BadRequest(
                "must be a column that is no quasi-identifier", parameter=f"{self.id}.sensitive", value=name
            )
        return name

    def _perturbed(
        self, raw: Table, name: str, rng: np.random.Generator
    ) -> tuple[list[Hashable], tuple[Hashable, ...]]:
        """Return the sensitive value of every record after perturbation, and the domain."""
        kind, where = raw.types[name], f"{self.id}.domain"
        codes, known = raw.as_rows().codes([name])[:, 0], raw.dictionary(name).values
        if (codes < 0).any():
            raise BadRequest(f"has {int((codes < 0).sum()):,} missing values", column=name)
        domain: tuple[Hashable, ...] = tuple(known)
        if self.domain is not None:
            try:
                domain = tuple(from_text(to_text(value), kind) for value in self.domain)
            except ValueError:
                raise BadRequest(f"holds a value that is no {kind}", column=name, parameter=where) from None
            if not domain or len(set(domain)) < len(domain):
                raise BadRequest("must list different values", parameter=where)
            strange = sum(value not in domain for value in known)
            if strange:
                raise BadRequest(f"lacks {strange} values of the column", column=name, parameter=where)
        stays = rng.random(len(codes)) < self.p
        other = rng.integers(len(domain), size=len(codes))
        return [
            known[code] if keep else domain[at]
            for code, keep, at in zip(codes.tolist(), stays.tolist(), other.tolist(), strict=True)
        ], domain


def corruption(p: float, domain: int, k: int, prior: float) -> Corruption:
    """Return what is learnt of a victim with this prior of the published value, all others being known not to have it.

    >>> found = corruption(0.25, 10, 6, 0.1)
    >>> round(found.own, 6), round(found.posterior, 6)
    (0.210526, 0.147368)
    """
    _refuse(p, domain, k)
    if not 0 <= prior <= 1:
        raise BadRequest("must be a probability from 0 to 1", parameter="prior", value=prior)
    u = (1 - p) / domain
    mine, all_of = p * prior + u, p * prior + k * u
    own = mine / all_of if all_of > 0 else math.nan
    told = prior * (p + u) / mine if mine > 0 else math.nan
    posterior = own * told + (1 - own) * prior
    return Corruption(u, own, posterior, posterior - prior)


def worst_growth(p: float, domain: int, k: int, highest_prior: float = 1.0) -> float:
    """Return the largest growth of a belief over all priors up to a limit.

    ``p x (1 - x) / (p x + c)`` with ``c = k (1 - p) / |U|`` is largest at ``x = (sqrt(c^2 + p c) - c) / p``.
    """
    _refuse(p, domain, k)
    c = k * (1 - p) / domain
    if p == 0:
        return 0.0
    if c == 0:
        return 1.0
    x = min((math.sqrt(c * c + p * c) - c) / p, highest_prior)
    return p * x * (1 - x) / (p * x + c)


def largest_retention(domain: int, k: int, *, growth: float, highest_prior: float = 1.0) -> float:
    """Return the largest p for which no prior up to a limit grows by more than ``growth``.

    >>> p = largest_retention(10, 6, growth=0.05, highest_prior=0.1)
    >>> round(p, 4), worst_growth(p, 10, 6, 0.1) <= 0.05
    (0.2609, True)
    """
    if not 0 < growth < 1:
        raise BadRequest("must be > 0 and < 1", parameter="growth", value=growth)
    low, high = 0.0, 1.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        if worst_growth(middle, domain, k, highest_prior) <= growth:
            low = middle
        else:
            high = middle
    return low


def _refuse(p: float, domain: int, k: int) -> None:
    if not 0 <= p <= 1:
        raise BadRequest("must be a probability from 0 to 1", parameter="p", value=p)
    for name, value in (("domain", domain), ("k", k)):
        if value < 1:
            raise BadRequest("must be >= 1", parameter=name, value=value)
