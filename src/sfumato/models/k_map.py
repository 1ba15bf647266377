"""k-map: every published record looks like at least k people of the population, counted or estimated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import exp, expm1, lgamma, log, sqrt
from typing import ClassVar

import numpy as np

from sfumato.contracts.model import Bound, GroupModel, Numbers, TableModel, TableTraits, Verdict, Violation, at_least
from sfumato.contracts.publication import Publication
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.groups.stats import GroupStats
from sfumato.kernels.arrays import Floats
from sfumato.models._population import paired_sizes, people_alike
from sfumato.models.k_anonymity import KAnonymity

__all__ = ["KMap", "KMapEstimated", "RequiredSize"]


class KMap(TableModel):
    """Every published record shares its quasi-identifier with at least k people of a population table.

    The population E holds the published table T and is recoded in the same way. The model holds iff every group that
    occurs in T has at least k records in E; groups of E without a record of T do not count. It follows from k-anonymity of
    T, bounds the journalist risk by ``1/k``, and lets T hold unique records.

    Adversary: has the population table, does not know who is in the published one, and looks for anybody's record.

    Examples
    --------
    >>> import numpy as np
    >>> from sfumato.groups.stats import GroupStats
    >>> population = GroupStats(("Q",), (["q1", "q2", "q3", "q4"],), np.array([3, 5, 4, 1]))
    >>> published = GroupStats(("Q",), (["q1", "q2", "q3"],), np.array([1, 2, 1]))
    >>> verdict = KMap(k=3).check(published, population)
    >>> verdict.satisfied, verdict.strongest
    (True, 3)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.1.1 (record linkage).
    Sweeney, *Computational Disclosure Control: a Primer on Data Privacy Protection*, 2001.
    El Emam, Dankar, "Protecting privacy using k-anonymity", 2008, doi:10.1197/jamia.M2716.
    """

    id: ClassVar[str] = "k-map"
    traits: ClassVar[TableTraits] = replace(KAnonymity.traits, evaluation="external", by_size_alone=False)
    adversary: ClassVar[str] = say("adversary.k-map")
    level: ClassVar[str] = "k"

    k: int = param(ge=1, doc="smallest number of people of the population who must look alike")

    def in_search(self) -> GroupModel:
        """Return the number of people who look like a group as a condition on it."""
        return _Mapped(k=self.k, qid=self.qid)

    def judge(self, publication: Publication, *, worst: int = 10) -> Verdict:
        """Judge the published table beside the population."""
        population = publication.external_groups(self.qid)
        return self.check(publication.groups(self.qid), population, worst=worst)

    def check(self, published: GroupStats, population: GroupStats, *, worst: int = 10) -> Verdict:
        """Judge published groups beside those of the population, which hold the same columns."""
        sizes, _ = paired_sizes(published, population)
        bound = at_least(self.k)
        broken = np.flatnonzero(~bound.holds(sizes))
        shown = broken[np.argsort(sizes[broken], kind="stable")][:worst]
        return self.verdict(
            qid=published.columns,
            satisfied=len(broken) == 0,
            strongest=bound.worst(sizes),
            bound=str(bound),
            groups=len(published),
            records=published.sizes.sum().item(),
            violating_groups=len(broken),
            violating_records=published.sizes[broken].sum().item(),
            violations=[
                Violation(
                    published.key(int(i)),
                    published.sizes[i].item(),
                    sizes[i].item(),
                    {"population": sizes[i].item(), "journalist_risk": 1 / sizes[i].item()},
                )
                for i in shown
            ],
        )


class _Mapped(GroupModel):
    """At least k people look like every group."""

    id: ClassVar[str] = "k-map"
    traits: ClassVar[TableTraits] = KMap.traits
    k: int = param(ge=1, doc="smallest number of people of the population who must look alike")

    def measure(self, groups: GroupStats) -> Numbers:
        """Return the number of people who look like each group."""
        return people_alike(groups, None, thing=self.id)

    def bound(self) -> Bound:
        """At least k people."""
        return at_least(self.k)


@frozen
class RequiredSize:
    """How a required sample group size was found.

    ``rate`` is the expected number of sampled members of a population group of k. ``tail`` is the probability that
    ``size`` or more of them are sampled, the first that is small enough. ``required`` is the size that groups must have.
    """

    rate: float
    size: int
    tail: float
    required: int


class KMapEstimated(GroupModel):
    """k-map without a population table: groups must be so large that fewer than k people in the population are unlikely.

    Of a population group of exactly k people, ``X`` are among the n sampled of N, and ``X`` is nearly Poisson with mean
    ``k n / N``. Let ``m`` be the smallest number with ``P(X >= m) <= significance``; every group must have at least
    ``k' = min(m, k, n)`` records. The law ``zero-truncated-poisson`` asks for ``P(X >= m | X >= 1)``, because a group is
    seen only if somebody of it was sampled; ``poisson`` does not. As k' is a constant, the model is k'-anonymity.

    n is ``sample``, or the number of records of the table that is checked; a search must be told. ``as_arx`` adds the 1
    that ARX adds to m under the plain Poisson law.

    Adversary: has a table of the whole population, does not know who was sampled, and looks for anybody's record.

    Examples
    --------
    >>> from sfumato.groups.stats import GroupStats
    >>> model = KMapEstimated(k=5, population=1000, sample=100)
    >>> found = model.required()
    >>> found.rate, found.required, round(found.tail, 4)
    (0.5, 3, 0.0366)
    >>> verdict = model.check(GroupStats.from_sizes([3, 97]))
    >>> verdict.satisfied, verdict.bound
    (True, '>= 3')

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.1.1 (record linkage).
    El Emam, Dankar, "Protecting privacy using k-anonymity", 2008, doi:10.1197/jamia.M2716.
    """

    id: ClassVar[str] = "k-map-estimated"
    traits: ClassVar[TableTraits] = KAnonymity.traits
    adversary: ClassVar[str] = say("adversary.k-map-estimated")
    level: ClassVar[str] = "k'"

    k: int = param(ge=1, doc="number of people of the population who should look alike")
    population: int = param(ge=1, doc="number of people the records were sampled from, N")
    significance: float = param(default=0.05, gt=0, lt=1, doc="accepted probability of being wrong")
    law: str = param(
        default="zero-truncated-poisson",
        choices=("zero-truncated-poisson", "poisson"),
        doc="how many of k people are sampled",
    )
    sample: int | None = param(
        default=None, ge=1, doc="number of records sampled, n; those of the checked table if not given"
    )
    as_arx: bool = param(default=False, doc="count as ARX does under the plain Poisson law: one more")

    def validate(self) -> None:
        """Refuse a sample that is larger than the population."""
        super().validate()
        if self.sample is not None and self.sample > self.population:
            raise BadRequest(
                f"must not be larger than the population of {self.population}",
                parameter=f"{self.id}.sample",
                value=self.sample,
            )

    def required(self) -> RequiredSize:
        """Return the group size that is required and how it was found."""
        if self.sample is None:
            raise BadRequest(
                "must be given in a search: how many records were sampled, n", parameter=f"{self.id}.sample"
            )
        rate = self.k * self.sample / self.population
        tails = _poisson_tails(rate)
        if self.law == "zero-truncated-poisson":
            tails = np.minimum(tails / -expm1(-rate), 1.0)
        size = max(1, int(np.count_nonzero(tails > self.significance)))
        asked = size + 1 if self.as_arx and self.law == "poisson" else size
        tail = float(tails[size]) if size < len(tails) else 0.0
        return RequiredSize(rate, size, tail, min(asked, self.k, self.sample))

    def measure(self, groups: GroupStats) -> Numbers:
        """Return the size of each group."""
        return groups.sizes

    def bound(self) -> Bound:
        """Sizes must be at least the required one."""
        return at_least(self.required().required)

    def least_size(self) -> int:
        """Return the required size."""
        return self.required().required

    def necessary(self, records: int) -> str | None:
        """A table of fewer records than a group needs has no safe group, and all of its records were sampled."""
        if self.sample is not None and records > self.sample:
            return f"the table has {records:,} records, and only {self.sample:,} are said to be sampled"
        least = self.least_size() if self.sample is not None else 1
        return f"a group needs {least} records, the table has {records}" if records < least else None

    def check(self, groups: GroupStats, *, worst: int = 10) -> Verdict:
        """Judge a partition; without a given sample its records are the sample."""
        if self.sample is None:
            return replace(self, sample=max(1, round(groups.sizes.sum().item()))).check(groups, worst=worst)
        return super().check(groups, worst=worst)

    def witness(self, groups: GroupStats, group: int) -> Mapping[str, object]:
        """Return how many people of the population a group of this size stands for on average."""
        size = groups.sizes[group].item()
        return {"expected_population": size * self.population / (self.sample or 1)}


def _poisson_tails(rate: float) -> Floats:
    """Return P(X >= j) for j = 0, 1, ... until nothing is left; added up from the small end, so that tails are exact."""
    until = int(rate + 40 * sqrt(rate + 1) + 60)
    terms = np.array([exp(j * log(rate) - rate - lgamma(j + 1)) for j in range(until)])
    return np.asarray(np.cumsum(terms[::-1])[::-1])
