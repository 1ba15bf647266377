"""m-confidentiality: even who knows the requirement and that masking was minimal believes no sensitive value beyond 1/m."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction
from functools import partial
from itertools import product
from math import factorial, prod
from typing import Any, ClassVar, Protocol, Self, TypeGuard

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.model import TableModel, TableTraits, Verdict, Violation, at_most
from sfumato.contracts.publication import Publication
from sfumato.contracts.thing import column, param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.text import SUPPRESSED, parse_interval, to_text
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest, Unsupported
from sfumato.groups.stats import GroupStats, Histogram
from sfumato.models._value_combinations import refuse_protected, whole_persons
from sfumato.models.sensitive_model import Value, checked_histogram, each

__all__ = [
    "ChecksGroups",
    "Credibility",
    "MConfidentiality",
    "MinimalPublisher",
    "PublishedGroup",
    "World",
    "checks_groups",
    "credibility",
    "published_groups",
]

Person = tuple[Hashable, ...]
World = Mapping[Person, Mapping[Hashable, int]]
"""A possible raw table: for every raw quasi-identifier how many persons have each sensitive value."""

MOST_WORLDS = 200_000


class ChecksGroups(Protocol):
    """A requirement that groups and the histogram of one column decide, without records and other tables."""

    id: ClassVar[str]
    traits: ClassVar[TableTraits]

    @property
    def qid(self) -> tuple[str, ...] | None:
        """The columns that groups are made by, if it names some."""

    def needs(self) -> tuple[str, ...]:
        """Return the columns whose histograms it reads."""

    def least_size(self) -> int:
        """Return the size that every group must have."""

    def check(self, groups: GroupStats, /) -> Verdict:
        """Judge a partition."""


def checks_groups(model: object, sensitive: str | None) -> TypeGuard[ChecksGroups]:
    """Tell whether groups with the histogram of this column are all that a model asks for."""
    return (
        isinstance(model, TableModel)
        and hasattr(model, "check")
        and model.traits.evaluation in ("group", "group+table", "subsets", "worlds")
        and set(model.needs()) <= {sensitive}
    )


@frozen
class PublishedGroup:
    """A published group as the adversary sees it: raw quasi-identifiers of its persons, and its sensitive values."""

    key: tuple[Hashable, ...]
    persons: Mapping[Person, int]
    values: Mapping[Hashable, int]

    @property
    def masked(self) -> bool:
        """Whether the group shows anything but the raw quasi-identifier of its persons."""
        return list(self.persons) != [self.key]


@frozen
class Credibility:
    """What the worlds that the publisher would have published alike say about every kind of person.

    ``chances[g][person][value]`` is the share of these worlds, weighted by the number of ways to hand the values out, in
    which a person of group ``g`` with that raw quasi-identifier has the value.
    """

    worlds_before: int
    worlds_after: int
    chances: tuple[Mapping[Person, Mapping[Hashable, Fraction]], ...] = field(repr=False)

    def of(self, person: Person, values: Sequence[Hashable]) -> float:
        """Return the credibility that persons with this raw quasi-identifier have one of the values, in the worst group."""
        found = [kinds[person] for kinds in self.chances if person in kinds]
        if not found:
            raise BadRequest("nobody has this quasi-identifier", parameter="person")
        return float(max(sum((kind.get(value, Fraction(0)) for value in values), Fraction(0)) for kind in found))


def credibility(
    groups: Sequence[PublishedGroup],
    would_publish: Callable[[World], bool],
    *,
    by_group: Callable[[World], bool] | None = None,
    at_most_worlds: int = MOST_WORLDS,
) -> Credibility:
    """Return the credibility of every value for every person, over the worlds that lead to the release.

    Worlds hand the published values of each group out to its persons; persons with equal raw quasi-identifiers are counted,
    not listed. ``would_publish`` tells of a whole world whether the publisher would have published this release. Where the
    release came about because *some* group of the raw table broke a rule, ``by_group`` tells for the raw groups below
    one published group whether one of them did; then every published group is enumerated on its own.

    >>> group = PublishedGroup(("Professional",), {("Engineer",): 2, ("Lawyer",): 5}, {"HIV": 2, "Flu": 5})
    >>> found = credibility([group], lambda world: world["Engineer",].get("HIV", 0) == 2)
    >>> found.worlds_before, found.worlds_after, found.of(("Engineer",), ["HIV"])
    (21, 1, 1.0)
    """
    for group in groups:
        if sum(group.persons.values()) != sum(group.values.values()):
            raise BadRequest("a group must have as many persons as sensitive values", parameter="groups")
    kinds = [person for group in groups for person in group.persons]
    tallies = [_Tally(group) for group in groups]
    if by_group is not None and len(set(kinds)) == len(kinds):
        return _needed_somewhere(tallies, by_group, at_most_worlds)
    sums = [_Sums(tally) for tally in tallies]
    kept = 0
    listed = [list(_limited(tally.worlds(), at_most_worlds)) for tally in tallies]
    if prod(len(worlds) for worlds in listed) > at_most_worlds:
        raise _too_many(at_most_worlds)
    for chosen in product(*listed):
        if not would_publish(_joined([world for _, world in chosen])):
            continue
        weight = prod(ways for ways, _ in chosen)
        kept += weight
        for sum_, (_, world) in zip(sums, chosen, strict=True):
            sum_.add(weight, world)
    if groups and not kept:
        raise BadRequest(
            "the publisher would not have published this release, whatever the raw values", parameter="publisher"
        )
    return Credibility(prod(tally.total for tally in tallies), kept, tuple(sum_.shares(kept) for sum_ in sums))


def _needed_somewhere(tallies: Sequence[_Tally], broken: Callable[[World], bool], at_most_worlds: int) -> Credibility:
    """Combine groups of which at least one must be broken: all worlds without those in which none is."""
    every = [_Sums(tally) for tally in tallies]
    sound = [_Sums(tally) for tally in tallies]
    sound_total = []
    for tally, all_, fine in zip(tallies, every, sound, strict=True):
        total = 0
        for ways, world in _limited(tally.worlds(), at_most_worlds):
            all_.add(ways, world)
            if not broken(world):
                fine.add(ways, world)
                total += ways
        sound_total.append(total)
    before = prod(tally.total for tally in tallies)
    kept = before - prod(sound_total)
    if tallies and not kept:
        raise BadRequest(
            "the publisher would not have published this release, whatever the raw values", parameter="publisher"
        )
    chances = []
    for at, tally in enumerate(tallies):
        elsewhere = before // tally.total
        sound_elsewhere = prod(total for other, total in enumerate(sound_total) if other != at)
        chances.append(every[at].less(elsewhere, sound[at], sound_elsewhere).shares(kept))
    return Credibility(before, kept, tuple(chances))


class _Tally:
    """The worlds of one group: how the values may be divided among the kinds of persons, and in how many ways."""

    def __init__(self, group: PublishedGroup) -> None:
        self.persons = dict(group.persons)
        self.values = dict(group.values)
        everybody = sum(self.persons.values())
        self.total = factorial(everybody) // prod(factorial(count) for count in self.values.values())

    def worlds(self) -> Iterator[tuple[int, World]]:
        kinds = list(self.persons)
        values = list(self.values)

        def walk(
            at: int, left: tuple[int, ...], ways: int, made: dict[Person, Mapping[Hashable, int]]
        ) -> Iterator[tuple[int, World]]:
            if at == len(kinds):
                yield ways, made
                return
            for counts in _vectors(self.persons[kinds[at]], left):
                more = factorial(self.persons[kinds[at]]) // prod(factorial(count) for count in counts)
                having = {value: count for value, count in zip(values, counts, strict=True) if count}
                rest = tuple(a - b for a, b in zip(left, counts, strict=True))
                yield from walk(at + 1, rest, ways * more, {**made, kinds[at]: having})

        return walk(0, tuple(self.values.values()), 1, {})


class _Sums:
    """Weighted sums of the counts of each value for each kind of person."""

    def __init__(self, tally: _Tally) -> None:
        self.persons = tally.persons
        self.counts: dict[Person, dict[Hashable, int]] = {
            person: dict.fromkeys(tally.values, 0) for person in tally.persons
        }

    def add(self, weight: int, world: World) -> None:
        for person, counts in self.counts.items():
            for value, count in world[person].items():
                counts[value] += weight * count

    def less(self, scale: int, other: _Sums, other_scale: int) -> _Sums:
        for person, counts in self.counts.items():
            for value in counts:
                counts[value] = counts[value] * scale - other.counts[person][value] * other_scale
        return self

    def shares(self, total: int) -> dict[Person, dict[Hashable, Fraction]]:
        return {
            person: {value: Fraction(count, total * self.persons[person]) for value, count in counts.items()}
            for person, counts in self.counts.items()
        }


def _vectors(total: int, limits: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """List the vectors of counts with this sum, each at most its limit."""
    if not limits:
        if total == 0:
            yield ()
        return
    for first in range(max(0, total - sum(limits[1:])), min(total, limits[0]) + 1):
        for rest in _vectors(total - first, limits[1:]):
            yield (first, *rest)


def _limited(worlds: Iterator[tuple[int, World]], most: int) -> Iterator[tuple[int, World]]:
    for number, world in enumerate(worlds):
        if number >= most:
            raise _too_many(most)
        yield world


def _too_many(most: int) -> Unsupported:
    return Unsupported(f"there are more than {most} different worlds to look at", thing=MConfidentiality.id)


def _joined(worlds: Sequence[World]) -> dict[Person, dict[Hashable, int]]:
    """Put the worlds of several groups together; one raw quasi-identifier may lie in more than one of them."""
    out: dict[Person, dict[Hashable, int]] = {}
    for world in worlds:
        for person, counts in world.items():
            here = out.setdefault(person, {})
            for value, count in counts.items():
                here[value] = here.get(value, 0) + count
    return out


@frozen(eq=False)
class MinimalPublisher:
    """A publisher who masks only if the raw quasi-identifiers break a requirement, and then publishes the given release.

    ``requirement`` is any model that checks groups; ``columns`` names the quasi-identifiers; ``table`` is the histogram of
    the sensitive column over the whole table, which every world shares.
    """

    requirement: ChecksGroups
    columns: tuple[str, ...]
    sensitive: str
    table: Mapping[Hashable, int]

    def breaks(self, world: World) -> bool:
        """Tell whether a raw table breaks the requirement."""
        persons = list(world)
        values = list(self.table)
        place = {value: code for code, value in enumerate(values)}
        triples = [(g, place[v], count) for g, person in enumerate(persons) for v, count in world[person].items()]
        group, code, count = (np.array(part, np.int64) for part in zip(*triples, strict=True))
        histogram = Histogram.from_pairs(len(persons), values, group, code, count)
        groups = GroupStats(
            self.columns,
            tuple([person[at] for person in persons] for at in range(len(self.columns))),
            histogram.totals(),
            {self.sensitive: histogram},
            {self.sensitive: np.array([self.table[value] for value in values], np.int64)},
            sum(self.table.values()),
        )
        return not self.requirement.check(groups).satisfied

    def credibility(self, groups: Sequence[PublishedGroup]) -> Credibility:
        """Return the credibilities that this publisher leaves."""
        if not any(group.masked for group in groups):
            return credibility(groups, lambda world: not self.breaks(world))
        alone = self.requirement.traits.by_group
        return credibility(groups, self.breaks, by_group=self.breaks if alone else None)


def published_groups(
    publication: Publication, columns: Sequence[str] | None, sensitive: str, missing: str = "refuse"
) -> tuple[PublishedGroup, ...]:
    """Return the published groups with the persons of the external table (or, lacking one, the raw table) inside them.

    A person is inside the group whose labels cover her raw values: equal, an ancestor in the column's tree, an interval that
    holds the number, or suppressed. Refused where a group has not as many persons as records, or a person fits two groups.
    """
    groups = publication.groups(columns, [sensitive])
    people = publication.external if publication.external is not None else publication.raw
    if publication.explicit is not None or people is None:
        raise BadRequest("needs the raw quasi-identifiers of the persons in the table", parameter="external")
    inside: list[dict[Person, int]] = [{} for _ in range(len(groups))]
    for person, count in _distinct(people, groups.columns):
        fits = [
            group
            for group in range(len(groups))
            if all(
                _covers(label, raw, publication.trees.get(name))
                for name, label, raw in zip(groups.columns, groups.key(group), person, strict=True)
            )
        ]
        if len(fits) > 1:
            raise BadRequest("a person fits more than one published group", parameter="external", value=len(fits))
        for group in fits:
            inside[group][person] = count
    histogram = checked_histogram(groups, sensitive, missing)
    whole_persons(groups, MConfidentiality.id)
    out = []
    for group, persons in enumerate(inside):
        if sum(persons.values()) != int(groups.sizes[group]):
            raise BadRequest(
                f"a published group of {int(groups.sizes[group])} records fits {sum(persons.values())} persons; "
                "the persons of the table are needed, no more and no fewer",
                parameter="external",
            )
        out.append(PublishedGroup(groups.key(group), persons, histogram.row(group)))
    return tuple(out)


def _distinct(people: Table, columns: Sequence[str]) -> Iterator[tuple[Person, int]]:
    for name in columns:
        if name not in people.types:
            raise BadRequest("the external table lacks a quasi-identifier", column=name, available=people.columns)
    kinds = people.groups(columns)
    return ((kinds.key(kind), int(kinds.sizes[kind])) for kind in range(len(kinds)))


def _covers(label: Hashable, raw: Hashable, tree: Tree | None) -> bool:
    if label in (raw, SUPPRESSED):
        return True
    if label is None or raw is None:
        return False
    text = to_text(label)
    if text == to_text(raw):
        return True
    if tree is not None and text in tree.node_of and raw in tree.leaf_number:
        node = tree.node(text)
        return bool(tree.leaf_first[node] <= tree.leaf_number[raw] < tree.leaf_last[node])
    interval = parse_interval(text)
    if interval is not None and isinstance(raw, (int, float)):
        low, high, closed = interval
        return low <= raw < high or (closed and raw == high)
    return False


class MConfidentiality(TableModel):
    """No person's sensitive value is believed beyond 1/m by who also knows why the table was masked.

    Worlds: all assignments of the sensitive values of each published group to its persons. A publisher who masks no more than
    the requirement forces gives away that the raw table broke it; only worlds from which the publisher would have made this
    very release are left. ``credibility(o, s)`` is the share of them in which person ``o`` has ``s``. The model holds iff it
    is at most ``1/m`` for every person and every set of values in ``sets`` (every single value if none are given).

    The publisher assumed here publishes the raw quasi-identifiers if they satisfy ``requirement``, and the release at hand
    otherwise. For any other publisher see :func:`credibility`. The persons come from the external table with raw values (or
    the raw table), the trees say which labels cover them.

    Adversary: knows the raw quasi-identifiers of everybody in the table, the requirement, and that masking was minimal.

    Examples
    --------
    >>> from sfumato.contracts.publication import Publication
    >>> from sfumato.data.tree import Tree
    >>> from sfumato.engines import from_rows
    >>> published = from_rows(["Job", "Disease"], [("Professional", "HIV")] * 2 + [("Professional", "Flu")] * 5)
    >>> persons = from_rows(["Job"], [("Engineer",)] * 2 + [("Lawyer",)] * 5)
    >>> tree = Tree.from_nested({"Professional": ["Engineer", "Lawyer"]})
    >>> rule = {"id": "lkc-privacy", "L": 1, "K": 1, "C": 0.6, "sensitive": "Disease", "values": ["HIV"]}
    >>> model = MConfidentiality(m=2, sensitive="Disease", requirement=rule, sets=(("HIV",),))
    >>> model.judge(Publication(table=published, qids=("Job",), external=persons, trees={"Job": tree})).strongest
    1.0

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 5.5.1.
    Wong, Fu, Wang, Pei, "Minimality attack in privacy preserving data publishing", 2007.
    """

    id: ClassVar[str] = "m-confidentiality"
    traits: ClassVar[TableTraits] = TableTraits(
        prevents=frozenset({"attribute"}),
        evaluation="worlds",
        closed_under_merge=False,
        violations_shrink_under_merge=False,
        sensitive="categorical",
    )
    adversary: ClassVar[str] = say("adversary.m-confidentiality")
    level: ClassVar[str] = "m"

    m: float = param(ge=1, doc="no sensitive value may be believed with more than 1/m")
    sensitive: str = column("sensitive", doc="column with the values to protect")
    requirement: Mapping[str, object] = param(
        doc="requirement that made the publisher mask: id and parameters of a model"
    )
    sets: tuple[tuple[Value, ...], ...] | None = param(
        default=None, doc="sets of sensitive values to protect; every single value if not given"
    )
    missing: str = param(
        default="refuse",
        choices=("refuse", "count"),
        doc="what to do with missing sensitive values: refuse the table, or count missing as a value of its own",
    )

    def validate(self) -> None:
        """Refuse a requirement that is no model, or one that cannot be checked on the groups of a raw table."""
        super().validate()
        where = f"{self.id}.requirement"
        if not isinstance(self.requirement, Mapping):
            raise BadRequest("must be the id and parameters of a model", parameter=where)
        try:
            self._requirement()
        except BadRequest as error:
            raise BadRequest(
                f"is no requirement ({error.message})", parameter=where, value=self.requirement.get("id")
            ) from None
        if self.sets is not None and (not self.sets or not all(self.sets)):
            raise BadRequest("must hold sets of at least one value", parameter=f"{self.id}.sets")

    def with_values(self, held: Callable[[str, Any], Any]) -> Self:
        """Return the model with the values it protects as their column holds them."""
        return replace(self, sets=each(self.sets, partial(held, self.sensitive)))

    def needs(self) -> tuple[str, ...]:
        """Return the sensitive column."""
        return (self.sensitive,)

    def credibility(self, publication: Publication) -> Credibility:
        """Return the credibility of every value for every kind of person."""
        return self._publisher(publication).credibility(self._groups(publication))

    def judge(self, publication: Publication, *, worst: int = 10) -> Verdict:
        """Judge every person and set of values; each violation is a group with its most exposed persons."""
        groups = self._groups(publication)
        found = self._publisher(publication).credibility(groups)
        sets = self.sets or [(value,) for value in dict.fromkeys(v for group in groups for v in group.values)]
        exposed: list[tuple[float, int, Sequence[Hashable]]] = []
        for group, kinds in zip(groups, found.chances, strict=True):
            rows = [
                (float(sum((chances.get(value, Fraction(0)) for value in chosen), Fraction(0))), chosen, person)
                for person, chances in kinds.items()
                for chosen in sets
            ]
            top, chosen, _ = max(rows, key=lambda row: row[0])
            limit = at_most(1 / self.m)
            unsafe = {person for chance, _, person in rows if not limit.holds(np.array([chance]))[0]}
            exposed.append((top, sum(group.persons[person] for person in unsafe), chosen))
        broken = sorted((at for at, entry in enumerate(exposed) if entry[1]), key=lambda at: -exposed[at][0])
        highest = max((top for top, *_ in exposed), default=0.0)
        return self.verdict(
            qid=tuple(self.qid or publication.qids),
            satisfied=not broken,
            strongest=1 / highest if highest else None,
            bound=say("bound.credibility", m=self.m),
            groups=len(groups),
            records=sum(sum(group.values.values()) for group in groups),
            violations=[
                Violation(
                    groups[at].key,
                    sum(groups[at].values.values()),
                    exposed[at][0],
                    {
                        "values": list(exposed[at][2]),
                        "persons": exposed[at][1],
                        "worlds_before": found.worlds_before,
                        "worlds_after": found.worlds_after,
                    },
                )
                for at in broken[:worst]
            ],
            violating_groups=len(broken),
            violating_records=sum(exposed[at][1] for at in broken),
        )

    def _requirement(self) -> ChecksGroups:
        from sfumato.catalogue import build

        model = build(self.requirement, "model")
        if not checks_groups(model, self.sensitive):
            raise BadRequest(f"cannot be checked on groups with {self.sensitive} alone")
        return model

    def _groups(self, publication: Publication) -> tuple[PublishedGroup, ...]:
        refuse_protected(self, publication, self.needs())
        return published_groups(publication, self.qid, self.sensitive, self.missing)

    def _publisher(self, publication: Publication) -> MinimalPublisher:
        groups = publication.groups(self.qid, [self.sensitive])
        histogram = checked_histogram(groups, self.sensitive, self.missing)
        counts = zip(histogram.values, histogram.per_value().tolist(), strict=True)
        return MinimalPublisher(
            self._requirement(), groups.columns, self.sensitive, {value: count for value, count in counts if count}
        )
