"""Roles of permanent values: holders, the decoys that protect them, and cohorts whose members never meet."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from sfumato.contracts.engine import Table
from sfumato.data.text import to_text
from sfumato.errors import BadRequest
from sfumato.sequels.series import Series
from sfumato.sequels.worlds import CarrierGroup

__all__ = ["ROLES", "Roles", "Team", "cohort_based", "role_based"]

ROLES = "roles"
"""The column of a holder's copy that remembers the roles of a person, as JSON."""


@dataclass(frozen=True)
class Team:
    """A holder of a permanent value and her decoys, one for each decoy cohort."""

    value: Hashable
    holder: Hashable
    decoys: tuple[Hashable, ...]


@dataclass(eq=False)
class Roles:
    """Who holds which permanent value or protects whom, by cohort: 0 are holders, 1 .. l-1 decoys; a role never changes.

    A person has one role at most. ``team`` is the holder whom a decoy was recruited for.
    """

    value: dict[Hashable, Hashable] = field(default_factory=dict)
    cohort: dict[Hashable, int] = field(default_factory=dict)
    team: dict[Hashable, Hashable] = field(default_factory=dict)

    def take(self, person: Hashable, value: Hashable, cohort: int, team: Hashable) -> None:
        """Give a person her role."""
        self.value[person], self.cohort[person], self.team[person] = value, cohort, team

    def cohorts(self, value: Hashable, width: int) -> list[list[Hashable]]:
        """Return the members of each cohort of a value."""
        found: list[list[Hashable]] = [[] for _ in range(width)]
        for person, held in self.value.items():
            if held == value:
                found[self.cohort[person]].append(person)
        return found

    def told(self, person: Hashable) -> str | None:
        """Return a person's role as a holder's copy keeps it; nothing for those without."""
        if person not in self.value:
            return None
        return json.dumps([to_text(self.value[person]), self.cohort[person], to_text(self.team[person])])

    @classmethod
    def of(cls, series: Series | None, permanent: Sequence[Hashable]) -> Roles:
        """Read the roles back from the holder's copies of all releases."""
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
            value, cohort, team = json.loads(text)
            if value not in values:
                raise BadRequest("the series protects a value that is not named", parameter="permanent", value=value)
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
