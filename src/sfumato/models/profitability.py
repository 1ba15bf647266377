"""Profitability: publishing every record pays, even if whoever gains by it attacks."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np

from sfumato.contracts.model import Bound, GroupModel, Numbers, TableModel, TableTraits, Verdict, Violation, at_least
from sfumato.contracts.publication import Publication
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.errors import BadRequest, Unsupported
from sfumato.estimates.attack_payoff import least_people, payouts
from sfumato.groups.stats import GroupStats
from sfumato.models._population import people_alike, refuse_unasked, with_people

__all__ = ["Profitability"]

_TRAITS = TableTraits(
    prevents=frozenset({"record"}),
    evaluation="labels",
    closed_under_merge=False,
    violations_shrink_under_merge=False,
)


class Profitability(TableModel):
    """Publishing every record pays its publisher, even if whoever gains by it attacks.

    A record that is published unchanged brings ``benefit``; one that is re-identified costs ``loss``. With L the share of its
    bits that its published values leave open (``entropy-based-information-loss``) and p the chance of pointing at the right
    person, ``payout = benefit (1 - L) - (loss * p if attacked, else 0)``; an adversary attacks iff ``gain * p > cost``. A
    ``prosecutor`` has ``p = 1 / |group|``, a ``journalist`` ``p = 1 / (people of the population who look like the group)``. The
    model holds iff the payout of every published group is above 0. Merging groups makes attacks worth less and leaves more
    open, so that it is not sure to help: searches leave groups out that do not pay.

    What published values leave open follows from the publisher's hierarchies: a stranger cannot count it.

    Adversary: attacks whoever is worth it, record by record.

    Examples
    --------
    >>> import numpy as np
    >>> from sfumato.groups.stats import GroupStats
    >>> groups = GroupStats.from_sizes([3, 2, 1])
    >>> model = Profitability(benefit=100, loss=300, gain=60, cost=25)
    >>> verdict = model.check(replace(groups, lost=np.array([0.0, 2 / 3, 0.0])))
    >>> [(found.group, round(found.measured, 3)) for found in verdict.violations]
    [((2,), -200.0), ((1,), -116.667)]

    References
    ----------
    Wan, Vorobeychik, Xia, Clayton, Kantarcioglu, Ganta, Heatherly, Malin, "A game theoretic framework for analyzing
    re-identification risk", 2015, doi:10.1371/journal.pone.0120592.
    Prasser, Gaupp, Wan, Xia, Vorobeychik, Kantarcioglu, Kuhn, Malin, "An open source tool for game theoretic health data
    de-identification", 2017.
    """

    id: ClassVar[str] = "profitability"
    traits: ClassVar[TableTraits] = _TRAITS
    adversary: ClassVar[str] = say("adversary.no-attack")
    level: ClassVar[str] = "payout of a record"

    benefit: float = param(gt=0, doc="what an unchanged record brings the publisher")
    loss: float = param(ge=0, doc="what the publisher loses when a record is re-identified")
    gain: float = param(ge=0, doc="what finding a record brings the adversary")
    cost: float = param(ge=0, doc="what an attempt costs the adversary")
    attacker: Literal["prosecutor", "journalist"] = param(
        default="prosecutor",
        choices=("prosecutor", "journalist"),
        doc="whether the adversary knows that a person is in the table, or has a table of the population only",
    )
    population: int | None = param(
        default=None, ge=1, doc="size of the journalist's population; counted in an external table if not given"
    )

    def validate(self) -> None:
        """Refuse a population without a journalist."""
        super().validate()
        refuse_unasked(self.id, self.attacker, self.population)

    @property
    def counts_people(self) -> bool:
        """Whether people of a population table are counted."""
        return self.attacker == "journalist" and self.population is None

    def in_search(self) -> GroupModel:
        """Return the payout of groups as a condition on each."""
        return _Paying(asked=self)

    def judge(self, publication: Publication, *, worst: int = 10) -> Verdict:
        """Judge the groups; what their values leave open must be known. Records pay as a whole."""
        if self.qid is not None and set(self.qid) != set(publication.qids):
            raise BadRequest(
                "must be all quasi-identifiers: records pay as a whole",
                parameter=f"{self.id}.qid",
                value=self.qid,
                available=publication.qids,
            )
        groups = with_people(publication, None) if self.counts_people else publication.groups(None)
        return self.check(replace(groups, lost=publication.lost_of(groups)), worst=worst)

    def payouts(self, groups: GroupStats) -> Numbers:
        """Return what a record of each group pays."""
        if groups.lost is None:
            raise Unsupported(
                f"{self.id} asks what published values leave open, which this search does not know",
                thing=self.id,
                alternatives=["optimal"],
            )
        people = (
            groups.sizes
            if self.attacker == "prosecutor"
            else people_alike(groups, self.population, thing=self.id, able=["optimal"])
        )
        least = least_people(self.gain, self.cost)
        return payouts(groups.lost, people, benefit=self.benefit, loss=self.loss, least=least)

    def check(self, groups: GroupStats, *, worst: int = 10) -> Verdict:
        """Judge groups that know what their values leave open."""
        values, bound = self.payouts(groups), at_least(0.0, strict=True)
        broken = np.flatnonzero(~bound.holds(values))
        shown = broken[np.argsort(values[broken], kind="stable")][:worst]
        return self.verdict(
            qid=groups.columns,
            satisfied=len(broken) == 0,
            strongest=bound.worst(values),
            bound=str(bound),
            groups=len(groups),
            records=groups.sizes.sum().item(),
            violating_groups=len(broken),
            violating_records=groups.sizes[broken].sum().item(),
            violations=[Violation(groups.key(int(i)), groups.sizes[i].item(), values[i].item()) for i in shown],
        )


class _Paying(GroupModel):
    """Every group pays."""

    id: ClassVar[str] = "profitability"
    traits: ClassVar[TableTraits] = _TRAITS
    asked: Profitability = param(doc="the requirement")

    def measure(self, groups: GroupStats) -> Numbers:
        """Return what a record of each group pays."""
        return self.asked.payouts(groups)

    def bound(self) -> Bound:
        """More than nothing."""
        return at_least(0.0, strict=True)
