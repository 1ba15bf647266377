"""Roles of permanent values: holders, the decoys that protect them, and cohorts whose members never meet."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import field

from sfumato.contracts.engine import Table
from sfumato.data.frozen import frozen
from sfumato.data.text import to_text
from sfumato.errors import BadRequest
from sfumato.sequels.series import Series
from sfumato.sequels.worlds import CarrierGroup

__all__ = ["ROLES", "Role", "Roles", "cohort_based", "role_based"]

ROLES = "roles"
"""The column of a holder's copy that remembers the roles of a person, as JSON."""


@frozen
class Role:
    """What a person is to one permanent value: 0 a holder, 1 .. l-1 a decoy; ``team`` is the holder whom she protects."""

    cohort: int
    team: Hashable


@frozen(eq=False)
class Roles:
    """Who holds which permanent value or protects whom: by value, the role of each person who has one for it.

    A decoy stays in her cohort; if she acquires the value herself she becomes a holder, and the copies of earlier releases
    remember what she was in them. A person may have roles for several values.
    """

    held: dict[Hashable, dict[Hashable, Role]] = field(default_factory=dict)

    def take(self, person: Hashable, value: Hashable, cohort: int, team: Hashable) -> None:
        """Give a person her role for a value."""
        self.held.setdefault(value, {})[person] = Role(cohort, team)

    def role(self, person: Hashable, value: Hashable) -> Role | None:
        """Return what a person is to a value, if anything."""
        return self.held.get(value, {}).get(person)

    def persons(self) -> set[Hashable]:
        """Return everybody who has a role."""
        return {person for roles in self.held.values() for person in roles}

    def cohorts(self, value: Hashable, width: int) -> list[list[Hashable]]:
        """Return the members of each cohort of a value."""
        found: list[list[Hashable]] = [[] for _ in range(width)]
        for person, role in self.held.get(value, {}).items():
            found[role.cohort].append(person)
        return found

    def copied(self) -> Roles:
        """Return the same roles, to be changed without changing these."""
        return Roles({value: dict(roles) for value, roles in self.held.items()})

    def told(self, person: Hashable) -> str | None:
        """Return a person's roles as a holder's copy keeps them; nothing for those without."""
        roles = [(value, held[person]) for value, held in self.held.items() if person in held]
        return json.dumps([[to_text(value), one.cohort, to_text(one.team)] for value, one in roles]) if roles else None

    @classmethod
    def of(cls, series: Series | None, permanent: Sequence[Hashable]) -> Roles:
        """Read the roles back from the holder's copies of all releases; the last one counts."""
        found = cls()
        if series is None:
            return found
        values = {to_text(value): value for value in permanent}
        people: dict[str, Hashable] = {}
        kept: dict[Hashable, str] = {}
        for table in series.releases:
            if ROLES not in table.types or series.person is None:
                raise BadRequest(
                    f"a holder's copy lacks the column {ROLES}", parameter="series", available=table.columns
                )
            for person, text in _pairs(table, series.person):
                people[to_text(person)] = person
                if isinstance(text, str):
                    kept[person] = text
        for person, text in kept.items():
            for value, cohort, team in json.loads(text):
                if value not in values:
                    raise BadRequest(
                        "the series protects a value that is not named", parameter="permanent", value=value
                    )
                found.take(person, values[value], int(cohort), people.get(team, team))
        return found


def _pairs(table: Table, person: str) -> list[tuple[Hashable, Hashable]]:
    cells = table.counts([person, ROLES])
    return [pair for pair in zip(*cells.keys, strict=True) if pair[0] is not None]


def role_based(groups: Sequence[CarrierGroup], holders: Sequence[Hashable], l: int) -> bool:
    """Tell whether each holder of a group comes with l-1 others who are none: the weaker of the two partitions.

    >>> role_based([CarrierGroup(("h", "d"), 1)], ["h"], 2), role_based([CarrierGroup(("h", "i", "d"), 2)], ["h", "i"], 2)
    (True, False)
    """
    held = set(holders)
    return all(
        len([who for who in group.members if who not in held]) >= (l - 1) * len(held & set(group.members))
        for group in groups
    )


def cohort_based(groups: Sequence[CarrierGroup], cohorts: Sequence[Sequence[Hashable]]) -> bool:
    """Tell whether each group has no cohort member at all, or one of each cohort and one row with the value.

    >>> cohorts = [["h1", "h2"], ["d1", "d2"]]
    >>> cohort_based([CarrierGroup(("h1", "d2"), 1), CarrierGroup(("x", "y"), 0)], cohorts)
    True
    >>> cohort_based([CarrierGroup(("d1", "d2"), 0)], cohorts)
    False
    """
    place: Mapping[Hashable, int] = {who: at for at, cohort in enumerate(cohorts) for who in cohort}
    met = [(sorted(place[who] for who in group.members if who in place), group.count) for group in groups]
    return all(not found or (found == list(range(len(cohorts))) and count == 1) for found, count in met)
