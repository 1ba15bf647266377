"""Values that left a series with their last carrier, while persons who were grouped with them stay."""

from __future__ import annotations

from collections.abc import Hashable
from typing import ClassVar

import numpy as np

from sfumato.contracts.attack import AttackTraits, Details, Risk, spread
from sfumato.contracts.engine import Table
from sfumato.contracts.run import Run
from sfumato.contracts.thing import column
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.sequels.attack import SeriesKnowledge
from sfumato.sequels.attacks._person_attack import PersonAttack
from sfumato.sequels.series import Series
from sfumato.sequels.signatures import Signatures

__all__ = ["Absence", "AbsenceDetails", "Absences", "CriticalAbsence", "critical_absences"]


@frozen
class Absence:
    """A person who stays, and the values of her last group that nobody carries any more; for the steward's eyes."""

    person: Hashable
    release: int
    values: tuple[Hashable, ...]


@frozen(eq=False)
class AbsenceDetails(Details):
    """Counts: persons who stayed at least once, those among them who lost a value, and values that went missing."""

    stayed: int
    touched: int
    missing: int


@frozen(kw_only=True, eq=False)
class Absences(Risk):
    """Who lost which value of her group, release by release."""

    absences: tuple[Absence, ...]


def critical_absences(earlier: Series, batch: Table, group: str | None = None) -> list[Absence]:
    """Return who of the newest release is in the next records, and which values of her group none of these carries.

    No generalization of the next records alone can host such a person with her signature: counterfeits are needed.
    """
    if earlier.person is None or earlier.person not in batch.types:
        raise BadRequest("say which column tells the rows of one person", parameter="person", available=batch.columns)
    found = Signatures(earlier.latest(1), group)
    carried = set(batch.dictionary(earlier.protected).values)
    there = set(batch.dictionary(earlier.person).values)
    gone = [tuple(value for value in one if value not in carried) for one in found.signatures]
    person, _, signature = found.stays
    return [
        Absence(found.persons[code], len(earlier) + 1, gone[held])
        for code, held in zip(person.tolist(), signature.tolist(), strict=True)
        if gone[held] and found.persons[code] in there
    ]


class CriticalAbsence(PersonAttack):
    """Find persons who stay in a series while a value of their group has left it: their candidates can only shrink.

    A value ``s`` in the signature of a surviving person's group is *critically absent* if no row of the next release has it: no
    generalization can host her with the same signature, and whoever intersects excludes ``s``. Counterfeits prevent it; keeping
    deleted records instead grows forever, and fails if it is known when they were deleted. The risk of a person is the largest
    share of a group's values that went missing from under her.

    Adversary: has every release, knows the quasi-identifiers of a person and in which releases she is.

    Examples
    --------
    >>> first = {"Id": [1, 2], "Age": ["[20-30]", "[20-30]"], "Disease": ["Flu", "HIV"]}
    >>> then = {"Id": [1, 3], "Age": ["[20-40]", "[20-40]"], "Disease": ["Flu", "Cold"]}
    >>> series = Series.of([first, then], qid=["Age"], sensitive="Disease", person="Id")
    >>> CriticalAbsence().on(series, SeriesKnowledge(), Run()).absences
    (Absence(person=1, release=2, values=('HIV',)),)

    References
    ----------
    Xiao, Tao, "m-invariance: towards privacy preserving re-publication of dynamic datasets", 2007,
    doi:10.1145/1247480.1247556.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 10.3.1.
    """

    id: ClassVar[str] = "critical-absence"
    about: ClassVar[tuple[str, ...]] = ("dynamic",)
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"attribute"}),
        knowledge="every release of the series, a person's quasi-identifiers, and in which releases she is",
        needs=frozenset({"qid", "sensitive"}),
        victims="persons",
    )
    adversary: ClassVar[str] = say("adversary.m-invariance")

    group: str | None = column(
        "any", doc="column that numbers the groups; rows that look alike if not given", default=None
    )

    def on(self, series: Series, knowledge: SeriesKnowledge, run: Run) -> Absences:
        """Compare each release with the next."""
        who = self.person_of(series)
        found: list[Absence] = []
        stayed: dict[Hashable, float] = {}
        for number in range(1, len(series)):
            run.checkpoint()
            earlier = series.until(number)
            here = Signatures(earlier.latest(1), self.group)
            there = set(series.releases[number].dictionary(who).values)
            codes, _, signature = here.stays
            size = {
                here.persons[code]: len(here.signatures[held])
                for code, held in zip(codes.tolist(), signature.tolist(), strict=True)
                if here.persons[code] in there
            }
            missed = {one.person: one for one in critical_absences(earlier, series.releases[number], self.group)}
            found += missed.values()
            for person, values in size.items():
                lost = len(missed[person].values) / values if person in missed else 0.0
                stayed[person] = max(lost, stayed.get(person, 0.0))
        per_victim = np.array(list(stayed.values()))
        highest, mean = spread(per_victim)
        touched = int((per_victim > 0).sum())
        missing = len({(one.release, value) for one in found for value in one.values})
        details = AbsenceDetails(stayed=len(stayed), touched=touched, missing=missing)
        return Absences(
            attack=self.id,
            per_victim=per_victim,
            highest=highest,
            mean=mean,
            reading=say("reading.critical_absence", stayed=len(stayed), touched=touched, missing=missing),
            details=details,
            absences=tuple(found),
        )
