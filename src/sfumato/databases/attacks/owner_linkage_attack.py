"""Look a person up in all tables at once: whoever shares everything known of her hides her."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.attack import AttackTraits, Details, Risk, spread
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.databases.attack import DatabaseAttack, DatabaseKnowledge
from sfumato.databases.database import Database

__all__ = ["OwnerLinkageAttack", "OwnerLinkageDetails"]


@frozen(eq=False)
class OwnerLinkageDetails(Details):
    """Counts of an attack on owners: how many there are, how many are alone, and the smallest crowd."""

    persons: int
    alone: int
    smallest: int | None


class OwnerLinkageAttack(DatabaseAttack):
    """Find a person by everything that quasi-identifiers tell of her in all tables: her risk is one over those who look alike.

    Adversary: knows all quasi-identifiers of a person in all tables, and how many rows of each kind she has.

    Examples
    --------
    >>> tables = {"people": {"id": [1, 2, 3]}, "visits": {"who": [1, 2, 3, 3], "ward": ["A", "A", "A", "A"]}}
    >>> database = Database.of(
    ...     tables, person="people", keys={"people": "id"}, references={"visits": {"who": "people"}},
    ...     known={"visits": ["ward"]},
    ... )
    >>> OwnerLinkageAttack().on(database, DatabaseKnowledge(), Run()).per_victim.tolist()
    [0.5, 0.5, 1.0]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 8.4.
    """

    id: ClassVar[str] = "owner-linkage-attack"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"record"}),
        knowledge="all quasi-identifiers of a person in all tables",
        needs=frozenset(),
        victims="records",
        compared=True,
    )
    adversary: ClassVar[str] = say("adversary.multir-k-anonymity")

    def on(self, database: Database, knowledge: DatabaseKnowledge, run: Run) -> Risk:
        forms = database.forms()
        crowd = np.bincount(forms)[forms] if len(forms) else np.zeros(0, np.int64)
        per_victim = 1 / crowd
        highest, mean = spread(per_victim)
        smallest = int(crowd.min()) if len(crowd) else None
        alone = int((crowd == 1).sum())
        reading = say("reading.owner_linkage", persons=len(forms), alone=alone, highest=highest, mean=mean)
        details = OwnerLinkageDetails(persons=len(forms), alone=alone, smallest=smallest)
        return Risk(attack=self.id, per_victim=per_victim, highest=highest, mean=mean, reading=reading, details=details)
