"""Population uniqueness: few persons of the population are alone with what is published of them, by an estimate."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.model import SizesModel, TableTraits, Verdict, Violation, at_most
from sfumato.contracts.publication import Publication
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.estimates.uniqueness import Dankar, Estimate, class_sizes, estimate
from sfumato.groups.stats import GroupStats
from sfumato.kernels.arrays import Ints
from sfumato.models.k_anonymity import KAnonymity
from sfumato.models.sensitive_model import Counterexamples

__all__ = ["PopulationUniqueness"]


class PopulationUniqueness(SizesModel):
    """At most a given share of the population is alone with its quasi-identifier, estimated from the published records.

    The published table is a sample of n out of N persons. From the number of its groups of each size the number ``S1`` of
    persons who are alone in the population is estimated; the model holds iff ``S1 / N <= threshold``. Without a group of one
    record the estimate is 0. Where the estimator has no answer although there is such a group, the model does not hold.

    The estimators are ``zayatz``, ``pitman``, ``snb`` and the rule ``dankar`` that chooses among them. Where the one that
    the rule wants has no answer, the model does not hold either, unless ``fallback: zayatz`` lets another speak in its
    place. The verdict says which one spoke. They may be far too low in samples of fewer than 1,000 records; how far off
    they were on known populations is told on the page about uniqueness. The estimate goes by all group sizes together: no
    group is right or wrong by itself. If the model fails, the groups of one record are listed, because leaving them out or
    merging them repairs it. Merging other groups may break it, whatever the estimator: with fewer groups of two the ones
    look more telling.

    Adversary: has a table of the whole population and looks for records that can stand for one person of it only.

    Examples
    --------
    >>> from sfumato.groups.stats import GroupStats
    >>> groups = GroupStats.from_sizes([1] * 12 + [2] * 5 + [3] * 3 + [4] * 2 + [6])
    >>> model = PopulationUniqueness(threshold=0.1, population=120)
    >>> verdict = model.check(groups)
    >>> verdict.satisfied, round(verdict.strongest, 6), model.estimate(groups).chosen
    (False, 0.105638, 'snb')

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.1.1 (record linkage).
    Dankar, El Emam, Neisa, Roffey, "Estimating the re-identification risk of clinical data sets", 2012,
    doi:10.1186/1472-6947-12-66.
    """

    id: ClassVar[str] = "population-uniqueness"
    traits: ClassVar[TableTraits] = TableTraits(
        prevents=frozenset({"record"}),
        evaluation="sizes",
        closed_under_merge=False,
        violations_shrink_under_merge=False,
    )
    adversary: ClassVar[str] = say("adversary.population-uniqueness")
    level: ClassVar[str] = "estimated share of the population that is alone"
    # With a threshold of 0.12 and a population of 120: two groups of two become one of four, and 0.106 becomes 0.140.
    counterexamples: ClassVar[Counterexamples] = dict.fromkeys(
        ("closed_under_merge", "violations_shrink_under_merge"),
        (
            GroupStats.from_sizes([1] * 12 + [2] * 5 + [3] * 3 + [4] * 2 + [6]),
            (*range(12), 12, 12, *range(13, 22)),
        ),
    )

    threshold: float = param(ge=0, le=1, doc="largest share of the population that may be alone")
    population: int = param(ge=1, doc="number of persons the records were sampled from, N")
    estimator: str = param(
        default="dankar",
        choices=("dankar", "zayatz", "pitman", "snb"),
        doc="how the number of population uniques is estimated",
    )
    fallback: str = param(
        default="none",
        choices=("none", "zayatz"),
        doc="who speaks where the estimator that the rule dankar wants has no answer; with none the model does not hold",
    )

    def judge(self, publication: Publication, *, worst: int = 10) -> Verdict:
        """Judge the group sizes of the published records."""
        if publication.weights is not None:
            raise BadRequest(f"{self.id} goes by counts of sampled records, not by weights", parameter="weights")
        return self.check(publication.groups(self.qid), worst=worst)

    def in_each_group(self) -> KAnonymity:
        """Ask that nobody is alone: the estimate is then 0."""
        return KAnonymity(k=2)

    def too_many(self, sizes: Ints) -> int:
        """Return the number of groups of one record, if the model fails: without them the estimate is 0."""
        alone = int(np.count_nonzero(sizes == 1))
        return alone if alone and not self.check(GroupStats(("group",), (range(len(sizes)),), sizes), worst=0) else 0

    def estimate(self, groups: GroupStats) -> Estimate:
        """Return the estimate with everything it was computed from."""
        records = int(groups.sizes.sum())
        if records > self.population:
            raise BadRequest(
                f"must not be smaller than the table of {records} records",
                parameter=f"{self.id}.population",
                value=self.population,
            )
        return estimate(self.estimator, class_sizes(groups.sizes), self.population)

    def check(self, groups: GroupStats, *, worst: int = 10) -> Verdict:
        """Judge a partition; if it fails, each group of one record is a violation."""
        bound = at_most(float(self.threshold))
        found = self.estimate(groups)
        share = None if self._silent(found) else found.share
        satisfied = share is not None and bool(bound.holds(np.array([share]))[0])
        alone = np.empty(0, np.int64) if satisfied else np.flatnonzero(groups.sizes == 1)
        witness = {"chance_alone_in_population": found.chance, "population_uniques": found.population_uniques}
        return self.verdict(
            qid=groups.columns,
            satisfied=satisfied,
            strongest=share if len(groups) else None,
            bound=self._worded(str(bound), found),
            groups=len(groups),
            records=int(groups.sizes.sum()),
            violating_groups=len(alone),
            violating_records=len(alone),
            violations=[
                Violation(groups.key(at), 1, 1.0 if share is None else share, witness) for at in alone[:worst].tolist()
            ],
        )

    def _silent(self, found: Estimate) -> bool:
        """Tell whether the wanted estimator has no answer and nobody may speak for it."""
        return isinstance(found, Dankar) and found.silent is not None and self.fallback == "none"

    def _worded(self, bound: str, found: Estimate) -> str:
        """Say beside the bound which estimator spoke."""
        silent = found.silent if isinstance(found, Dankar) else self.estimator if found.share is None else None
        if silent is None:
            chosen = found.chosen if isinstance(found, Dankar) else self.estimator
            return say("bound.estimated", bound=bound, estimator=chosen)
        if found.share is None or self._silent(found):
            return say("bound.not_estimated", bound=bound, estimator=silent)
        return say("bound.estimated_instead", bound=bound, estimator="zayatz", silent=silent)
