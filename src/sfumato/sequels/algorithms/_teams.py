"""Teams of one release: every holder of a permanent value with a decoy of each cohort, in one group with all they serve for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace

from sfumato.data.frozen import frozen
from sfumato.errors import Infeasible
from sfumato.kernels.arrays import Ints
from sfumato.sequels.algorithms._blocks import merged_blocks
from sfumato.sequels.roles import Roles

__all__ = ["Group", "Present", "team_groups"]

Drawn = Callable[[Sequence[int]], int]
"""Draws one of several records, each as likely as any other."""
Block = Callable[[Sequence[int]], int]
"""The block that the middle of some records lies in."""


@frozen
class Group:
    """Records of one group, the values of the rows that are invented, and the permanent values that it is a team for."""

    records: tuple[int, ...]
    invented: tuple[Hashable, ...] = ()
    values: tuple[Hashable, ...] = ()


@frozen
class Present:
    """Whoever has a record in the release: its number by person, the value of each record, and its block of neighbours.

    Decoys are drawn from the block of their team, each of it as likely as any other: were they the nearest ones, their places
    would tell around whom they were gathered. Persons who are ``shunned`` are drawn only where there is nobody else.
    """

    record: Mapping[Hashable, int]
    value: Sequence[Hashable]
    block: Ints
    middle: Block
    draw: Drawn
    shunned: frozenset[Hashable] = frozenset()

    def without(self, persons: set[Hashable]) -> Present:
        """Return the same without some persons: their records are left out."""
        left = {who: at for who, at in self.record.items() if who not in persons}
        return replace(self, record=left)


def team_groups(
    present: Present, roles: Roles, permanent: Sequence[Hashable], l: int, *, counterfeit: bool
) -> tuple[list[Group], Roles]:
    """Return the groups of all teams, and the roles with those that are new; who finds no place is in no group.

    Teams that share a person are one group, which has one member of each cohort of each value and one row with it: no value
    may come twice. Where it would, because two of a team acquired the same value, one of the persons between is left out.
    """
    while True:
        plan = _Plan(present, roles.copied(), permanent, l)
        left = plan.between() or plan.filled(counterfeit=counterfeit)
        if not left:
            return list(plan.groups()), plan.roles
        present = present.without(left)


_Key = tuple[Hashable, Hashable]  # a value, and the holder whom the team was made for


class _Plan:
    """One attempt: teams of those who are here, by cohort; recruits take roles as they come."""

    def __init__(self, present: Present, roles: Roles, permanent: Sequence[Hashable], l: int) -> None:
        self.here, self.roles, self.permanent, self.l = present, roles, permanent, l
        self.teams: dict[_Key, dict[int, Hashable]] = {}
        self.served: dict[Hashable, list[_Key]] = {}
        for value in permanent:
            for who, at in present.record.items():
                held = roles.role(who, value)
                # A decoy who acquired the value is a second holder, with decoys of her own.
                if present.value[at] == value and (held is None or held.cohort > 0):
                    roles.take(who, value, 0, who)
            for who in present.record:  # the order of roles is that of keyed names
                role = roles.role(who, value)
                if role is not None:
                    team = self.teams.setdefault((value, role.team), {})
                    if team.setdefault(role.cohort, who) == who:
                        self.served.setdefault(who, []).append((value, role.team))
        self.busy, self.persons = roles.persons(), {at: who for who, at in present.record.items()}

    def linked(self, key: _Key) -> list[_Key]:
        """Return the teams that share persons with a team, itself first."""
        found, waiting = {key: None}, [key]
        while waiting:
            for who in self.teams[waiting.pop()].values():
                for other in self.served.get(who, ()):
                    if other not in found:
                        found[other] = None
                        waiting.append(other)
        return list(found)

    def between(self) -> set[Hashable]:
        """Return a person between teams that must not be one group, because two of them are for the same value."""
        for who, keys in self.served.items():
            if len(keys) > 1:
                values = [value for value, _ in self.linked(keys[0])]
                if len(set(values)) < len(values):
                    return {who}
        return set()

    def filled(self, *, counterfeit: bool) -> set[Hashable]:
        """Fill the places of decoys; return whoever finds none and is needed in another team: she is left out of both."""
        whole = self._blocks()
        for value in self.permanent:
            keys = [key for key in self.teams if key[0] == value]
            orphans = [self.teams[key] for key in keys if 0 not in self.teams[key]]
            for key in keys:
                team = self.teams[key]
                for cohort in range(1, self.l) if 0 in team else ():
                    if cohort not in team:
                        team[cohort] = self._stand_in(key, cohort, orphans, whole)
                        self.served.setdefault(team[cohort], []).append(key)
        left: set[Hashable] = set()
        for key, team in list(self.teams.items()):
            if 0 not in team and not (counterfeit and len(team) == self.l - 1):
                del self.teams[key]
                for who in team.values():
                    self.served[who].remove(key)
                    left |= {who} if self.served[who] else set()
        held = {who for team in self.teams.values() for who in team.values()}
        doubled = [who for who in self.busy & held if any(self._unplaced(who, value) for value in self.permanent)]
        return left | set(doubled)

    def _unplaced(self, who: Hashable, value: Hashable) -> bool:
        """Tell whether a person has a role for a value and no place in a team for it."""
        return self.roles.role(who, value) is not None and all(key[0] != value for key in self.served.get(who, ()))

    def _blocks(self) -> list[int]:
        """Return blocks joined until each has as many free persons as places that its teams have to fill."""
        count = int(self.here.block.max(initial=0)) + 1
        needed: Counter[int] = Counter()
        for team in self.teams.values():
            if 0 in team:
                needed[self._middle(team)] += self.l - len(team)
        free = Counter(int(self.here.block[at]) for at in self._free())
        return merged_blocks([needed[at] for at in range(count)], [free[at] for at in range(count)])

    def _middle(self, team: Mapping[int, Hashable]) -> int:
        """Return the block that a team lies in, whoever of it is the holder."""
        return self.here.middle([self.here.record[who] for who in team.values()])

    def _free(self) -> list[int]:
        """Return the records of those who have no role and no permanent value."""
        record, held = self.here.record, self.here.value
        return [at for who, at in record.items() if who not in self.busy and held[at] not in self.permanent]

    def _stand_in(
        self, key: _Key, cohort: int, orphans: Sequence[dict[int, Hashable]], whole: Sequence[int]
    ) -> Hashable:
        """Return somebody for an empty place: a decoy whose holder left, else somebody without a role, drawn from the team's
        block, or who serves for other values only than these teams do.
        """
        value, values = key[0], {one for one, _ in self.linked(key)}
        for team in orphans:
            if cohort in team and self._fits(team[cohort], values - {value}):
                who = team.pop(cohort)
                self.served[who] = [one for one in self.served[who] if one[0] != value]
                return who
        record, held, team = self.here.record, self.here.value, self.teams[key]
        free = self._free()
        if not free:
            known = [who for who in record if self.roles.role(who, value) is None and held[record[who]] != value]
            free = [record[who] for who in known if self.served.get(who) and self._fits(who, values)]
        if not free:
            raise Infeasible(
                f"fewer than {self.l - 1} persons without a role are left to protect a holder",
                requirement="hd-composition",
            )
        block = whole[self._middle(team)]
        free = [at for at in free if whole[int(self.here.block[at])] == block] or free
        free = [at for at in free if self.persons[at] not in self.here.shunned] or free
        who = self.persons[self.here.draw(free)]
        self.roles.take(who, value, cohort, key[1])
        self.busy.add(who)
        return who

    def _fits(self, who: Hashable, values: set[Hashable]) -> bool:
        """Tell whether none of the teams that a person is in, and of those linked to them, is for one of these values."""
        keys = self.served.get(who, ())
        return all(one not in values for key in keys for one, _ in self.linked(key)) if values else True

    def groups(self) -> Iterator[Group]:
        """Yield one group for the teams that share persons."""
        seen: set[_Key] = set()
        for first in self.teams:
            if first in seen:
                continue
            keys = self.linked(first)
            seen.update(keys)
            teams = [(key[0], self.teams[key]) for key in keys]
            members = dict.fromkeys(team[cohort] for _, team in teams for cohort in sorted(team))
            yield Group(
                tuple(self.here.record[who] for who in members),
                tuple(value for value, team in teams if 0 not in team),
                tuple(value for value, _ in teams),
            )
