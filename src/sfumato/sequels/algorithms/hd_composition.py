"""HD-composition: holders of a permanent value always stand among decoys who cannot be told from them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import ClassVar, Literal

import numpy as np

from sfumato.contracts.algorithm import Outcome, Search, SearchTraits
from sfumato.contracts.built import Built
from sfumato.contracts.engine import Table
from sfumato.contracts.facts import Facts
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.words import counted
from sfumato.engines import read
from sfumato.errors import BadRequest, Infeasible
from sfumato.kernels.arrays import Floats, Ints
from sfumato.sequels.algorithms._blocks import blocks_of
from sfumato.sequels.algorithms._group_boxes import Axis, axes_of, boxes_of, halved, places_of
from sfumato.sequels.algorithms._signature_buckets import COUNTERFEIT, fill_buckets
from sfumato.sequels.algorithms._teams import Group, Present, team_groups
from sfumato.sequels.releases.counterfeited_table import CounterfeitedTable
from sfumato.sequels.roles import ROLES, Roles
from sfumato.sequels.series import Series
from sfumato.sequels.task import SeriesTask
from sfumato.sequels.worlds import Value, Worlds, judged_worlds

__all__ = ["HDComposition", "HDFacts", "HDRelease"]

GROUP = "group"

_DRAWS = 4
"""How often decoys are drawn before records are left out."""
_BLOCK = 4
"""How many times l a block of neighbours has at least: more of them hide better who drew, fewer keep boxes small."""


@frozen(eq=False, repr=False, kw_only=True)
class HDFacts(Facts):
    """What was made: groups, new decoys, invented rows, records left out, and the largest linkage over all releases."""

    groups: int
    recruited: int
    counterfeits: int
    left_out: int
    linkage: float


@frozen(eq=False)
class HDRelease:
    """The next release: ``data`` and ``counterfeits`` are public, ``copy`` is the holder's; ``worlds`` is the audit."""

    data: Table
    counterfeits: Table
    copy: Table
    roles: Roles
    worlds: Mapping[Hashable, Worlds]
    facts: HDFacts


@frozen(eq=False)
class _Attempt:
    """Groups that link nobody, what is written of them, and how many records had to be left out for it."""

    groups: list[Group]
    roles: Roles
    copy: Table
    aside: Table
    worlds: Mapping[Hashable, Worlds]
    broken: int


def _published(series: Series | None) -> set[Hashable]:
    """Return whoever was in a release before."""
    if series is None or series.person is None:
        return set()
    return {who for table in series.releases for who in table.dictionary(series.person).values}


class HDComposition(Search[SeriesTask]):
    """Give each holder of a permanent value l-1 decoys, one of each cohort, who stand beside her in every release.

    For each permanent value there are l cohorts, one of holders and l-1 of decoys, and two of one cohort never share a group. A
    group has no member of a cohort, or one of each and one row with the value: then each of the l may be the carrier, and
    decoys imitate holders over time.

    1. A new holder recruits l-1 persons without a role, one for each decoy cohort, drawn from a block of neighbours that does
       not depend on who holds what: the nearest ones would tell around whom they were gathered. Where nobody is without a
       role, persons who serve for other values are drawn.
    2. She and her decoys are a group of exactly l. Where a decoy left, one of the cohort whose holder left takes the place,
       or somebody new is recruited.
    3. Decoys whose holder left need a row with the value: an invented one (``orphans="counterfeit"``), or their records are
       left out (``"leave-out"``).
    4. Teams that share a person, who serves for several values or holds one and serves for another, are one group that has
       each cohort of each value once. Where that cannot be, the person between them is left out.
    5. A decoy who acquires the value becomes a second holder with decoys of her own, and her place is filled anew; groups
       that were published before keep what she was in them.
    6. Everybody else is grouped by l different values that are not permanent.
    7. Before it leaves, every possible world of all releases is counted (``possible-world-exclusion``): if somebody is linked
       with more than 1/l, decoys are drawn among those who are new, and if that does not help either the groups of her team
       are left out. Parts that are too large to be counted are sampled (``samples``), and the upper ends of the intervals
       count; without samples their groups are left out.

    A holder who loses the value is refused: it is not permanent.

    Adversary: has every release, and for each of them a list of everybody with the quasi-identifiers of that time.
    Cost: records times the logarithm of the size of a bucket, plus the count of worlds, which is exact or refused.

    Examples
    --------
    >>> first = read({"Id": [1, 2, 3, 4], "Age": [21, 23, 45, 48], "Disease": ["HIV", "Flu", "Flu", "Cold"]})
    >>> search = HDComposition(permanent=("HIV",), l=2)
    >>> made = search.publish(SeriesTask(first, None, [], qid=("Age",), sensitive="Disease", person="Id"))
    >>> made.facts.linkage, made.roles.cohorts("HIV", 2)
    (0.5, [[1], [4]])

    References
    ----------
    Bu, Fu, Wong, Chen, Li, "Privacy preserving serial data publishing by role composition", 2008,
    doi:10.14778/1453856.1453948.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 10.4.
    """

    id: ClassVar[str] = "hd-composition"
    traits: ClassVar[SearchTraits] = SearchTraits(
        release="counterfeited-table",
        optimal=False,
        deterministic=False,
        truthful=False,
        anytime=False,
        cost="records times the logarithm of the size of a bucket, plus the count of worlds",
    )

    permanent: tuple[Value, ...] = param(doc="values that nobody loses")
    l: int = param(ge=2, doc="nobody may be linked to a permanent value with more than 1/l")
    orphans: Literal["counterfeit", "leave-out"] = param(
        default="counterfeit",
        choices=("counterfeit", "leave-out"),
        doc="what to do with decoys whose holder left: invent a row with the value, or leave their records out",
    )
    states: int = param(default=200_000, ge=1, doc="states at once beyond which worlds are not counted")
    samples: int = param(
        default=0, ge=0, doc="how often worlds are sampled that are too many; 0 takes them for certain"
    )

    def validate(self) -> None:
        """Refuse a search without a permanent value."""
        if not self.permanent:
            raise BadRequest(
                "must name at least one value; without one m-invariance-anonymize serves",
                parameter=f"{self.id}.permanent",
            )

    def run(self, task: SeriesTask, run: Run) -> Outcome:
        """Make the next release."""
        run.checkpoint()
        made = self.publish(task, run)
        tables = {"data": made.data, "counterfeits": made.counterfeits}
        kind = CounterfeitedTable(sensitive=task.protected)
        return Outcome(built=Built(kind, tables, linking=lambda: made.copy), facts=made.facts)

    def publish(self, task: SeriesTask, run: Run | None = None) -> HDRelease:
        """Return the next release and the holder's copy of it; decoys are drawn by the generator of the run."""
        series, rng = task.earlier, (run or Run()).rng
        before = Roles.of(series, self.permanent)
        records = _Records(task)
        self._refuse_lost(records, before)
        self._refuse_linked(series)
        present = Present(
            {who: at for at, who in enumerate(records.person)},
            records.value,
            records.blocks(_BLOCK * self.l),
            records.middle,
            lambda free: free[int(rng.integers(len(free)))],
        )
        # Whoever was seen without the value may be no good decoy: draws among those who are new are tried as well.
        known = frozenset(_published(series)) & set(records.person)
        tried: list[_Attempt] = []
        for shunned in (frozenset[Hashable](), known) if 0 < len(known) < len(records.person) else (frozenset(),):
            for _ in range(_DRAWS):
                made = self._attempt(task, records, replace(present, shunned=shunned), before)
                tried += [] if made is None else [made]
                if made is not None and not made.broken:
                    break
            if tried and not tried[-1].broken:
                break
        found = min(tried, key=lambda one: one.broken, default=None)
        if found is None:
            raise Infeasible("no group can be published with this promise", requirement=self.id)
        groups, roles, copy, worlds = found.groups, found.roles, found.copy, found.worlds
        facts = HDFacts(
            groups=len(groups),
            recruited=sum(
                role.cohort > 0 and before.role(who, value) is None
                for value, held in roles.held.items()
                for who, role in held.items()
            ),
            counterfeits=sum(len(group.invented) for group in groups),
            left_out=len(records.person) - sum(len(group.records) for group in groups),
            linkage=float(max((share for found in worlds.values() for share in found.upper().values()), default=0)),
        )
        public = copy.select([name for name in copy.columns if name not in (task.person, ROLES)])
        return HDRelease(public, found.aside, copy, roles, worlds, facts)

    def _attempt(self, task: SeriesTask, records: _Records, present: Present, before: Roles) -> _Attempt | None:
        """Make groups and leave out those that link somebody; nothing, if none is left."""
        counterfeit = self.orphans == "counterfeit"
        groups, roles = team_groups(present, before, self.permanent, self.l, counterfeit=counterfeit)
        groups += self._others(records, roles)
        broken = 0
        while groups:
            copy, aside = records.written(groups, roles)
            worlds = self._worlds(task.after(copy))
            risky = self._linked(worlds)
            if not risky:
                return _Attempt(groups, roles, copy, aside, worlds, broken)
            out = [group for group in groups if any(records.person[at] in risky for at in group.records)]
            out = out or [group for group in groups if group.values] or groups
            groups = [group for group in groups if group not in out]
            broken += sum(len(group.records) for group in out)
        return None

    def _linked(self, worlds: Mapping[Hashable, Worlds]) -> set[Hashable]:
        """Return who may be linked with more than 1/l, by everything that is published."""
        if any(not found.count for found in worlds.values()):
            raise BadRequest(
                "no set of carriers fits all releases: a value is not permanent", parameter=f"{self.id}.permanent"
            )
        limit = Fraction(1, self.l)
        return {who for found in worlds.values() for who, share in found.upper().items() if share > limit}

    def _refuse_linked(self, series: Series | None) -> None:
        """Refuse a series that links somebody already: nothing that is published next can take it back."""
        worlds = {} if series is None else self._worlds(series)
        unknown = {who for found in worlds.values() for who in found.unknown}
        if unknown:
            raise Infeasible(
                f"the worlds of {len(unknown)} persons are too many to be counted, so that nothing can be promised",
                requirement=self.id,
            )
        linked = self._linked(worlds)
        if linked:
            raise Infeasible(
                f"the releases so far link {len(linked)} persons with more than 1/{self.l}", requirement=self.id
            )

    def _worlds(self, series: Series) -> dict[Hashable, Worlds]:
        return {value: judged_worlds(series, value, GROUP, self.states, self.samples) for value in self.permanent}

    def _refuse_lost(self, records: _Records, roles: Roles) -> None:
        """Refuse holders who lost a value."""
        held = dict(zip(records.person, records.value, strict=True))
        lost = sum(
            role.cohort == 0 and who in held and held[who] != value
            for value, known in roles.held.items()
            for who, role in known.items()
        )
        if lost:
            raise BadRequest(
                f"{lost} persons lost a permanent value: it is not permanent", parameter=f"{self.id}.permanent"
            )

    def _others(self, records: _Records, roles: Roles) -> list[Group]:
        """Return groups of l different values of everybody without a role; invented rows complete them where it must be."""
        busy = roles.persons()
        free = [at for at, who in enumerate(records.person) if who not in busy]
        if not free:
            return []
        held = list(dict.fromkeys(records.value[at] for at in free))
        held += [value for value in dict.fromkeys(records.value) if value not in held and value not in self.permanent]
        if len(held) < self.l:
            return [Group(tuple(free))]  # too few values for any diversity: one group tells the least
        place = {value: code for code, value in enumerate(held)}
        codes = np.array([place.get(value, 0) for value in records.value], np.int64)
        buckets = fill_buckets({}, codes, records.in_order(free), len(held), self.l)
        return [
            Group(
                tuple(int(at) for at in members if at != COUNTERFEIT),
                tuple(held[kind] for kind, at in zip(signature, members.tolist(), strict=True) if at == COUNTERFEIT),
            )
            for signature in sorted(buckets.held)
            for members in halved(buckets.held[signature], records.places)
        ]


class _Records:
    """The records of the next release by number: person, sensitive value, and where they lie."""

    def __init__(self, task: SeriesTask) -> None:
        if task.person is None:
            raise BadRequest("say which column tells the rows of one person", parameter="person")
        batch = task.batch.as_rows()
        self.qid, self.protected, self.who = list(task.qid), task.protected, task.person
        lacking = [name for name in (*self.qid, self.protected, self.who) if name not in batch.types]
        if lacking:
            raise BadRequest("is not a column of the records", column=lacking[0], available=batch.columns)
        if batch.rows == 0:
            raise BadRequest("there is no record to publish", parameter="batch")
        for name in (self.protected, self.who):
            if batch.missing()[name]:
                raise BadRequest(
                    f"{counted(batch.missing()[name], 'record has', 'records have')} no value", column=name
                )
        if (batch.dictionary(self.who).counts > 1).any():
            raise BadRequest("persons have several records", column=self.who)
        self.axes: list[Axis] = axes_of(batch, self.qid, task.trees)
        self.codes = batch.codes(self.qid)
        self.places: Floats = places_of(self.axes, self.codes)
        pairs = batch.codes([self.who, self.protected])
        people, values = batch.dictionary(self.who).values, batch.dictionary(self.protected).values
        self.person: list[Hashable] = [people[code] for code in pairs[:, 0].tolist()]
        self.value: list[Hashable] = [values[code] for code in pairs[:, 1].tolist()]

    def blocks(self, least: int) -> Ints:
        """Return the block of neighbours of each record."""
        self.block = blocks_of(self.places, least)
        return self.block

    def middle(self, some: Sequence[int]) -> int:
        """Return the block of the record that lies nearest to the middle of some records; of one record its own."""
        if len(some) == 1:
            return int(self.block[some[0]])
        distance = np.abs(self.places - self.places[list(some)].mean(axis=0)).sum(axis=1)
        return int(self.block[int(np.argmin(distance))])

    def in_order(self, some: Sequence[int]) -> list[int]:
        """Return records in the order of their places."""
        order = np.lexsort(self.places[list(some)].T[::-1])
        return [some[at] for at in order.tolist()]

    def written(self, groups: Sequence[Group], roles: Roles) -> tuple[Table, Table]:
        """Return the holder's copy, and the invented rows by group; groups are numbered by what they show."""
        boxes = boxes_of(self.axes, self.codes, [group.records for group in groups])
        order = sorted(range(len(groups)), key=lambda at: (boxes[at], groups[at].records))
        rows: list[tuple[int, tuple[str, ...], Hashable, Hashable, str | None]] = []
        for number, at in enumerate(order, 1):
            real = [(self.value[one], self.person[one], roles.told(self.person[one])) for one in groups[at].records]
            shown = sorted(
                [*real, *((value, None, None) for value in groups[at].invented)], key=lambda row: str(row[0])
            )
            rows += [(number, boxes[at], *row) for row in shown]
        copy: dict[str, list[object]] = {GROUP: [row[0] for row in rows]}
        copy |= {axis.name: [row[1][at] for row in rows] for at, axis in enumerate(self.axes)}
        copy |= {self.protected: [row[2] for row in rows], self.who: [row[3] for row in rows]}
        copy[ROLES] = [row[4] for row in rows]
        listed = read(
            {GROUP: list(range(1, len(order) + 1)), "counterfeits": [len(groups[at].invented) for at in order]}
        )
        kept = [place for place, at in enumerate(order) if groups[at].invented]
        return read(copy), listed.as_rows().take(kept)
