"""MultiRelational k-anonymity of a database: every owner looks like k - 1 others in all tables together."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.model import Bound, Model, ModelTraits, Verdict, Violation, at_least
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.databases.database import Database
from sfumato.kernels.arrays import Ints
from sfumato.models.multir_k_anonymity import owner_groups

__all__ = ["OwnerKAnonymity"]


class OwnerKAnonymity(Model[Database]):
    """Every person shares all that is known of her, in every table, with at least k - 1 other persons.

    With ``owner_signature``, the default here, persons look alike if their own values and, table by table, the bags of their
    rows' values agree, rows below rows included: an adversary may know everything of a person and still finds k. Without it
    each single combination of values in the join of all tables must belong to k persons, which follows from the first for
    the same k. Persons without rows in a table have an empty bag, which is a value too.

    Adversary: knows quasi-identifiers of a person, from any number of her rows in any of the tables.

    Examples
    --------
    >>> tables = {"people": {"id": [1, 2, 3]}, "visits": {"who": [1, 2, 3, 3], "ward": ["A", "A", "A", "A"]}}
    >>> database = Database.of(
    ...     tables, person="people", keys={"people": "id"}, references={"visits": {"who": "people"}},
    ...     known={"visits": ["ward"]},
    ... )
    >>> OwnerKAnonymity(k=2).judge(database).strongest, OwnerKAnonymity(k=2, owner_signature=False).judge(database).strongest
    (1, 3)

    References
    ----------
    Nergiz, Clifton, Nergiz, "Multirelational k-anonymity", 2009, doi:10.1109/TKDE.2008.210.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 8.4.
    """

    id: ClassVar[str] = "multir-k-anonymity"
    aliases: ClassVar[tuple[str, ...]] = ("multir-kanon",)
    traits: ClassVar[ModelTraits] = ModelTraits(prevents=frozenset({"record"}), evaluation="subsets")
    adversary: ClassVar[str] = say("adversary.multir-k-anonymity")
    level: ClassVar[str] = "k"

    k: int = param(ge=1, doc="smallest number of persons that must look alike")
    owner_signature: bool = param(
        default=True,
        doc="whether persons look alike only if all their rows agree, as bags; else each combination counts",
    )

    def sizes(self, database: Database) -> Ints:
        """Return how many persons share each bag, or each combination of values."""
        if self.owner_signature:
            return np.bincount(database.forms()).astype(np.int64) if database.persons else np.zeros(0, np.int64)
        qid = [f"{name}.{column}" for name in database.order() for column in database.known.get(name, ())]
        plain = {
            name: [
                {f"{name}.{column}": value for column, value in zip(table.columns, row, strict=True)}
                for row in table.to_rows()
            ]
            for name, table in database.tables.items()
        }
        keys = {
            name: {f"{name}.{column}": f"{parent}.{parent}.{database.keys[parent]}"}
            for name, (column, parent) in database.references.items()
        }
        owner = f"{database.person}.{database.keys[database.person]}"
        groups = owner_groups(plain, person=database.person, owner=owner, qid=qid, keys=keys)
        return groups.histograms[owner].distinct()

    def necessary(self, records: int) -> str | None:
        """Fewer than k persons cannot look alike."""
        return f"k={self.k} is larger than the number of persons, {records}" if records < self.k else None

    def bound(self) -> Bound:
        """Each form needs k persons."""
        return at_least(self.k)

    def judge(self, view: Database, *, worst: int = 10) -> Verdict:
        sizes = self.sizes(view)
        broken = np.flatnonzero(~self.bound().holds(sizes))
        shown = broken[np.argsort(sizes[broken], kind="stable")][:worst].tolist()
        return self.verdict(
            satisfied=len(broken) == 0,
            strongest=self.bound().worst(sizes),
            groups=len(sizes),
            records=view.persons,
            bound=str(self.bound()),
            violations=[Violation((), int(sizes[at]), int(sizes[at])) for at in shown],
            violating_groups=len(broken),
            violating_records=int(sizes[broken].sum()),
        )
