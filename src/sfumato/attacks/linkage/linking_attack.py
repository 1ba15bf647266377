"""Linking attack: join the published rows with a table of named persons on the columns that both have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import ClassVar, TypeVar

import numpy as np

from sfumato.attacks._matching import LookedUp, names_of
from sfumato.attacks.linkage._joining_attack import JoiningAttack
from sfumato.contracts.attack import AttackTraits, Risk, spread
from sfumato.contracts.knowledge import Seen, TableKnowledge
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.kernels.arrays import Bools, Ints

__all__ = ["Linkage", "LinkingAttack", "joined"]


@frozen(kw_only=True, eq=False)
class Linkage(Risk):
    """What a join gives. Counts may be shown; names and their candidates are for the steward's eyes.

    ``per_victim`` is one over the number of matching rows of each person, 0 without any. ``matching_rows`` is that number;
    ``one_value`` tells whose matching rows all carry one sensitive value.
    """

    seen: Seen
    knowledge: TableKnowledge
    looked_up: LookedUp
    matching_rows: Ints
    one_value: Bools

    @property
    def persons(self) -> int:
        """Number of persons in the external table."""
        return len(self.matching_rows)

    @property
    def linked(self) -> int:
        """Number of persons with at least one matching row."""
        return int(np.count_nonzero(self.matching_rows))

    @property
    def record_disclosures(self) -> int:
        """Number of persons with exactly one matching row."""
        return int(np.count_nonzero(self.matching_rows == 1))

    @property
    def attribute_disclosures(self) -> int:
        """Number of persons whose matching rows all carry one sensitive value."""
        return int(np.count_nonzero(self.one_value))

    def names(self) -> list[object]:
        """Return the names of all persons, in the order of the external table; their places if it has no names."""
        return names_of(self.knowledge)

    def unmatched(self) -> list[object]:
        """Return the names of the persons without a matching row."""
        return [name for name, rows in zip(self.names(), self.matching_rows.tolist(), strict=True) if not rows]

    def reidentified(self) -> list[object]:
        """Return the names of the persons with exactly one matching row."""
        return [name for name, rows in zip(self.names(), self.matching_rows.tolist(), strict=True) if rows == 1]

    def candidates(self, person: int) -> Counter[object]:
        """Return the sensitive values, with counts, of the rows that match a person, given by the place in the table."""
        counted: Counter[object] = Counter()
        for group in self.looked_up.groups_of(int(self.looked_up.kind_of_person[person])).tolist():
            counted.update(self._values(group))
        return counted

    def pairs(self) -> Iterator[tuple[object, object]]:
        """Yield (name, sensitive value) for every matching row of every person, person by person."""
        for person, name in enumerate(self.names()):
            for value, count in self.candidates(person).items():
                for _ in range(count):
                    yield name, value

    def _values(self, group: int) -> dict[object, int]:
        groups = self.looked_up.groups
        if self.knowledge.sensitive is None or self.knowledge.sensitive not in groups.histograms:
            return {None: int(groups.sizes[group])}
        return dict(groups.histograms[self.knowledge.sensitive].row(group))


class LinkingAttack(JoiningAttack):
    """Join the published rows with a table of named persons on the quasi-identifiers that both have.

    A published row matches a person if each of its labels covers the person's value: the value itself, a node above it, an
    interval that holds it, or ``*``. A missing value is a value of its own and matches what is published as missing. With
    ``m`` matching rows the risk of a person is ``1 / m``, 0 if there is none.

    - *record level disclosure*: exactly one row matches;
    - *attribute level disclosure*: all matching rows carry one sensitive value.

    A person is looked up by the tuples of labels that cover her values, so that the join costs about as much as it finds.

    Adversary: has a table of names and quasi-identifiers; does not know who is in the published table.

    Examples
    --------
    >>> import sfumato
    >>> table = sfumato.from_rows(["Zip", "Age", "Disease"], [("486**", "[20-30)", "Flu"), ("48905", "42", "Flu")])
    >>> voters = sfumato.from_rows(["Name", "Zip", "Age"], [("Rama", "48677", 26), ("Sita", "48905", 42)])
    >>> zips = {"48***": [{"486**": ["48677", "48602"]}, {"489**": ["48905"]}]}
    >>> found = sfumato.attack(
    ...     table, LinkingAttack(), external=voters, name="Name", sensitive="Disease", hierarchies={"Zip": zips}
    ... )
    >>> found.linked, found.record_disclosures, list(found.pairs())
    (2, 2, [('Rama', 'Flu'), ('Sita', 'Flu')])

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.1.
    Sweeney, "k-anonymity: a model for protecting privacy", 2002, doi:10.1142/S0218488502001648.
    """

    id: ClassVar[str] = "linking-attack"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"record", "attribute"}),
        knowledge="a table of names and quasi-identifiers, and what published labels stand for",
        compared=True,
    )
    adversary: ClassVar[str] = say("adversary.linking-attack")

    def run(self, seen: Seen, knowledge: TableKnowledge, run: Run) -> Linkage:
        """Join; every person of the external table is a victim."""
        self.refuse_unfit(seen, knowledge)
        return joined(Linkage, self.id, seen, knowledge, self.looked_up(seen, knowledge))


_L = TypeVar("_L", bound=Linkage)


def joined(kind: type[_L], attack: str, seen: Seen, knowledge: TableKnowledge, found: LookedUp) -> _L:
    """Return what a join gives, as the given kind of answer."""
    rows = found.rows[found.kind_of_person]
    learnt = None if knowledge.sensitive in seen.changed else knowledge.sensitive
    one = _one_value(found, learnt)[found.kind_of_person]
    risk = np.divide(1.0, rows, out=np.zeros(len(rows)), where=rows > 0)
    details = {
        "persons": len(rows),
        "linked": int(np.count_nonzero(rows)),
        "unmatched": int(np.count_nonzero(rows == 0)),
        "record_disclosures": int(np.count_nonzero(rows == 1)),
        "attribute_disclosures": int(np.count_nonzero(one)),
        "published_rows": int(found.groups.sizes.sum()),
        "published_groups": len(found.groups),
        "least_matching_rows": int(rows[rows > 0].min()) if (rows > 0).any() else 0,
    }
    highest, mean = spread(risk)
    return kind(
        attack=attack,
        per_victim=risk,
        highest=highest,
        mean=mean,
        reading=_reading(details),
        details=details,
        warnings=found.warnings,
        seen=seen,
        knowledge=knowledge,
        looked_up=found,
        matching_rows=rows,
        one_value=one,
    )


def _reading(details: Mapping[str, int]) -> str:
    return say(
        "reading.linking",
        persons=details["persons"],
        linked=details["linked"],
        alone=details["record_disclosures"],
        agreed=details["attribute_disclosures"],
    )


def _one_value(found: LookedUp, sensitive: str | None) -> Bools:
    """Tell for each kind of person whether the rows that cover it carry one sensitive value."""
    if sensitive is None or sensitive not in found.groups.histograms or not len(found.groups):
        return np.zeros(found.kinds, bool)
    histogram = found.groups.histograms[sensitive]
    # The smallest and the largest value of each group decide: codes rise inside a group.
    smallest, largest = histogram.code[histogram.start[:-1]], histogram.code[histogram.start[1:] - 1]
    low, high = np.full(found.kinds, len(histogram.values), np.int64), np.full(found.kinds, -1, np.int64)
    np.minimum.at(low, found.pair_kind, smallest[found.pair_group])
    np.maximum.at(high, found.pair_kind, largest[found.pair_group])
    return np.equal(low, high)
