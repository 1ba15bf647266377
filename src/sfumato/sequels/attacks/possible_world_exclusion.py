"""Exclude worlds: who can carry a value that nobody loses, once several releases are put together."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from typing import ClassVar, get_args

import numpy as np

from sfumato.contracts.attack import AttackTraits, Details, Risk, spread
from sfumato.contracts.engine import Table
from sfumato.contracts.run import Run
from sfumato.contracts.thing import column, param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.sequels.attack import SeriesKnowledge
from sfumato.sequels.attacks._person_attack import PersonAttack
from sfumato.sequels.series import Series
from sfumato.sequels.signatures import covers
from sfumato.sequels.worlds import Acquired, Value, Worlds, carrier_groups, possible_worlds

__all__ = ["Excluded", "ExcludedDetails", "PossibleWorldExclusion", "registered_groups"]


@frozen(eq=False)
class ExcludedDetails(Details):
    """Counts: persons, above 1/l, who carry a value for certain, who cannot, whose worlds were sampled, and not counted."""

    persons: int
    above: int
    certain: int
    cleared: int
    sampled: int
    unknown: int


@frozen(kw_only=True, eq=False)
class Excluded(Risk):
    """The worlds of each permanent value; who is in them is for the steward's eyes."""

    worlds: Mapping[Hashable, Worlds]


def registered_groups(
    series: Series, registrations: Sequence[Table], person: str
) -> list[dict[tuple[Hashable, ...], tuple[Hashable, ...]]]:
    """Return for each release the members of each group, by its labels: who of the registration list of that time fits its box.

    A group must have as many of them as it has rows: otherwise the list does not show who is in it, and that is refused.
    """
    if len(registrations) != len(series):
        raise BadRequest(
            "needs one registration list for each release", parameter="registrations", value=len(registrations)
        )
    out = []
    for number, listed in enumerate(registrations):
        groups, rows = series.groups(number), listed.as_rows()
        names = rows.dictionary(person).values
        who = [names[code] for code in rows.codes([person])[:, 0].tolist()]
        codes = rows.codes(list(series.qid))
        found: dict[tuple[Hashable, ...], tuple[Hashable, ...]] = {}
        for at in range(len(groups)):
            fits = np.ones(len(who), bool)
            for column_at, (name, label) in enumerate(zip(series.qid, groups.key(at), strict=True)):
                tree, values = series.trees.get(name), rows.dictionary(name).values
                fits &= np.array([covers(label, one, tree) for one in values], bool)[codes[:, column_at]]
            members = tuple(who[row] for row in np.flatnonzero(fits).tolist())
            if len(members) != int(groups.sizes[at]):
                raise BadRequest(
                    f"release {number + 1} has a group of {int(groups.sizes[at])} rows that {len(members)} persons fit",
                    parameter="registrations",
                )
            found[groups.key(at)] = members
        out.append(found)
    return out


class PossibleWorldExclusion(PersonAttack):
    """Count the sets of carriers of a permanent value that fit every release; who is in all of them carries it.

    Some values are *permanent*: once linked to a person, linked forever (HIV, a criminal record). A world is a set of carriers
    such that every published group has as many of them among its members as rows with the value. The linkage of a person is
    the share of worlds in which she carries it, all worlds alike; above 1/l she is breached. However large m is, m-invariant
    releases can exclude worlds until one is left. Where no set of carriers from the beginning fits, the value was acquired
    between releases, and each time at which somebody may have acquired it is a world (``acquired``).

    It runs on the holder's copies, where a column tells who is in which row; :func:`registered_groups` finds members by boxes
    and registration lists. Worlds of parts with more than ``states`` states at once are sampled ``samples`` times: a person's
    risk is then the upper end of her interval at 95 per cent. Where no sample comes to an end, persons count as certain.

    Adversary: has every release, and for each of them a list of everybody with the quasi-identifiers of that time.

    Examples
    --------
    >>> first = {"Id": [1, 2], "Age": ["[20-30]", "[20-30]"], "Disease": ["HIV", "Flu"]}
    >>> ages = ["[20-25]", "[20-25]", "[26-40]", "[26-40]"]
    >>> then = {"Id": [1, 3, 2, 4], "Age": ages, "Disease": ["HIV", "Flu", "Flu", "Flu"]}
    >>> series = Series.of([first, then], qid=["Age"], sensitive="Disease", person="Id")
    >>> risk = PossibleWorldExclusion(permanent=("HIV",)).on(series, SeriesKnowledge(), Run())
    >>> risk.highest, risk.worlds["HIV"].sets()
    (1.0, [(1,)])

    References
    ----------
    Bu, Fu, Wong, Chen, Li, "Privacy preserving serial data publishing by role composition", 2008,
    doi:10.14778/1453856.1453948.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 10.4.
    """

    id: ClassVar[str] = "possible-world-exclusion"
    about: ClassVar[tuple[str, ...]] = ("dynamic", "serial")
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"attribute"}),
        knowledge="every release of the series, and for each a list of everybody with the quasi-identifiers of that time",
        needs=frozenset({"qid", "sensitive"}),
        victims="persons",
        quick=False,
    )
    adversary: ClassVar[str] = say("adversary.possible-world-exclusion")

    permanent: tuple[Value, ...] = param(doc="values that nobody loses")
    l: int = param(default=2, ge=2, doc="a person is breached above 1/l")
    acquired: Acquired = param(
        default="where-needed",
        choices=get_args(Acquired),
        doc="whether a permanent value may have been acquired between releases",
    )
    group: str | None = column(
        "any", doc="column that numbers the groups; rows that look alike if not given", default=None
    )
    states: int = param(default=200_000, ge=1, doc="states at once beyond which worlds are sampled")
    samples: int = param(default=20, ge=0, doc="how often worlds are sampled that are too many; 0 leaves them unknown")

    def validate(self) -> None:
        """Refuse an attack without a permanent value."""
        if not self.permanent:
            raise BadRequest(
                "must name at least one value; without one m-invariance serves", parameter=f"{self.id}.permanent"
            )

    def on(self, series: Series, knowledge: SeriesKnowledge, run: Run) -> Excluded:
        """Count worlds for every permanent value; a person's risk is her largest linkage."""
        self.person_of(series)
        worlds: dict[Hashable, Worlds] = {}
        risks: dict[Hashable, Fraction] = {}
        unknown: set[Hashable] = set()
        sampled: set[Hashable] = set()
        for value in self.permanent:
            run.checkpoint()
            groups = carrier_groups(series, value, self.group)
            found = worlds[value] = possible_worlds(
                groups, acquired=self.acquired, most=self.states, samples=self.samples, rng=run.rng
            )
            unknown |= found.unknown
            sampled |= found.sampled.keys()
            for who, share in found.upper().items():
                risks[who] = max(share, risks.get(who, Fraction(0)))
        per_victim = np.array([float(share) for share in risks.values()])
        highest, mean = spread(per_victim)
        details = ExcludedDetails(
            persons=len(risks),
            above=sum(share > Fraction(1, self.l) for share in risks.values()),
            certain=sum(share == 1 and who not in unknown | sampled for who, share in risks.items()),
            cleared=sum(share == 0 for share in risks.values()),
            sampled=sum(who in sampled for who in risks),
            unknown=sum(who in unknown for who in risks),
        )
        told = {
            "persons": details.persons,
            "above": details.above,
            "certain": details.certain,
            "unknown": details.unknown,
        }
        sentence = say("reading.possible_worlds", highest=highest, bound=1 / self.l, **told)
        if details.sampled:
            sentence = say("reading.sampled_worlds", told=sentence, sampled=details.sampled, samples=self.samples)
        return Excluded(
            attack=self.id,
            per_victim=per_victim,
            highest=highest,
            mean=mean,
            reading=sentence,
            details=details,
            worlds=worlds,
        )
