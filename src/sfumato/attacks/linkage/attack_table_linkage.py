"""Table linkage: how probable it is that a person of a larger table is in the published one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from sfumato.attacks._matching import LookedUp, names_of
from sfumato.attacks.linkage._joining_attack import JoiningAttack
from sfumato.contracts.attack import AttackTraits, Risk, spread
from sfumato.contracts.knowledge import Seen, TableKnowledge
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.messages import say

__all__ = ["AttackTableLinkage", "Presence"]


@frozen(kw_only=True, eq=False)
class Presence(Risk):
    """The probability of every person to be in the published table; ``per_victim`` holds it in the order of the external table.

    Counts may be shown; names are for the steward's eyes.
    """

    seen: Seen
    knowledge: TableKnowledge
    looked_up: LookedUp

    def names(self) -> list[object]:
        """Return the names of all persons, in order; their places if there are no names."""
        return names_of(self.knowledge)

    def presence_probability(self) -> list[tuple[object, float]]:
        """Return every person with the probability to be in the published table, in order."""
        return list(zip(self.names(), self.per_victim.tolist(), strict=True))

    def surely_present(self) -> list[object]:
        """Return the names of the persons who must be in the published table."""
        return [name for name, share in self.presence_probability() if share >= 1]

    def surely_absent(self) -> list[object]:
        """Return the names of the persons who cannot be in the published table."""
        return [name for name, share in self.presence_probability() if share == 0]


class AttackTableLinkage(JoiningAttack):
    """Ask of each person of a larger table how probable it is that she is in the published one.

    The external table E holds everybody who may be published. Let a published group with ``y`` records cover ``r`` persons
    of E. Each of them is in the published table with probability ``y / r``. A person whom no published record covers is not
    in it: absence is disclosed as well, with probability 0.

    Where labels overlap and several groups cover a person, their probabilities are added up, at most to 1: she may be in
    one of them or another, so this is an upper bound. If a group has more records than persons, E does not hold everybody
    who is published, or rows were added; this is said, and 1 is used.

    Adversary: has a table of everybody who may be in the published one, and wants to know who is.

    Examples
    --------
    >>> import sfumato
    >>> table = sfumato.from_rows(["Age"], [("[30-35)",), ("[30-35)",), ("[30-35)",), ("[35-40)",)])
    >>> people = sfumato.from_rows(
    ...     ["Name", "Age"], [("Alice", 30), ("Cathy", 31), ("Emily", 32), ("Gladys", 33), ("Doug", 38), ("Old", 70)]
    ... )
    >>> found = sfumato.attack(table, AttackTableLinkage(), external=people, name="Name")
    >>> dict(found.presence_probability())["Alice"], found.surely_present(), found.surely_absent()
    (0.75, ['Doug'], ['Old'])

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.3.
    Nergiz, Atzori, Clifton, "Hiding the presence of individuals from shared databases", 2007,
    doi:10.1145/1247480.1247554.
    """

    id: ClassVar[str] = "attack-table-linkage"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"table"}),
        knowledge="a table of everybody who may be published, with their quasi-identifiers",
        needs=frozenset({"qid", "external"}),
    )
    adversary: ClassVar[str] = say("adversary.attack-table-linkage")

    def run(self, seen: Seen, knowledge: TableKnowledge, run: Run) -> Presence:
        """Return the probability of every person to be in the published table."""
        self.refuse_unfit(seen, knowledge)
        found = self.looked_up(seen, knowledge)
        sizes, covered = found.groups.sizes, found.covered
        share = np.minimum(sizes[found.pair_group] / covered[found.pair_group], 1.0)
        by_kind = np.minimum(np.bincount(found.pair_kind, weights=share, minlength=found.kinds), 1.0)
        overlapping = np.bincount(found.pair_kind, minlength=found.kinds) > 1
        presence = by_kind[found.kind_of_person]
        highest, mean = spread(presence)
        details = {
            "persons": len(presence),
            "published_records": int(sizes.sum()),
            "published_groups": len(found.groups),
            "surely_present": int(np.count_nonzero(presence >= 1)),
            "surely_absent": int(np.count_nonzero(presence == 0)),
            "highest_presence": highest,
            "lowest_presence": float(presence.min()) if len(presence) else 0.0,
            "mean_presence": mean,
            "persons_in_several_groups": int(overlapping[found.kind_of_person].sum()),
            "groups_with_too_few_persons": int(np.count_nonzero(covered < sizes)),
        }
        return Presence(
            attack=self.id,
            per_victim=presence,
            highest=highest,
            mean=mean,
            reading=_reading(details),
            details=details,
            warnings=_warnings(details),
            seen=seen,
            knowledge=knowledge,
            looked_up=found,
        )


def _reading(details: Mapping[str, float]) -> str:
    return say(
        "reading.table_linkage",
        persons=details["persons"],
        present=details["surely_present"],
        absent=details["surely_absent"],
        lowest=details["lowest_presence"],
        highest=details["highest_presence"],
    )


def _warnings(details: Mapping[str, float]) -> tuple[str, ...]:
    short, groups = details["groups_with_too_few_persons"], details["published_groups"]
    if not short:
        return ()
    return (say("warning.population_short", short=short, groups=groups),)
