"""Corruption attack: members of a group who tell their sensitive value leave less doubt about the others."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import ClassVar

import numpy as np

from sfumato.attacks._matching import LookedUp, look_up, look_up_one
from sfumato.contracts.attack import AttackTraits, Details, Risk, TableAttack, spread
from sfumato.contracts.knowledge import Seen, TableKnowledge
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.text import to_text
from sfumato.errors import BadRequest
from sfumato.groups.stats import GroupStats, Histogram
from sfumato.kernels.arrays import Floats, Ints

__all__ = ["AttackCorruption", "Belief", "Corruptions", "worst_confidence"]

CURVE = 11  # numbers of corrupted members in the curve: 0 to 10


@frozen
class Belief:
    """What is believed of one victim's sensitive value, before and after others told theirs; for the steward's eyes."""

    before: Mapping[Hashable, float]
    after: Mapping[Hashable, float]


@frozen(kw_only=True, eq=False)
class ToldCounts(Details):
    """What members of groups who tell their value give away of the others."""

    published_rows: int
    published_groups: int
    corrupted_persons: int | None
    corrupted_members: int | None
    victims: int
    certain_victims: int
    fewest_corrupted_for_certainty: int | None
    worst_confidence: list[float]
    records_in_groups_with_certainty: list[int]


@frozen(kw_only=True, eq=False)
class Corruptions(Risk):
    """The worst confidence in each published group after some of its members told their values.

    ``per_victim`` has an entry for each group, for the members who told nothing, and a last one, without risk, for those who
    did, if there are any. ``told`` says how many members of each group told their value, ``left`` how many of its records
    have each value beside those. :meth:`of` is for the steward's eyes.
    """

    seen: Seen
    knowledge: TableKnowledge
    told: Ints
    left: Histogram

    def of(self, victim: Mapping[str, Hashable]) -> Belief:
        """Return what is believed of a person, known by her quasi-identifiers, before and after others told their values."""
        groups = _known_groups(self.seen, self.knowledge, victim)
        before = self.seen.groups(self.knowledge).histograms[self.knowledge.secret]
        return Belief(_posterior(before, groups), _posterior(self.left, groups))


class AttackCorruption(TableAttack):
    """Members of a group who tell their sensitive value leave less doubt about the others.

    In a group of ``n`` records of which ``f(s)`` have the value ``s``, let ``c`` members have told their values, ``c(s)`` of
    them ``s``. Whoever knows that a person is one of the others believes that she has ``s`` with

    ``posterior(s) = (f(s) - c(s)) / (n - c)``.

    With a table of *corrupted* persons these are looked up in the groups, and the risk of a record is the largest posterior of
    its group. A person whom several groups cover, as can happen where equal values are published in different ways, is
    counted in none of them, and so is one whom no group covers; both are said. Values that are told more often than they
    are published do not fit the release and are refused.

    Without such a table the worst case for ``r`` corrupted members in each group is told. These do best to tell all other
    values first: ``max_s f(s) / (n - min(r, n - f(s)))``. Somebody's value is certain as soon as ``n - max_s f(s)`` members
    are corrupted. With r = 0 this is attribute linkage. The same holds for releases that publish sensitive values by group.

    Adversary: knows the quasi-identifiers of her victim, that the victim is in the table, and what corrupted members told her.
    Remedy: ``perturbed-generalization`` bounds what she learns however many are corrupted.

    Examples
    --------
    >>> import sfumato
    >>> rows = [("Engineer", "HIV"), ("Engineer", "Flu"), ("Lawyer", "Flu"), ("Lawyer", "Ulcer"), ("Lawyer", "HIV")]
    >>> table = sfumato.from_rows(["Job", "Disease"], rows)
    >>> found = sfumato.attack(table, AttackCorruption(corrupted_members=1), qid=["Job"], sensitive="Disease")
    >>> found.highest, found.details.worst_confidence[:3]
    (1.0, [0.5, 1.0, 1.0])
    >>> john = sfumato.from_rows(["Job", "Disease"], [("Engineer", "Flu")])
    >>> told = sfumato.attack(table, "attack-corruption", qid=["Job"], sensitive="Disease", corrupted=john)
    >>> told.of({"Job": "Engineer"}).before, told.of({"Job": "Engineer"}).after
    ({'Flu': 0.5, 'HIV': 0.5}, {'HIV': 1.0})

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 5.5.3.
    Tao, Xiao, Li, Zhang, "On anti-corruption privacy preserving publication", 2008.
    """

    id: ClassVar[str] = "attack-corruption"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"attribute"}),
        knowledge="the quasi-identifiers of a victim who is in the table, and the sensitive values of some other members of "
        "the victim's group",
        needs=frozenset({"qid", "sensitive"}),
        victims="records",
    )
    adversary: ClassVar[str] = say("adversary.attack-corruption")

    corrupted_members: int = param(
        default=1, ge=0, doc="members of each group who tell their value, where no corrupted persons are given"
    )

    def run(self, seen: Seen, knowledge: TableKnowledge, run: Run) -> Corruptions:
        """Take the corrupted members away, or the worst ones, and look at what is left of each group."""
        self.refuse_unfit(seen, knowledge)
        groups = seen.groups(knowledge)
        histogram = groups.histograms[knowledge.secret]
        removed: Ints = np.zeros(len(histogram.count), np.int64)
        warnings: tuple[str, ...] = ()
        if knowledge.corrupted is not None:
            removed, warnings = _removed(seen, knowledge, groups, histogram)
        left = replace(histogram, count=histogram.count - removed)
        told = groups.sizes - left.totals()
        size, most = groups.sizes - told, left.largest()
        r = 0 if knowledge.corrupted is not None else self.corrupted_members
        per_group = worst_confidence(most, size, r)
        per_victim, counts = per_group, size
        if told.any():
            # Those who told are no victims; their records are still records of the release.
            per_victim, counts = np.append(per_group, 0.0), np.append(size, told.sum())
        highest, mean = spread(per_victim, counts)
        details = self._details(knowledge, size, most, told, per_group)
        return Corruptions(
            attack=self.id,
            per_victim=per_victim,
            highest=highest,
            mean=mean,
            reading=_reading(details, highest, r),
            counts=counts,
            details=details,
            warnings=warnings,
            seen=seen,
            knowledge=knowledge,
            told=told,
            left=left,
        )

    def _details(self, knowledge: TableKnowledge, size: Ints, most: Ints, told: Ints, risk: Floats) -> ToldCounts:
        open_ = size > 0
        lacking = (size - most)[open_]
        by_number = np.bincount(np.minimum(lacking, CURVE), weights=size[open_], minlength=CURVE + 1)
        return ToldCounts(
            published_rows=int(size.sum() + told.sum()),
            published_groups=len(size),
            corrupted_persons=int(told.sum()) if knowledge.corrupted is not None else None,
            corrupted_members=None if knowledge.corrupted is not None else self.corrupted_members,
            victims=int(size.sum()),
            certain_victims=int(size[risk >= 1].sum()),
            fewest_corrupted_for_certainty=int(lacking.min()) if len(lacking) else None,
            worst_confidence=[float(worst_confidence(most, size, number).max(initial=0.0)) for number in range(CURVE)],
            records_in_groups_with_certainty=[int(count) for count in np.cumsum(by_number)[:CURVE]],
        )


def worst_confidence(most: Ints, size: Ints, corrupted: int) -> Floats:
    """Return how sure one can be of somebody in groups of a size, with this most frequent value, if r others told theirs.

    Of all values the most frequent one gains most: where r members without it are told of, ``f / (n - r)``.

    >>> worst_confidence(np.array([2, 2]), np.array([5, 2]), 2).tolist()
    [0.6666666666666666, 1.0]
    """
    doubt = size - np.minimum(corrupted, size - most)
    share: Floats = np.divide(most, doubt, out=np.zeros(len(size)), where=doubt > 0)
    return share


def _reading(details: ToldCounts, highest: float, r: int) -> str:
    certain, victims = details.certain_victims, details.victims
    if details.corrupted_persons is not None:
        told = details.corrupted_persons
        who = say("reading.corruption_person") if told == 1 else say("reading.corruption_persons", count=told)
        return say("reading.corruption_told", who=who, told=told, victims=victims, highest=highest, certain=certain)
    who = say("reading.corruption_members", count=r) if r != 1 else say("reading.corruption_member")
    return say("reading.corruption", who=who, highest=highest, certain=certain, victims=victims)


def _posterior(histogram: Histogram, groups: Ints) -> dict[Hashable, float]:
    """Return the shares of the values in some groups together; nothing if they are empty."""
    counted = np.zeros(len(histogram.values), np.int64)
    taken = histogram.taken(groups)
    np.add.at(counted, taken.code, taken.count)
    total = int(counted.sum())
    return {histogram.values[code]: int(counted[code]) / total for code in np.flatnonzero(counted).tolist()}


def _removed(
    seen: Seen, knowledge: TableKnowledge, groups: GroupStats, histogram: Histogram
) -> tuple[Ints, tuple[str, ...]]:
    """Return how often each value of each group was told, and what could not be placed."""
    assert knowledge.corrupted is not None
    for name in (*knowledge.known, knowledge.secret):
        if name not in knowledge.corrupted.types:
            raise BadRequest(
                "is not a column of the table of corrupted persons",
                parameter="corrupted",
                column=name,
                available=knowledge.corrupted.columns,
            )
    if knowledge.corrupted.missing()[knowledge.secret]:
        raise BadRequest("corrupted persons tell their value; some are missing", parameter="corrupted")
    group = _group_of_person(seen, knowledge, groups)
    place = {to_text(value): code for code, value in enumerate(histogram.values) if value is not None}
    held = knowledge.corrupted.dictionary(knowledge.secret)
    codes = knowledge.corrupted.as_rows().codes([knowledge.secret], {knowledge.secret: held})[:, 0]
    value = np.array([place.get(to_text(one), -1) for one in held.values], np.int64)[codes]
    found = group >= 0
    asked = group[found] * len(histogram.values) + value[found]
    stored = histogram.group() * len(histogram.values) + histogram.code
    at = np.minimum(np.searchsorted(stored, asked), max(len(stored) - 1, 0))
    strange = int(np.count_nonzero((value[found] < 0) | (stored[at] != asked))) if len(stored) else len(asked)
    removed = np.bincount(at, minlength=len(stored)).astype(np.int64) if not strange else np.zeros(0, np.int64)
    if strange or (removed > histogram.count).any():
        raise BadRequest(
            "told values do not fit the release: a group has fewer records with a value than members who told it",
            parameter="corrupted",
            value=strange or int(np.count_nonzero(removed > histogram.count)),
        )
    several, nowhere = int(np.count_nonzero(group == -2)), int(np.count_nonzero(group == -1))
    warnings = []
    if several:
        warnings.append(say("warning.corrupted_in_several", count=several))
    if nowhere:
        warnings.append(say("warning.corrupted_nowhere", count=nowhere))
    return removed, tuple(warnings)


def _group_of_person(seen: Seen, knowledge: TableKnowledge, groups: GroupStats) -> Ints:
    """Return the one group that covers each corrupted person; -1 if there is none, -2 if there are several."""
    found, kind, group = _covering(seen, knowledge, groups)
    pairs = np.unique(np.stack([kind, group], axis=1), axis=0)
    number = np.bincount(pairs[:, 0], minlength=found.kinds)
    of_kind = np.full(found.kinds, -1, np.int64)
    of_kind[pairs[:, 0]] = pairs[:, 1]
    of_kind[number > 1] = -2
    return of_kind[found.kind_of_person]


def _covering(seen: Seen, knowledge: TableKnowledge, groups: GroupStats) -> tuple[LookedUp, Ints, Ints]:
    """Return the corrupted persons with the pairs (kind, group) in which a group covers a kind of person."""
    if groups.columns == knowledge.known:
        found = look_up(seen, knowledge, knowledge.corrupted)
        return found, found.pair_kind, found.pair_group
    # Values are published by group number: exact quasi-identifiers lead to the numbers that stand beside them.
    exact, numbers = _by_number(seen, knowledge, groups)
    found = look_up(exact, knowledge, knowledge.corrupted)
    pair, group = _numbers_of(numbers, found.pair_group)
    return found, found.pair_kind[pair], group


def _known_groups(seen: Seen, knowledge: TableKnowledge, victim: Mapping[str, Hashable]) -> Ints:
    if seen.groups(knowledge).columns == knowledge.known:
        return look_up_one(seen, knowledge, victim)
    exact, numbers = _by_number(seen, knowledge, seen.groups(knowledge))
    return np.unique(_numbers_of(numbers, look_up_one(exact, knowledge, victim))[1])


def _by_number(seen: Seen, knowledge: TableKnowledge, groups: GroupStats) -> tuple[Seen, Histogram]:
    """Return what shows the exact quasi-identifiers, and which groups, by their places, each of their tuples lies in."""
    (name,) = groups.columns
    if name not in seen.table.types:
        raise BadRequest(
            "the groups are published without quasi-identifiers: nobody can be looked up in them", parameter="corrupted"
        )
    tuples = seen.table.groups(knowledge.known, [name])
    held = tuples.histograms[name]
    place = {key: at for at, key in enumerate(groups.keys[0])}
    return (
        replace(seen, counted=tuples),
        replace(held, code=np.array([place[value] for value in held.values], np.int64)[held.code]),
    )


def _numbers_of(numbers: Histogram, tuples: Ints) -> tuple[Ints, Ints]:
    """Return the groups that tuples lie in, beside the place of the tuple."""
    taken = numbers.taken(tuples)
    return taken.group(), taken.code
