"""δ-presence: from the release nobody can tell well whether a person of a public table is in the private one."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import ClassVar

import numpy as np

from sfumato.contracts.model import (
    RELATIVE_SLACK,
    Bound,
    GroupModel,
    Numbers,
    TableModel,
    TableTraits,
    Verdict,
    Violation,
    at_least,
    at_most,
)
from sfumato.contracts.publication import Publication
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.groups.stats import GroupStats
from sfumato.kernels.arrays import Ints
from sfumato.models._population import paired_sizes, people_alike

__all__ = ["DeltaPresence"]


class DeltaPresence(TableModel):
    """From the release nobody can tell well whether a person of a public table is in the private one.

    The private table T is part of a public table E, and both are recoded in the same way. A person t of E is in T with
    probability ``P = |group of t in T| / |group of t in E|``. The model holds iff ``delta_min <= P <= delta_max`` for all t
    of E, also in groups without a record of T, where P = 0. Record and attribute linkage are then at most delta_max as
    well. P of a merged group lies between those of its parts, so merging keeps the model.

    The verdict counts groups and records of E. Its strongest level is the largest P, the smallest sufficient delta_max;
    :meth:`presence` gives the P of every group. The model assumes that the adversary holds the same E as the publisher.

    Adversary: knows the public table and wants to know who of it is in the private one.

    Examples
    --------
    >>> import numpy as np
    >>> from sfumato.groups.stats import GroupStats
    >>> population = GroupStats(("Job",), (["Artist", "Professional"],), np.array([5, 4]))
    >>> published = GroupStats(("Job",), (["Artist", "Professional"],), np.array([4, 3]))
    >>> model = DeltaPresence(delta_min=0.75, delta_max=0.8)
    >>> model.presence(published, population)
    {('Artist',): 0.8, ('Professional',): 0.75}
    >>> model.check(published, population).satisfied
    True

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.3.
    Nergiz, Atzori, Clifton, "Hiding the presence of individuals from shared databases", 2007,
    doi:10.1145/1247480.1247554.
    """

    id: ClassVar[str] = "delta-presence"
    traits: ClassVar[TableTraits] = TableTraits(
        prevents=frozenset({"table"}),
        evaluation="external",
        closed_under_merge=True,
        violations_shrink_under_merge=False,
    )
    adversary: ClassVar[str] = say("adversary.delta-presence")
    level: ClassVar[str] = "delta_max"

    delta_min: float = param(ge=0, le=1, doc="smallest probability of being in the private table")
    delta_max: float = param(ge=0, le=1, doc="largest probability of being in the private table")

    def validate(self) -> None:
        """Refuse an empty range."""
        super().validate()
        if self.delta_min > self.delta_max:
            raise BadRequest(
                f"must not be larger than delta_max = {self.delta_max:g}",
                parameter=f"{self.id}.delta_min",
                value=self.delta_min,
            )

    def in_search(self) -> GroupModel:
        """Return how far the share in a group lies outside its bounds as a condition on it."""
        return _Presence(asked=self, qid=self.qid)

    def judge(self, publication: Publication, *, worst: int = 10) -> Verdict:
        """Judge the published table beside the external one."""
        population = publication.external_groups(self.qid)
        return self.check(publication.groups(self.qid), population, worst=worst)

    def presence(self, published: GroupStats, population: GroupStats) -> dict[tuple[Hashable, ...], float]:
        """Return the probability of being in the private table, by group of the public one."""
        inside = paired_sizes(published, population)[1] / population.sizes
        return {population.key(group): float(share) for group, share in enumerate(inside)}

    def check(self, published: GroupStats, population: GroupStats, *, worst: int = 10) -> Verdict:
        """Judge the groups of the private table beside those of the public one, which hold the same columns."""
        _, inside = paired_sizes(published, population)
        share = inside / population.sizes
        safe = at_least(float(self.delta_min)).holds(share) & at_most(float(self.delta_max)).holds(share)
        broken = np.flatnonzero(~safe)
        beyond = np.maximum(self.delta_min - share[broken], share[broken] - self.delta_max)
        shown = broken[np.argsort(-beyond, kind="stable")][:worst]
        return self.verdict(
            qid=population.columns,
            satisfied=len(broken) == 0,
            strongest=float(share.max()) if len(share) else None,
            bound=say("bound.between", low=self.delta_min, high=self.delta_max),
            groups=len(population),
            records=population.sizes.sum().item(),
            violating_groups=len(broken),
            violating_records=population.sizes[broken].sum().item(),
            violations=[
                Violation(
                    population.key(int(i)),
                    population.sizes[i].item(),
                    float(share[i]),
                    _witness(inside[i].item(), population.sizes[i].item()),
                )
                for i in shown
            ],
        )


class _Presence(GroupModel):
    """The share of the private table in each group of the public one lies within its bounds."""

    id: ClassVar[str] = "delta-presence"
    traits: ClassVar[TableTraits] = DeltaPresence.traits
    asked: DeltaPresence = param(doc="the requirement")

    @property
    def judges_absent(self) -> bool:
        """Nobody of a group may be absent where a least share is asked for."""
        return self.asked.delta_min > 0

    def measure(self, groups: GroupStats) -> Numbers:
        """Return the distance of each share from the allowed range."""
        share = groups.sizes / people_alike(groups, None, thing=self.id)
        low, high = self.asked.delta_min * (1 - RELATIVE_SLACK), self.asked.delta_max * (1 + RELATIVE_SLACK)
        return np.maximum(np.maximum(low - share, share - high), 0.0)

    def bound(self) -> Bound:
        """No distance is allowed."""
        return at_most(0)

    def check(self, groups: GroupStats, *, worst: int = 10) -> Verdict:
        """Judge by the distance, and say the share and its bounds, as everybody is told them."""
        share = groups.sizes / people_alike(groups, None, thing=self.id)
        return replace(
            super().check(groups, worst=worst),
            strongest=float(share.max()) if len(share) else None,
            bound=say("bound.between", low=self.asked.delta_min, high=self.asked.delta_max),
        )

    def least_removed(self, groups: GroupStats, values: Numbers) -> Ints:
        """Return the records above the largest share: everybody of the public group stays where she is."""
        most = np.floor(self.asked.delta_max * people_alike(groups, None, thing=self.id) * (1 + RELATIVE_SLACK))
        return np.asarray(np.maximum(groups.sizes - most.astype(np.int64), 0))


def _witness(inside: float, everybody: float) -> Mapping[str, object]:
    return {"published": inside, "population": everybody, "presence_probability": inside / everybody}
