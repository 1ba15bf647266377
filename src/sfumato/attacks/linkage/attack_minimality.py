"""Minimality attack: that a publisher had to mask tells something about the raw table."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from math import factorial, log10, prod
from typing import ClassVar, Literal

import numpy as np

from sfumato.attacks._matching import LookedUp, look_up, names_of
from sfumato.attacks.linkage._distinct_persons import RawKinds, refuse_misfits
from sfumato.attacks.linkage._minimal_publishing import Publisher, refuse_wide, requirements, unanswerable
from sfumato.contracts.attack import AttackTraits, Details, Risk, TableAttack, spread
from sfumato.contracts.knowledge import Seen, TableKnowledge
from sfumato.contracts.model import at_most
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.text import to_text
from sfumato.errors import BadRequest, Unsupported
from sfumato.groups.stats import Histogram
from sfumato.kernels.arrays import Floats, Ints
from sfumato.models.m_confidentiality import MOST_WORLDS, Credibility, Person, credibility

__all__ = ["AttackMinimality", "Minimality"]

REMEDIES = ["m-confidentiality", "mask"]
READABLE = 9  # digits; larger numbers of worlds are told by their logarithm


@frozen(kw_only=True, eq=False)
class MinimalityCounts(Details):
    """How much surer persons' values get by knowing why the table was masked."""

    persons: int
    published_persons: int
    published_groups: int
    requirements: list[str]
    publisher: str
    naive_confidence: float
    more_believed: int
    certain: int
    certain_without: int
    all_worlds_left: bool
    worlds_before: int | None
    worlds_after: int | None
    log10_worlds_before: float
    log10_worlds_after: float
    remedies: list[str]


@frozen(kw_only=True, eq=False)
class Minimality(Risk):
    """How far each person's sensitive value is believed by who knows why the table was masked.

    ``per_victim`` is the credibility of the most believed value (of those asked for) of each person of the external table, 0
    if no group covers her; ``naive`` is the same without knowing why the table was masked, ``naive_confidence`` the largest of
    these. :meth:`credibility` and :meth:`of` name persons: they are for the steward's eyes.
    """

    seen: Seen
    knowledge: TableKnowledge
    looked_up: LookedUp
    naive: Floats
    naive_confidence: float
    worlds: Credibility | None

    @cached_property
    def worlds_before(self) -> int:
        """Number of ways to hand the values of each group out to its persons."""
        if self.worlds is not None:
            return self.worlds.worlds_before
        histogram = self._histogram
        shares = prod(factorial(count) for count in histogram.count.tolist())
        return prod(factorial(size) for size in histogram.totals().tolist()) // shares

    @property
    def worlds_after(self) -> int:
        """Number of these from which the publisher would have made this very release."""
        return self.worlds_before if self.worlds is None else self.worlds.worlds_after

    def names(self) -> list[object]:
        """Return the names of all persons, in order; their places if the external table names nobody."""
        return names_of(self.knowledge)

    def of(self, name: object) -> dict[Hashable, float]:
        """Return how far each sensitive value is believed of one person; nothing if no group covers her."""
        places = [at for at, known in enumerate(self.names()) if known == name]
        if len(places) != 1:
            raise BadRequest(
                "must name exactly one person" + (f"; {len(places)} have this name" if places else ""), parameter="name"
            )
        kind = int(self.looked_up.kind_of_person[places[0]])
        return {value: float(chance) for value, chance in self._chances(kind).items()}

    def credibility(self, value: Hashable) -> dict[object, float]:
        """Return how far one sensitive value is believed of each person, by name."""
        names = self.names()
        if len(set(names)) < len(names):
            raise BadRequest("two persons have one name; ask without a column of names", parameter="name")
        by_kind = [float(self._chances(kind).get(value, 0)) for kind in range(self.looked_up.kinds)]
        return {name: by_kind[kind] for name, kind in zip(names, self.looked_up.kind_of_person.tolist(), strict=True)}

    def m_confidentiality(self, m: float) -> bool:
        """Tell whether no person's value (of those asked for) is believed with more than 1/m."""
        if m < 1:
            raise BadRequest("must be >= 1", parameter="m", value=m)
        return bool(at_most(1 / m).holds(np.array([self.highest]))[0])

    @property
    def _histogram(self) -> Histogram:
        return self.looked_up.groups.histograms[self.knowledge.secret]

    def _chances(self, kind: int) -> Mapping[Hashable, Fraction | float]:
        groups = self.looked_up.groups_of(kind).tolist()
        if not groups:
            return {}
        (group,) = groups
        if self.worlds is not None:
            return self.worlds.chances[int(group)][(kind,)]
        row = self._histogram.row(group)
        return {value: count / sum(row.values()) for value, count in row.items()}


class AttackMinimality(TableAttack):
    """A publisher who masks no more than needed gives away that the raw table broke the requirement.

    The values of a published group can be handed out to its persons in many ways; each way for all groups is a *world*. The
    publisher is thought to publish the raw quasi-identifiers if they meet the requirements, and this release otherwise. So
    if anything is masked only the worlds that break a requirement are left, and

    ``credibility(o, s)`` = share of these worlds in which person ``o`` has the value ``s``.

    The risk of a person is her largest credibility over all sensitive values, or over ``values``. Worlds are counted by how
    many persons with equal raw quasi-identifiers have each value, weighted by the number of ways. Nothing is enumerated where
    every world is left: for requirements that do not look at the sensitive column, for raw tables that break a requirement
    whatever the values (a raw group smaller than the requirement allows), and for a publisher who masks ``blind``, without
    looking at sensitive values, as ``mask`` does. Then credibility is the share of the value in the group. Where the worlds
    are more than ``at_most_worlds`` the attack refuses.

    Known limits: the adversary's publisher masks all or nothing. One who has several releases to choose from gives away
    more; for any publisher see :func:`sfumato.models.m_confidentiality.credibility`. Random perturbation is not exposed to
    this attack, and releases that publish sensitive values in another table are not looked at.

    Adversary: knows the raw quasi-identifiers of everybody in the table, the requirements, and that the publisher masks no
    more than they force. Remedies: the requirement ``m-confidentiality``, the algorithm ``mask``.

    Examples
    --------
    >>> import sfumato
    >>> rows = [("Professional", "HIV")] * 2 + [("Professional", "Flu")] * 5
    >>> table = sfumato.from_rows(["Job", "Disease"], rows)
    >>> people = sfumato.from_rows(["Name", "Job"], [("Andy", "Engineer"), ("Bob", "Engineer"), *[
    ...     (name, "Lawyer") for name in ("Calvin", "Doug", "Eddy", "Fred", "Gabriel")]])
    >>> found = sfumato.attack(
    ...     table,
    ...     AttackMinimality(values=("HIV",)),
    ...     external=people,
    ...     name="Name",
    ...     sensitive="Disease",
    ...     hierarchies={"Job": {"Professional": ["Engineer", "Lawyer"]}},
    ...     models=[{"id": "confidence-bounding", "sensitive": "Disease", "value": "HIV", "h": 0.6}],
    ... )
    >>> round(found.naive_confidence, 3), found.worlds_before, found.worlds_after, found.of("Andy")
    (0.286, 21, 1, {'Flu': 0.0, 'HIV': 1.0})

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 5.5.1.
    Wong, Fu, Wang, Pei, "Minimality attack in privacy preserving data publishing", 2007.
    """

    id: ClassVar[str] = "attack-minimality"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"attribute"}),
        knowledge="the raw quasi-identifiers of everybody in the table, the requirements, and that masking was minimal",
        needs=frozenset({"qid", "external", "sensitive", "models"}),
        quick=False,
    )
    adversary: ClassVar[str] = say("adversary.attack-minimality")

    values: tuple[str, ...] | None = param(
        default=None, entry="value", doc="sensitive values whose credibility counts; every value if not given"
    )
    publisher: Literal["minimal", "blind"] = param(
        default="minimal",
        choices=("minimal", "blind"),
        doc="whether the publisher masks no more than the requirements force, or without looking at sensitive values",
    )
    at_most_worlds: int = param(
        default=MOST_WORLDS, ge=1, doc="how many different worlds are looked at before giving up"
    )

    def unfit(self, seen: Seen, knowledge: TableKnowledge) -> str | None:
        """Say why the attack cannot be tried: also if worlds cannot be put to a requirement."""
        lacking = super().unfit(seen, knowledge)
        if lacking is not None:
            return lacking
        strange = [] if self.publisher == "blind" else unanswerable(knowledge)
        return say("needs.known_requirement", model=strange[0]) if strange else None

    def run(self, seen: Seen, knowledge: TableKnowledge, run: Run) -> Minimality:
        """Count the worlds that lead to the release; every person of the external table is a victim."""
        self.refuse_unfit(seen, knowledge)
        reason = self.unfit(seen, knowledge)
        if reason is not None:
            raise Unsupported(f"{self.id} {reason}", thing=self.id)
        found = look_up(seen, knowledge)
        histogram = found.groups.histograms[knowledge.secret]
        wanted, warnings = self._wanted(histogram)
        refuse_misfits(found)
        group_of = np.full(found.kinds, -1, np.int64)
        group_of[found.pair_kind] = found.pair_group
        worlds = None
        if self.publisher == "minimal":
            worlds, notes = self._worlds(knowledge, found, group_of)
            warnings += notes
        naive = np.append(_top_share(histogram, wanted), 0.0)[group_of]  # the last answers for whom no group covers, -1
        believed = naive if worlds is None else _believed(worlds, group_of, [histogram.values[code] for code in wanted])
        per_victim = believed[found.kind_of_person]
        highest, mean = spread(per_victim)
        details = self._details(knowledge, found, histogram, worlds, naive[found.kind_of_person], per_victim)
        return Minimality(
            attack=self.id,
            per_victim=per_victim,
            highest=highest,
            mean=mean,
            reading=_reading(details, highest),
            details=details,
            warnings=tuple(warnings),
            seen=seen,
            knowledge=knowledge,
            looked_up=found,
            naive=naive[found.kind_of_person],
            naive_confidence=details.naive_confidence,
            worlds=worlds,
        )

    def _wanted(self, histogram: Histogram) -> tuple[list[int], list[str]]:
        """Return the codes of the values that count, and a note on those that are not published."""
        if self.values is None:
            return list(range(len(histogram.values))), []
        place = {to_text(value): code for code, value in enumerate(histogram.values) if value is not None}
        found = [place[value] for value in dict.fromkeys(self.values) if value in place]
        gone = len(set(self.values)) - len(found)
        return found, [say("warning.values_not_published", count=gone)] if gone else []

    def _worlds(
        self, knowledge: TableKnowledge, found: LookedUp, group_of: Ints
    ) -> tuple[Credibility | None, list[str]]:
        """Return the credibilities over the worlds that are left; ``None`` if all of them are."""
        asked, blind, warnings = requirements(knowledge)
        if not asked:
            return None, warnings
        raw = RawKinds.of(knowledge, found, group_of)
        if raw.always_breaks(asked, blind):
            return None, warnings
        groups = raw.published(found, knowledge.secret)
        publisher = Publisher.of(knowledge, found, asked, self.at_most_worlds)
        masked = any(group.masked for group in groups)
        try:
            refuse_wide(groups)
            worlds = credibility(
                groups,
                publisher.breaks if masked else publisher.holds,
                by_group=publisher.breaks if masked and publisher.alone else None,
                at_most_worlds=self.at_most_worlds,
            )
        except Unsupported as error:
            raise Unsupported(
                f"{error.message}; raise {self.id}.at_most_worlds (now {self.at_most_worlds:,}), or try a release of fewer "
                "records or fewer quasi-identifiers",
                thing=self.id,
            ) from None
        except BadRequest as error:
            if error.parameter != "publisher":
                raise
            warnings.append(say("warning.no_such_publisher"))
            return None, warnings
        # Persons were named by their raw values for the publisher; from here on by their number.
        chances: list[Mapping[Person, Mapping[Hashable, Fraction]]] = [
            {(raw.number[person],): kind for person, kind in kinds.items()} for kinds in worlds.chances
        ]
        return Credibility(worlds.worlds_before, worlds.worlds_after, tuple(chances)), warnings

    def _details(
        self,
        knowledge: TableKnowledge,
        found: LookedUp,
        histogram: Histogram,
        worlds: Credibility | None,
        naive: Floats,
        believed: Floats,
    ) -> MinimalityCounts:
        before = _log_worlds(histogram)
        more = int(np.count_nonzero(believed > naive + 1e-12))
        after = before if worlds is None else log10(worlds.worlds_after)
        return MinimalityCounts(
            persons=len(believed),
            published_persons=int(np.count_nonzero(found.rows[found.kind_of_person])),
            published_groups=len(found.groups),
            requirements=[model.id for model in knowledge.models],
            publisher=self.publisher,
            naive_confidence=float(naive.max(initial=0.0)),
            more_believed=more,
            certain=int(np.count_nonzero(believed >= 1)),
            certain_without=int(np.count_nonzero(naive >= 1)),
            all_worlds_left=worlds is None or worlds.worlds_after == worlds.worlds_before,
            worlds_before=_few(before),
            worlds_after=_few(after),
            log10_worlds_before=before,
            log10_worlds_after=after,
            remedies=REMEDIES if more else [],
        )


def _reading(details: MinimalityCounts, highest: float) -> str:
    persons = details.persons
    if not details.more_believed:
        return say("reading.minimality_nothing", persons=persons, highest=highest)
    return say(
        "reading.minimality",
        persons=persons,
        highest=highest,
        naive=details.naive_confidence,
        surer=details.more_believed,
        certain=details.certain,
        remedies=details.remedies,
    )


def _top_share(histogram: Histogram, wanted: Sequence[int]) -> Floats:
    """Return the largest share of a wanted value in each group."""
    chosen = np.zeros(len(histogram.values), bool)
    chosen[list(wanted)] = True
    counts = np.where(chosen[histogram.code], histogram.count, 0)
    if len(histogram.start) < 2:
        return np.empty(0)
    most: Ints = np.maximum.reduceat(counts, histogram.start[:-1])
    return most / histogram.totals()


def _believed(worlds: Credibility, group_of: Ints, wanted: Sequence[Hashable]) -> Floats:
    """Return the credibility of the most believed of the wanted values for each kind of person."""
    out = np.zeros(len(group_of))
    for kind in np.flatnonzero(group_of >= 0).tolist():
        chances = worlds.chances[int(group_of[kind])][(kind,)]
        out[kind] = float(max((chances[value] for value in wanted if value in chances), default=0))
    return out


def _log_worlds(histogram: Histogram) -> float:
    """Return the logarithm of the number of ways to hand the values of all groups out."""
    sizes = histogram.totals()
    logs = np.concatenate([[0.0], np.cumsum(np.log10(np.arange(1, int(sizes.max(initial=0)) + 1)))])
    return float(logs[sizes].sum() - logs[histogram.count].sum())


def _few(log: float) -> int | None:
    """Return a number by its logarithm, unless it is too large to be read."""
    return round(10**log) if log < READABLE else None
