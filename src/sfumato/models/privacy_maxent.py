"""Privacy-MaxEnt: what an adversary with probabilistic knowledge should believe, by the principle of maximum entropy."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import field, replace
from itertools import combinations
from typing import Any, ClassVar, Self

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.model import TableModel, TableTraits, Verdict, Violation, at_most
from sfumato.contracts.publication import Publication
from sfumato.contracts.thing import column, param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.groups.stats import GroupStats
from sfumato.kernels.arrays import Bools, Floats, Ints
from sfumato.models._value_combinations import groups_of, refuse_protected
from sfumato.models.sensitive_model import checked_histogram

__all__ = ["Belief", "Buckets", "Knowledge", "PrivacyMaxEnt", "association_rules", "maximum_entropy"]

_NEWTON_SIZE = 400
_STEPS = 400
_SWEEPS = 20_000
_CLOSE = 1e-12
_FAR = 1e-8


@frozen
class Knowledge:
    """One piece of knowledge: a sensitive value has this probability among persons with the given attribute values."""

    given: Mapping[str, Hashable]
    value: Hashable
    probability: float

    def __str__(self) -> str:
        given = ", ".join(f"{name}={value}" for name, value in self.given.items())
        return f"P({self.value} | {given}) = {self.probability:g}"

    def spec(self) -> dict[str, object]:
        """Return the JSON form, as the model's parameter takes it."""
        return {"given": dict(self.given), "value": self.value, "probability": self.probability}


@frozen(eq=False)
class Buckets:
    """Buckets as published: how often each quasi-identifier and, apart from it, each sensitive value occurs in each."""

    columns: tuple[str, ...]
    qi: tuple[tuple[Hashable, ...], ...]
    values: tuple[Hashable, ...]
    qi_entries: tuple[Ints, Ints, Ints] = field(repr=False)
    value_entries: tuple[Ints, Ints, Ints] = field(repr=False)

    @classmethod
    def from_lists(
        cls, buckets: Sequence[tuple[Sequence[Hashable], Sequence[Hashable]]], columns: Sequence[str] = ("qi",)
    ) -> Buckets:
        """Build from one pair per bucket: the quasi-identifiers of its persons, and their sensitive values in any order.

        A quasi-identifier is a tuple with one value per column, or the bare value if there is one column only.
        """
        if any(len(persons) != len(sensitive) for persons, sensitive in buckets):
            raise BadRequest("a bucket needs as many sensitive values as persons", parameter="buckets")
        wrapped = [[person if isinstance(person, tuple) else (person,) for person in persons] for persons, _ in buckets]
        qi = list(dict.fromkeys(person for persons in wrapped for person in persons))
        values = list(dict.fromkeys(value for _, sensitive in buckets for value in sensitive))
        return cls(
            tuple(columns), tuple(qi), tuple(values), _entries(wrapped, qi), _entries([s for _, s in buckets], values)
        )

    @classmethod
    def from_groups(
        cls, persons: GroupStats, buckets: GroupStats, sensitive: str, columns: Sequence[str], missing: str = "refuse"
    ) -> Buckets:
        """Build from groups on (bucket, quasi-identifiers) and from the buckets with their sensitive histogram."""
        place = {bucket: number for number, bucket in enumerate(buckets.keys[0])}
        at = [persons.columns.index(name) for name in columns]
        qi: dict[tuple[Hashable, ...], int] = {}
        code = [qi.setdefault(tuple(persons.keys[i][g] for i in at), len(qi)) for g in range(len(persons))]
        bucket = np.array([place[key] for key in persons.keys[0]], np.int64)
        return cls._with(columns, qi, bucket, np.array(code, np.int64), persons.sizes, buckets, sensitive, missing)

    @classmethod
    def of_equal_persons(cls, groups: GroupStats, sensitive: str, missing: str = "refuse") -> Buckets:
        """Build from groups in which all persons look alike: each group is a bucket with one quasi-identifier."""
        qi = {groups.key(group): group for group in range(len(groups))}
        every = np.arange(len(groups), dtype=np.int64)
        return cls._with(groups.columns, qi, every, every, groups.sizes, groups, sensitive, missing)

    @classmethod
    def _with(
        cls,
        columns: Sequence[str],
        qi: Mapping[tuple[Hashable, ...], int],
        bucket: Ints,
        code: Ints,
        count: Ints,
        buckets: GroupStats,
        sensitive: str,
        missing: str,
    ) -> Buckets:
        histogram = checked_histogram(buckets, sensitive, missing)
        entries = (histogram.group(), histogram.code, histogram.count)
        return cls(tuple(columns), tuple(qi), histogram.values, (bucket, code, count), entries)

    @property
    def sizes(self) -> Ints:
        """Number of persons in each bucket."""
        bucket, _, count = self.qi_entries
        return np.bincount(bucket, weights=count).astype(count.dtype)

    def persons(self) -> Ints:
        """Return the number of persons with each quasi-identifier."""
        _, code, count = self.qi_entries
        return np.bincount(code, weights=count, minlength=len(self.qi)).astype(count.dtype)

    def matching(self, given: Mapping[str, Hashable]) -> Bools:
        """Tell which quasi-identifiers have the given values; refuse values that nobody has."""
        for name in given:
            if name not in self.columns:
                raise BadRequest("knowledge names an unknown column", column=name, value=name, available=self.columns)
        at = {self.columns.index(name): value for name, value in given.items()}
        out = np.array([all(person[i] == value for i, value in at.items()) for person in self.qi], bool)
        if not out.any():
            raise BadRequest(
                "knowledge is about values that nobody has as published",
                parameter="knowledge",
                value=[f"{name}={value}" for name, value in given.items()],
            )
        return out


def _entries(lists: Sequence[Sequence[Hashable]], known: Sequence[Hashable]) -> tuple[Ints, Ints, Ints]:
    place = {value: code for code, value in enumerate(known)}
    counted: dict[tuple[int, int], int] = {}
    for bucket, entries in enumerate(lists):
        for entry in entries:
            counted[bucket, place[entry]] = counted.get((bucket, place[entry]), 0) + 1
    bucket_code = np.array(list(counted), np.int64).reshape(-1, 2)
    return bucket_code[:, 0], bucket_code[:, 1], np.array(list(counted.values()), np.int64)


@frozen(eq=False)
class Belief:
    """``P(s | q)`` for every quasi-identifier (rows) and sensitive value (columns)."""

    qi: tuple[tuple[Hashable, ...], ...]
    values: tuple[Hashable, ...]
    probability: Floats

    def of(self, *person: Hashable) -> dict[Hashable, float]:
        """Return the belief about a person with these quasi-identifier values."""
        if person not in self.qi:
            raise BadRequest("nobody has this quasi-identifier", parameter="person", available=self.qi)
        row = self.probability[self.qi.index(person)]
        return {value: float(chance) for value, chance in zip(self.values, row, strict=True)}


class PrivacyMaxEnt(TableModel):
    """With the adversary's knowledge the most even-handed belief gives no sensitive value more than the threshold.

    Of all joint distributions ``P(q, s, b)`` of quasi-identifier, sensitive value and bucket that agree with the published
    counts, ``sum_s P(q,s,b) = n(q,b)/N`` and ``sum_q P(q,s,b) = n(s,b)/N``, and with the knowledge, ``P(s | Qv) = a``, the
    adversary takes the one of largest entropy. The model holds iff ``P(s | q) <= threshold`` for all ``q`` and ``s``.

    Without knowledge ``P(q,s,b) = P(q,b) P(s,b) / P(b)``. Only buckets that knowledge links are solved together, by Newton
    steps on the dual (by iterative scaling where there are very many constraints). Knowledge that contradicts the release
    is refused.

    ``bucket`` names the column that tells the buckets of an anatomized table; without it the groups of equal published
    quasi-identifiers are the buckets. ``top_positive`` and ``top_negative`` add the strongest rules ``Qv -> s`` and
    ``Qv -> not s`` of the raw table, which the adversary may know from elsewhere.

    Merging keeps the model where there is no knowledge and no quasi-identifier lies in two buckets; else it may not.

    Known limit: the belief is about a quasi-identifier, a mean over the buckets in which it lies. Who also knows in which of
    them a person is may believe more.

    Adversary: knows the quasi-identifiers of the persons in each bucket and some conditional probabilities of sensitive values.

    Examples
    --------
    >>> buckets = Buckets.from_lists([(["M", "M", "F", "F"], ["Breast", "Flu", "Flu", "HIV"])], columns=["Sex"])
    >>> knows = Knowledge({"Sex": "M"}, "Breast", 0.0)
    >>> model = PrivacyMaxEnt(sensitive="Disease", threshold=0.6, knowledge=(knows.spec(),))
    >>> {value: round(chance, 3) for value, chance in maximum_entropy(buckets, [knows]).of("M").items()}
    {'Breast': 0.0, 'Flu': 0.667, 'HIV': 0.333}
    >>> model.check(buckets).satisfied
    False

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.5.2.
    Du, Teng, Zhu, "Privacy-MaxEnt: integrating background knowledge in privacy quantification", 2008,
    doi:10.1145/1376616.1376665.
    """

    id: ClassVar[str] = "privacy-maxent"
    traits: ClassVar[TableTraits] = TableTraits(
        prevents=frozenset({"attribute"}),
        evaluation="worlds",
        closed_under_merge=False,
        violations_shrink_under_merge=False,
        sensitive="categorical",
    )
    adversary: ClassVar[str] = say("adversary.privacy-maxent")
    level: ClassVar[str] = "highest probability"

    sensitive: str = column("sensitive", doc="column with the values to protect")
    threshold: float = param(gt=0, le=1, doc="highest probability of a sensitive value for any quasi-identifier")
    bucket: str | None = column(
        "plain", default=None, doc="column that tells the buckets; groups of equal records if not given"
    )
    knowledge: tuple[Mapping[str, object], ...] = param(
        default=(),
        doc="what the adversary knows, each as {given: {column: value}, value: sensitive value, probability: number}",
    )
    top_positive: int = param(default=0, ge=0, doc="number of strongest rules of the raw table that point to a value")
    top_negative: int = param(default=0, ge=0, doc="number of strongest rules of the raw table that exclude a value")
    width: int = param(default=1, ge=1, doc="most columns that such a rule may use")
    missing: str = param(
        default="refuse",
        choices=("refuse", "count"),
        doc="what to do with missing sensitive values: refuse the table, or count missing as a value of its own",
    )

    def validate(self) -> None:
        """Refuse knowledge that is not an equation about a probability."""
        super().validate()
        for entry in self.knowledge:
            _parsed(entry, f"{self.id}.knowledge")

    def with_values(self, held: Callable[[str, Any], Any]) -> Self:
        """Return the model with the values it protects as their column holds them."""
        knowledge = tuple({**entry, "value": held(self.sensitive, entry["value"])} for entry in self.knowledge)
        return replace(self, knowledge=knowledge)

    def needs(self) -> tuple[str, ...]:
        """Return the sensitive column and that of the buckets."""
        return (self.sensitive,) if self.bucket is None else (self.sensitive, self.bucket)

    def known(self, publication: Publication) -> list[Knowledge]:
        """Return what the adversary knows: the given pieces and the strongest rules of the raw table."""
        given = [_parsed(entry, f"{self.id}.knowledge") for entry in self.knowledge]
        if not self.top_positive and not self.top_negative:
            return given
        if publication.raw is None:
            raise BadRequest("needs the raw table, whose strongest rules the adversary knows", parameter="raw")
        return given + association_rules(
            publication.raw,
            self.qid or publication.qids,
            self.sensitive,
            positive=self.top_positive,
            negative=self.top_negative,
            width=self.width,
            missing=self.missing,
        )

    def buckets(self, publication: Publication) -> Buckets:
        """Return the buckets of a publication."""
        if self.bucket is None or publication.explicit is not None:
            return Buckets.of_equal_persons(
                groups_of(self, publication, (self.sensitive,)), self.sensitive, self.missing
            )
        refuse_protected(self, publication, (self.sensitive,))
        names = [name for name in self.qid or publication.qids if name != self.bucket]
        return Buckets.from_groups(
            publication.groups([self.bucket, *names]),
            publication.groups([self.bucket], [self.sensitive]),
            self.sensitive,
            names,
            self.missing,
        )

    def belief(self, publication: Publication) -> Belief:
        """Return what the adversary believes about every published quasi-identifier."""
        return maximum_entropy(self.buckets(publication), self.known(publication))

    def judge(self, publication: Publication, *, worst: int = 10) -> Verdict:
        """Judge the belief about every quasi-identifier."""
        return self._verdict(self.buckets(publication), self.known(publication), worst)

    def check(self, buckets: Buckets | GroupStats, *, worst: int = 10) -> Verdict:
        """Judge buckets, or groups of equal persons, under the given knowledge."""
        if isinstance(buckets, GroupStats):
            buckets = Buckets.of_equal_persons(buckets, self.sensitive, self.missing)
        return self._verdict(buckets, self.known(Publication()), worst)

    def _verdict(self, buckets: Buckets, knowledge: Sequence[Knowledge], worst: int) -> Verdict:
        belief = maximum_entropy(buckets, knowledge)
        highest = belief.probability.max(axis=1) if len(belief.qi) else np.empty(0)
        persons = buckets.persons()
        broken = np.flatnonzero(~at_most(float(self.threshold)).holds(highest))
        shown = broken[np.argsort(-highest[broken], kind="stable")][:worst]
        return self.verdict(
            qid=buckets.columns,
            satisfied=len(broken) == 0,
            strongest=float(highest.max()) if len(highest) else None,
            bound=f"<= {self.threshold:g}",
            groups=len(buckets.qi),
            records=persons.sum().item(),
            violations=[
                Violation(
                    buckets.qi[at],
                    persons[at].item(),
                    float(highest[at]),
                    {
                        "value": belief.values[int(belief.probability[at].argmax())],
                        "pieces_of_knowledge": len(knowledge),
                    },
                )
                for at in shown
            ],
            violating_groups=len(broken),
            violating_records=persons[broken].sum().item(),
        )


def _parsed(entry: object, where: str) -> Knowledge:
    if not isinstance(entry, Mapping) or set(entry) != {"given", "value", "probability"}:
        raise BadRequest("each piece must have given, value and probability", parameter=where)
    given, chance = entry["given"], entry["probability"]
    if not isinstance(given, Mapping) or not given:
        raise BadRequest("given must map at least one column to its value", parameter=where)
    if isinstance(chance, bool) or not isinstance(chance, (int, float)) or not 0 <= chance <= 1:
        raise BadRequest("probability must be a number >= 0 and <= 1", parameter=where, value=chance)
    return Knowledge(dict(given), entry["value"], float(chance))


def association_rules(
    raw: Table,
    qid: Sequence[str],
    sensitive: str,
    *,
    positive: int,
    negative: int,
    width: int = 1,
    missing: str = "refuse",
) -> list[Knowledge]:
    """Return the strongest rules of a table as knowledge: first those that point to a value, then those that exclude one.

    A rule ``Qv -> s`` is as strong as ``P(s | Qv)``, a rule ``Qv -> not s`` as ``1 - P(s | Qv)``; of equally strong rules the
    one that more records support comes first, then the one with fewer columns.
    """
    rules: list[tuple[float, int, int, Knowledge]] = []
    for size in range(1, min(width, len(qid)) + 1):
        for names in combinations(qid, size):
            groups = raw.groups(names, [sensitive])
            share = checked_histogram(groups, sensitive, missing).dense() / groups.sizes[:, np.newaxis]
            for group in range(len(groups)):
                given = dict(zip(names, groups.key(group), strict=True))
                rules += [
                    (chance, int(groups.sizes[group]), size, Knowledge(given, value, chance))
                    for value, chance in zip(groups.histograms[sensitive].values, share[group].tolist(), strict=True)
                ]
    sure = sorted(rules, key=lambda rule: (-rule[0], -rule[1] * rule[0], rule[2]))[:positive]
    excluding = sorted(rules, key=lambda rule: (rule[0], -rule[1] * (1 - rule[0]), rule[2]))[:negative]
    chosen = [rule[3] for rule in [*sure, *excluding]]
    return [knows for at, knows in enumerate(chosen) if knows not in chosen[:at]]


def maximum_entropy(buckets: Buckets, knowledge: Sequence[Knowledge] = ()) -> Belief:
    """Return the belief of largest entropy that agrees with the buckets and the knowledge."""
    value_bucket, value_code, value_count = buckets.value_entries
    qi_bucket, qi_code, qi_count = buckets.qi_entries
    out = np.zeros((len(buckets.qi), len(buckets.values)))
    if not len(buckets.qi):
        return Belief(buckets.qi, buckets.values, out)
    sizes = buckets.sizes
    share = np.zeros((len(sizes), len(buckets.values)))
    share[value_bucket, value_code] = value_count / sizes[value_bucket]
    persons = buckets.persons()
    linked, pieces = _linked(buckets, knowledge)
    free = linked[qi_bucket] < 0
    np.add.at(out, qi_code[free], (qi_count[free] / persons[qi_code[free]])[:, np.newaxis] * share[qi_bucket[free]])
    for component in range(int(linked.max()) + 1):
        chosen = [piece for piece in pieces if piece.component == component]
        _Program(buckets, np.flatnonzero(linked == component), chosen).solve_into(out, persons)
    return Belief(buckets.qi, buckets.values, out)


@frozen(eq=False)
class _Piece:
    """Knowledge in counts: the expected number of matching persons with the value, in one component of linked buckets."""

    knowledge: Knowledge
    matching: Bools
    code: int
    wanted: float
    component: int


def _linked(buckets: Buckets, knowledge: Sequence[Knowledge]) -> tuple[Ints, list[_Piece]]:
    """Return the component of each bucket, -1 where no knowledge reaches, and the knowledge by component."""
    qi_bucket, qi_code, qi_count = buckets.qi_entries
    value_bucket, value_code, value_count = buckets.value_entries
    sizes = buckets.sizes
    root = np.arange(len(sizes))
    found: list[tuple[Knowledge, Bools, int, float, Ints]] = []
    for knows in knowledge:
        matching = buckets.matching(knows.given)
        code = buckets.values.index(knows.value) if knows.value in buckets.values else -1
        inside = np.bincount(qi_bucket, weights=qi_count * matching[qi_code], minlength=len(sizes))
        with_value = np.zeros(len(sizes))
        here = value_code == code
        with_value[value_bucket[here]] = value_count[here]
        wanted = knows.probability * inside.sum()
        lowest = np.maximum(inside + with_value - sizes, 0).sum()
        highest = np.minimum(inside, with_value).sum()
        if not lowest - _FAR <= wanted <= highest + _FAR:
            raise _contradiction(
                knows, f"the release allows {lowest / inside.sum():.4g} to {highest / inside.sum():.4g}"
            )
        touched = np.flatnonzero((inside > 0) & (with_value > 0))
        if len(touched):
            root[np.isin(root, root[touched])] = root[touched[0]]
            found.append((knows, matching, code, wanted, touched))
    reached = np.zeros(len(sizes), bool)
    for *_, touched in found:
        reached[touched] = True
    linked = np.full(len(sizes), -1, np.int64)
    if reached.any():
        linked[reached] = np.unique(root[reached], return_inverse=True)[1].reshape(-1)
    return linked, [
        _Piece(knows, matching, code, wanted, int(linked[touched[0]]))
        for knows, matching, code, wanted, touched in found
    ]


def _contradiction(knows: Knowledge, why: str) -> BadRequest:
    return BadRequest(f"knowledge contradicts the release: {why}", parameter="knowledge", value=str(knows))


class _Program:
    """The entropy program of linked buckets, in counts: one variable per quasi-identifier, value and bucket.

    Every constraint says that the sum of some variables is a known number: first one per person kind and bucket, then one
    per value and bucket, then one per piece of knowledge. The start is the answer without knowledge; it differs from the
    even start only by factors that the first two kinds absorb.
    """

    def __init__(self, buckets: Buckets, chosen: Ints, pieces: Sequence[_Piece]) -> None:
        sizes = buckets.sizes
        persons_of = _by_bucket(buckets.qi_entries, chosen)
        values_of = _by_bucket(buckets.value_entries, chosen)
        qi: list[Ints] = []
        value: list[Ints] = []
        start: list[Floats] = []
        rows: list[Ints] = []
        columns: list[Ints] = []
        made, other = 0, 0
        for bucket, (persons, counts), (codes, having) in zip(chosen, persons_of, values_of, strict=True):
            qi.append(np.repeat(persons, len(codes)))
            value.append(np.tile(codes, len(persons)))
            start.append((np.outer(counts, having) / sizes[bucket]).reshape(-1))
            rows.append(np.repeat(np.arange(len(persons)) + made, len(codes)))
            columns.append(np.tile(np.arange(len(codes)) + other, len(persons)))
            made, other = made + len(persons), other + len(codes)
        self.qi, self.value, self.x = np.concatenate(qi), np.concatenate(value), np.concatenate(start)
        self.row, self.column = np.concatenate(rows), np.concatenate(columns) + made
        self.marginals = made + other
        self.pieces = list(pieces)
        self.told = [np.flatnonzero(piece.matching[self.qi] & (self.value == piece.code)) for piece in pieces]
        counted = [counts for _, counts in persons_of] + [having for _, having in values_of]
        self.wanted = np.concatenate([*counted, np.array([piece.wanted for piece in pieces])])
        self.total = float(self.x.sum())

    def solve_into(self, out: Floats, persons: Ints) -> None:
        """Solve, and add each variable's share of its quasi-identifier to ``P(s | q)``."""
        for told, wanted in zip(self.told, self.wanted[self.marginals :], strict=True):
            if wanted <= 0:
                self.x[told] = 0.0
        if len(self.wanted) <= _NEWTON_SIZE:
            self._scale(20)
            self._newton()
        else:
            self._scale(_SWEEPS)
        misfit = np.abs(self._sums() - self.wanted)
        if misfit.max() > _FAR * self.total:
            worst = self.pieces[int(misfit[self.marginals :].argmax())]
            raise _contradiction(worst.knowledge, "no distribution agrees with it and with everything else")
        np.add.at(out, (self.qi, self.value), self.x / persons[self.qi])

    def _sums(self) -> Floats:
        sums = np.bincount(self.row, weights=self.x, minlength=self.marginals)
        sums += np.bincount(self.column, weights=self.x, minlength=self.marginals)
        return np.concatenate([sums, [self.x[told].sum() for told in self.told]])

    def _scale(self, sweeps: int) -> None:
        """Scale the variables of each constraint to its sum, over and over; this tends to the answer."""
        for _ in range(sweeps):
            for place in (self.row, self.column):
                sums = np.bincount(place, weights=self.x, minlength=self.marginals)
                scale = np.divide(self.wanted[: self.marginals], sums, out=np.ones(self.marginals), where=sums > 0)
                self.x *= scale[place]
            for told, wanted in zip(self.told, self.wanted[self.marginals :], strict=True):
                now = self.x[told].sum()
                if now > 0:
                    self.x[told] *= wanted / now
            if np.abs(self._sums() - self.wanted).max() <= _CLOSE * self.total:
                return

    def _newton(self) -> None:
        """Minimise the dual, ``sum of x(multipliers) - wanted * multipliers``, by damped Newton steps."""
        alive = np.flatnonzero(self.x > 0)
        a = np.zeros((len(self.wanted), len(self.x)))
        a[self.row, np.arange(len(self.x))] = 1.0
        a[self.column, np.arange(len(self.x))] = 1.0
        for at, told in enumerate(self.told):
            a[self.marginals + at, told] = 1.0
        a, x = a[:, alive], self.x[alive]
        for _ in range(_STEPS):
            misfit = a @ x - self.wanted
            if np.abs(misfit).max() <= _CLOSE * self.total:
                break
            # Constraints may repeat each other; directions without curvature are left alone.
            level, basis = np.linalg.eigh((a * x) @ a.T)
            keep = level > level[-1] * 1e-14
            step = -basis[:, keep] @ ((basis[:, keep].T @ misfit) / level[keep])
            change = a.T @ step
            length = min(1.0, 10.0 / max(float(np.abs(change).max()), 1e-300))
            slope, cost = float(misfit @ step), float(self.wanted @ step)
            while length > 1e-9:
                moved = x * np.exp(length * change)
                if moved.sum() - x.sum() - length * cost <= 1e-4 * length * slope + 1e-15 * self.total:
                    break
                length /= 2
            x = x * np.exp(length * change)
        self.x[alive] = x


def _by_bucket(entries: tuple[Ints, Ints, Ints], chosen: Ints) -> list[tuple[Ints, Ints]]:
    """Return codes and counts of each of the chosen buckets."""
    bucket, code, count = entries
    order = np.argsort(bucket, kind="stable")
    first = np.searchsorted(bucket[order], chosen, side="left")
    last = np.searchsorted(bucket[order], chosen, side="right")
    return [(code[order[low:high]], count[order[low:high]]) for low, high in zip(first, last, strict=True)]
