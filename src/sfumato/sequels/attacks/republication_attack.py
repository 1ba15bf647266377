"""Intersect the groups that hosted a person in every release: what republishing a changing table tells."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import ClassVar

import numpy as np

from sfumato.contracts.attack import AttackTraits, Details, Risk, spread
from sfumato.contracts.run import Run
from sfumato.contracts.thing import column, param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.sequels.attack import SeriesKnowledge
from sfumato.sequels.attacks._person_attack import PersonAttack
from sfumato.sequels.series import Series
from sfumato.sequels.signatures import Signatures

__all__ = ["RepublicationAttack", "Republished", "RepublishedDetails"]


@frozen(eq=False)
class RepublishedDetails(Details):
    """Counts: persons, those left with one value, with fewer than asked, with fewer than any release alone, with none."""

    persons: int
    certain: int
    breached: int
    shrunk: int
    contradicted: int


@frozen(kw_only=True, eq=False)
class Republished(Risk):
    """What is left possible of each person; names and values are for the steward's eyes. Persons are in order."""

    candidates: Mapping[Hashable, tuple[Hashable, ...]]


class RepublicationAttack(PersonAttack):
    """Intersect, over all releases in which a person is, the sensitive values of the group that hosts her.

    With ``S_i`` the signature of her group in release i, her value lies in the intersection of all ``S_i``, and the belief in
    each of what is left is one over their number. She is breached if fewer than ``least`` values are left. Signatures that have
    nothing in common show that her value changed: she is counted apart and her risk is that of the newest release.

    It runs on the holder's copies, where a column tells who is in which row;
    :func:`~sfumato.sequels.signatures.victim_candidates` is the adversary's side, who finds groups by a victim's values.

    Adversary: has every release, knows the quasi-identifiers of a person and in which releases she is.

    Examples
    --------
    >>> first = {"Id": [1, 2], "Age": ["[20-30]", "[20-30]"], "Disease": ["Flu", "HIV"]}
    >>> then = {"Id": [1, 3], "Age": ["[20-40]", "[20-40]"], "Disease": ["Flu", "Cold"]}
    >>> series = Series.of([first, then], qid=["Age"], sensitive="Disease", person="Id")
    >>> risk = RepublicationAttack().on(series, SeriesKnowledge(), Run())
    >>> risk.highest, risk.details["certain"], risk.candidates[2]
    (1.0, 1, ('Flu', 'HIV'))

    References
    ----------
    Xiao, Tao, "m-invariance: towards privacy preserving re-publication of dynamic datasets", 2007,
    doi:10.1145/1247480.1247556.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 10.3.1.
    """

    id: ClassVar[str] = "republication-attack"
    about: ClassVar[tuple[str, ...]] = ("dynamic",)
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"attribute"}),
        knowledge="every release of the series, a person's quasi-identifiers, and in which releases she is",
        needs=frozenset({"qid", "sensitive"}),
        victims="persons",
    )
    adversary: ClassVar[str] = say("adversary.m-invariance")

    least: int = param(default=2, ge=2, doc="fewest values that must be left; with fewer a person is breached")
    group: str | None = column(
        "any", doc="column that numbers the groups; rows that look alike if not given", default=None
    )

    def on(self, series: Series, knowledge: SeriesKnowledge, run: Run) -> Republished:
        """Intersect for every person of the series."""
        run.checkpoint()
        self.person_of(series)
        found = Signatures(series, self.group)
        left = found.candidates()
        person, _, signature = found.stays
        smallest, newest = dict[Hashable, int](), dict[Hashable, int]()
        sizes = np.array([len(one) for one in found.signatures], np.int64)
        for code, size in zip(person.tolist(), sizes[signature].tolist(), strict=True):
            who = found.persons[code]
            smallest[who], newest[who] = min(size, smallest.get(who, size)), size
        counts = np.array([len(values) for values in left.values()], np.int64)
        alone = np.array([smallest[who] for who in left], np.int64)
        last = np.array([newest[who] for who in left], np.int64)
        per_victim = 1.0 / np.where(counts > 0, counts, np.maximum(last, 1))
        highest, mean = spread(per_victim)
        details = RepublishedDetails(
            persons=len(left),
            certain=int((counts == 1).sum()),
            breached=int(((counts < self.least) & (counts > 0)).sum()),
            shrunk=int(((counts < alone) & (counts > 0)).sum()),
            contradicted=int((counts == 0).sum()),
        )
        told = {"persons": details.persons, "certain": details.certain, "shrunk": details.shrunk}
        return Republished(
            attack=self.id,
            per_victim=per_victim,
            highest=highest,
            mean=mean,
            reading=say("reading.republication", highest=highest, **told),
            details=details,
            candidates=left,
        )
