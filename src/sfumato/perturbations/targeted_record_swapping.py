"""Targeted record swapping: households that stand out in their area change places with similar ones elsewhere."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.perturbation import Perturbation, PerturbationTraits, Perturbed, Values
from sfumato.contracts.thing import column as one
from sfumato.contracts.thing import columns as named
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.perturbations._reading import refuse_repeats, refuse_unknown, values

__all__ = ["TargetedRecordSwapping"]

Row = tuple[Hashable, ...]


class TargetedRecordSwapping(Perturbation):
    """Households that stand out in their area change places with similar households of another area.

    At a level of the geography, a person's count is the number of persons of the same area with the same ``risk`` columns; a
    household is at risk if a member's count is below ``k``. From coarse to fine, every household that is at risk there and
    has not moved yet changes places with one that has not moved either, from another area of that level, of the same size
    and equal on the first of the ``profiles`` on which there is one; partners that are at risk come first, then chance
    decides. At the finest level pairs are drawn until the share ``rate`` of all households has moved. A household moves at
    most once, with all its members; what moves are the geography and the columns ``along``.

    So the rows of geography per household size and profile are exactly those of before, and so are all other columns.

    Examples
    --------
    >>> from sfumato.engines import from_rows
    >>> table = from_rows(["area", "sex"], list(zip("AAAABBBB", "mmmfmfff")))
    >>> asked = TargetedRecordSwapping(geography=("area",), risk=("sex",), k=2, rate=0.25)
    >>> made = asked.apply(table, np.random.default_rng(7))
    >>> "".join(made.values("area")), made.private["households_at_risk_left"]
    ('AAABABBB', 0)

    References
    ----------
    Office for National Statistics, targeted record swapping for the 2011 census; Eurostat, *Guidelines for statistical
    disclosure control methods applied on geo-referenced data*.
    """

    id: ClassVar[str] = "targeted-record-swapping"
    traits: ClassVar[PerturbationTraits] = PerturbationTraits(records="kept", randomness="generator")

    geography: tuple[str, ...] = named("quasi-identifier", doc="columns of places, from coarse to fine")
    risk: tuple[str, ...] = named("quasi-identifier", doc="columns by which a person could stand out in an area")
    household: str | None = one(
        "quasi-identifier", default=None, doc="column that names a person's household; without it everybody lives alone"
    )
    k: int = param(default=3, ge=1, doc="fewest persons of an area who share the risk columns")
    rate: float = param(default=0.0, ge=0, le=1, doc="least share of households that move")
    profiles: tuple[tuple[str, ...], ...] = param(
        default=((),), doc="columns on which partners agree: the first list on which there is a partner counts"
    )
    along: tuple[str, ...] = named("quasi-identifier", default=(), doc="other columns that move with the place")

    def validate(self) -> None:
        """Take columns once, and profiles as lists of columns that do not move."""
        refuse_repeats(self.geography, f"{self.id}.geography")
        refuse_repeats(self.risk, f"{self.id}.risk")
        where = f"{self.id}.profiles"
        good = isinstance(self.profiles, Sequence) and not isinstance(self.profiles, str) and self.profiles
        if not good or any(isinstance(profile, str) or not isinstance(profile, Sequence) for profile in self.profiles):
            raise BadRequest("must be a list of lists of columns", parameter=where, value=self.profiles)
        object.__setattr__(self, "profiles", tuple(tuple(profile) for profile in self.profiles))
        moving = (*self.geography, *self.along)
        if len(set(moving)) != len(moving):
            raise BadRequest("names a column that moves already", parameter=f"{self.id}.along", value=list(self.along))
        for names, parameter in (
            (self._named, "household"),
            (self.risk, "risk"),
            *((p, "profiles") for p in self.profiles),
        ):
            both = [name for name in names if name in moving]
            if both:
                raise BadRequest("moves with the place", parameter=f"{self.id}.{parameter}", value=both[0])

    @property
    def _named(self) -> tuple[str, ...]:
        return () if self.household is None else (self.household,)

    def draw(self, table: Table, rng: np.random.Generator) -> Perturbed:
        """Return geography and what moves along, after households changed places."""
        asked = {"household": self._named, "geography": self.geography, "risk": self.risk, "along": self.along}
        for parameter, names in (*asked.items(), *(("profiles", profile) for profile in self.profiles)):
            refuse_unknown(table, names, f"{self.id}.{parameter}")
        homes = self._homes(table)
        if len({home.place[: len(self.geography)] for home in homes}) < 2:
            raise BadRequest("needs at least two areas", parameter=f"{self.id}.geography")
        left = 0
        for level in range(1, len(self.geography) + 1):
            left += self._swap_risky(homes, level, rng)
        self._swap_more(homes, rng)
        moving = (*self.geography, *self.along)
        places: list[Row] = [()] * table.rows
        for home in homes:
            for member in home.members:
                places[member] = home.place
        new: dict[str, Values] = {name: [place[at] for place in places] for at, name in enumerate(moving)}
        moved = sum(home.moved for home in homes)
        about = ", ".join(dict.fromkeys((*moving, *(name for profile in self.profiles for name in profile))))
        return Perturbed(
            self,
            new,
            table.rows,
            (say("keeps.households", about=about),),
            private={"households_moved": moved, "share_moved": moved / len(homes), "households_at_risk_left": left},
        )

    # ---- households ----------------------------------------------------------------------------------------------------

    def _homes(self, table: Table) -> list[_Home]:
        """Return the households; refuse one whose members differ in where they live or in a profile."""
        moving = (*self.geography, *self.along)
        homes: dict[Hashable, _Home] = {}
        columns = {
            name: values(table, name)
            for name in dict.fromkeys((*self._named, *moving, *self.risk, *sum(self.profiles, ())))
        }
        for at in range(table.rows):
            key = at if self.household is None else columns[self.household][at]
            if key is None:
                raise BadRequest("a person has no household", column=self.household, parameter=f"{self.id}.household")
            place = tuple(columns[name][at] for name in moving)
            profiles = tuple(tuple(columns[name][at] for name in profile) for profile in self.profiles)
            home = homes.setdefault(key, _Home(place, profiles))
            for held, found, parameter in ((home.place, place, "geography"), (home.profiles, profiles, "profiles")):
                if held != found:
                    raise BadRequest(
                        "differs inside a household", parameter=f"{self.id}.{parameter}", column=self.household
                    )
            home.members.append(at)
            home.risks.append(tuple(columns[name][at] for name in self.risk))
        return list(homes.values())

    def _swap_risky(self, homes: Sequence[_Home], level: int, rng: np.random.Generator) -> int:
        """Let households at risk at a level change places; return how many found no partner."""
        risky = self._at_risk(homes, level)
        pool = _Pool(homes, level, risky, rng)
        left = 0
        for at in rng.permutation(np.array(sorted(risky), np.int64)).tolist():
            if homes[at].moved:
                continue
            partner = pool.partner(at)
            if partner is None:
                left += 1
            else:
                homes[at].swap(homes[partner])
        return left

    def _swap_more(self, homes: Sequence[_Home], rng: np.random.Generator) -> None:
        """Draw pairs across the finest areas until the asked share of households has moved."""
        missing = self.rate * len(homes) - sum(home.moved for home in homes)
        if missing <= 0:
            return
        pool = _Pool(homes, len(self.geography), set(), rng)
        for at in rng.permutation(len(homes)).tolist():
            if missing <= 1e-9:
                return
            partner = None if homes[at].moved else pool.partner(at)
            if partner is not None:
                homes[at].swap(homes[partner])
                missing -= 2

    def _at_risk(self, homes: Sequence[_Home], level: int) -> set[int]:
        counts = Counter((home.place[:level], risk) for home in homes for risk in home.risks)
        return {
            at
            for at, home in enumerate(homes)
            if not home.moved and any(counts[home.place[:level], risk] < self.k for risk in home.risks)
        }


@dataclass(eq=False)
class _Home:
    """A household: where it is, what it is like, who lives in it."""

    place: Row
    profiles: tuple[Row, ...]
    members: list[int] = field(default_factory=list)
    risks: list[Row] = field(default_factory=list)
    moved: bool = False

    def swap(self, other: _Home) -> None:
        self.place, other.place = other.place, self.place
        self.moved = other.moved = True


class _Pool:
    """Households that have not moved, by size and profile, those at risk apart from the others, each list in random order."""

    def __init__(self, homes: Sequence[_Home], level: int, risky: set[int], rng: np.random.Generator) -> None:
        self.homes, self.level = homes, level
        order = rng.permutation(len(homes)).tolist()
        self.tiers = [self._sorted(at for at in order if (at in risky) == first) for first in (True, False)]

    def _sorted(self, order: Iterable[int]) -> dict[Row, list[int]]:
        tier: dict[Row, list[int]] = defaultdict(list)
        for at in order:
            home = self.homes[at]
            if not home.moved:
                for number, profile in enumerate(home.profiles):
                    tier[len(home.members), number, profile].append(at)
        return tier

    def partner(self, at: int) -> int | None:
        """Return a household of another area that may change places with this one."""
        home = self.homes[at]
        for number, profile in enumerate(home.profiles):
            for tier in self.tiers:
                found = self._taken(tier.get((len(home.members), number, profile), []), home.place[: self.level])
                if found is not None:
                    return found
        return None

    def _taken(self, waiting: list[int], own: Row) -> int | None:
        """Take the last household that has not moved and is of another area; those of the own area go on waiting."""
        aside: list[int] = []
        found = None
        while waiting and found is None:
            last = waiting.pop()
            if self.homes[last].moved:
                continue
            if self.homes[last].place[: self.level] == own:
                aside.append(last)
            else:
                found = last
        waiting.extend(reversed(aside))
        return found
