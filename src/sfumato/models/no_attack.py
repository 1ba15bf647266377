"""No-attack: finding anybody's record costs at least what it brings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar, Literal

from sfumato.contracts.model import Bound, GroupModel, Numbers, TableTraits, Verdict, at_least
from sfumato.contracts.publication import Publication
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.estimates.attack_payoff import least_people
from sfumato.groups.stats import GroupStats
from sfumato.models._population import people_alike, refuse_unasked, with_people
from sfumato.models.k_anonymity import KAnonymity

__all__ = ["NoAttack"]


class NoAttack(GroupModel):
    """No record is worth an attack: finding anybody's costs at least what it brings.

    An adversary gains ``gain`` from a record that is found and pays ``cost`` for each attempt. With p the chance of pointing at
    the right person, an attack pays iff ``gain * p > cost``. A ``prosecutor`` knows that her victim is in the table,
    ``p = 1 / |group|``; a ``journalist`` does not, and ``p = 1 / (people of the population who look like the group)``. So every
    group needs at least ``ceil(gain / cost)`` records, or people. The population is a table, recoded like the published one, or
    a ``population`` size N: a group of c among n records then stands for ``floor(c N / n)`` people, which is an estimate and
    says nothing about a single group.

    Where ``gain / cost`` is whole, nothing is gained and nobody attacks; ARX asks for one more (``as_arx``).

    Adversary: attacks whoever is worth it, record by record.

    Examples
    --------
    >>> from sfumato.groups.stats import GroupStats
    >>> verdict = NoAttack(gain=60, cost=25).check(GroupStats.from_sizes([3, 4]))
    >>> verdict.satisfied, verdict.bound
    (True, '>= 3')

    References
    ----------
    Wan, Vorobeychik, Xia, Clayton, Kantarcioglu, Ganta, Heatherly, Malin, "A game theoretic framework for analyzing
    re-identification risk", 2015, doi:10.1371/journal.pone.0120592.
    Prasser, Gaupp, Wan, Xia, Vorobeychik, Kantarcioglu, Kuhn, Malin, "An open source tool for game theoretic health data
    de-identification", 2017.
    """

    id: ClassVar[str] = "no-attack"
    traits: ClassVar[TableTraits] = KAnonymity.traits
    adversary: ClassVar[str] = say("adversary.no-attack")
    level: ClassVar[str] = "people who look alike"

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
    as_arx: bool = param(default=False, doc="ask for one more where gain / cost is whole, as ARX does")

    def validate(self) -> None:
        """Refuse an attack that always pays, and a population without a journalist; claim less where a population decides."""
        super().validate()
        if least_people(self.gain, self.cost) is None:
            raise BadRequest(
                "an attack that costs nothing pays for any gain above 0", parameter=f"{self.id}.cost", value=self.cost
            )
        refuse_unasked(self.id, self.attacker, self.population)
        if self.attacker == "journalist":
            evaluation: Literal["external", "group+table"] = "external" if self.population is None else "group+table"
            traits = replace(self.traits, evaluation=evaluation, by_size_alone=False)
            object.__setattr__(self, "traits", traits)

    def measure(self, groups: GroupStats) -> Numbers:
        """Return how many persons each group may stand for."""
        if self.attacker == "prosecutor":
            return groups.sizes
        return people_alike(groups, self.population, thing=self.id)

    def bound(self) -> Bound:
        """As many persons as make an attack worthless."""
        least = least_people(self.gain, self.cost, as_arx=self.as_arx)
        assert least is not None, "refused when it was made"
        return at_least(least)

    def least_size(self) -> int:
        """Return the number of records, where records are counted."""
        return int(self.bound().threshold) if self.attacker == "prosecutor" else 1

    def judge(self, publication: Publication, *, worst: int = 10) -> Verdict:
        """Judge the groups, beside the population if a journalist has a table of it."""
        if self.traits.evaluation == "external":
            return self.check(with_people(publication, self.qid), worst=worst)
        return super().judge(publication, worst=worst)

    def witness(self, groups: GroupStats, group: int) -> Mapping[str, object]:
        """Return what an attack on one record of the group is worth on average."""
        return {"expected_gain": self.gain / float(self.measure(groups)[group]), "cost": self.cost}

    def necessary(self, records: int) -> str | None:
        """A table of fewer records than a group needs has no safe group."""
        least = self.least_size()
        return f"a group needs {least} records, the table has {records}" if records < least else None
