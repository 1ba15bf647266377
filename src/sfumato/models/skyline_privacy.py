"""Skyline privacy: against several kinds of (l,k,m) knowledge at once a sensitive value stays below its thresholds."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import replace
from itertools import islice
from math import comb, perm
from typing import Any, ClassVar, Self

import numpy as np

from sfumato.contracts.model import TableModel, TableTraits, Verdict, Violation
from sfumato.contracts.publication import Publication
from sfumato.contracts.thing import column, param
from sfumato.data.messages import say
from sfumato.errors import BadRequest, Unsupported
from sfumato.groups.stats import GroupStats, Histogram
from sfumato.kernels.arrays import Floats, Ints
from sfumato.models._knowledge_allocation import certain_below, least_products
from sfumato.models._value_combinations import groups_of, whole_persons
from sfumato.models.sensitive_model import Value, checked_histogram

__all__ = ["SkylinePrivacy"]

_MOST_FAMILIES = 200_000


class SkylinePrivacy(TableModel):
    """Knowledge up to each triplet (l,k,m) leaves the confidence in one sensitive value below the triplet's threshold.

    Worlds: all assignments of each group's sensitive values to its members, equally likely. Of a victim ``t`` the adversary
    knows l values other than ``value`` that ``t`` does not have, the values of k other persons, and m more persons tied to
    ``t``. ``reading="implication"``: each of them having ``value`` implies that ``t`` has it. ``reading="equality"``: they have
    the same value as ``t``, whatever it is; knowledge that no world fulfils is skipped. All these persons are distinct. The
    model holds iff for each triplet the largest confidence, over victims and knowledge of at most that size, is less than
    the threshold.

    With implications, for a group of ``n`` with ``c > 0`` records of ``value``, the confidence is ``c / (c + R g f1 f2 ...)``:
    ``R`` counts the records of other values that are neither excluded nor known, ``g`` and ``f`` are the chances, in the own
    and in the other groups, that none of the tied persons has the value. A dynamic program hands k and m out to the groups.

    A confidence that rounding cannot tell from a threshold counts as reaching it.

    Adversary: knows the groups, who is in which, and up to (l,k,m) pieces about values not held, values of others, and ties.

    Examples
    --------
    >>> from sfumato.groups.stats import GroupStats
    >>> groups = GroupStats.from_histograms([{"HIV": 2, "Cold": 1, "Flu": 1}], column="Disease")
    >>> model = SkylinePrivacy(sensitive="Disease", value="HIV", skyline=((1, 0, 0, 0.7), (0, 0, 1, 0.7)))
    >>> [round(confidence, 6) for confidence in model.confidences(groups)]
    [0.666667, 0.75]
    >>> model.check(groups).satisfied
    False

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.5.1.
    Chen, LeFevre, Ramakrishnan, "Privacy skyline: privacy with multidimensional adversarial knowledge", 2007.
    """

    id: ClassVar[str] = "skyline-privacy"
    traits: ClassVar[TableTraits] = TableTraits(
        prevents=frozenset({"attribute"}),
        evaluation="worlds",
        closed_under_merge=True,
        violations_shrink_under_merge=False,
        sensitive="categorical",
    )
    adversary: ClassVar[str] = say("adversary.skyline-privacy")
    level: ClassVar[str] = "highest confidence"

    sensitive: str = column("sensitive", doc="column with the value to protect")
    value: Value = param(doc="sensitive value to protect")
    skyline: tuple[tuple[int, int, int, float], ...] = param(
        doc="triplets with thresholds, [l, k, m, confidence]; none may contain another"
    )
    reading: str = param(
        default="implication",
        choices=("implication", "equality"),
        doc="what ties the m persons to the victim: an implication, or having the same value",
    )
    missing: str = param(
        default="refuse",
        choices=("refuse", "count"),
        doc="what to do with missing sensitive values: refuse the table, or count missing as a value of its own",
    )

    def validate(self) -> None:
        """Refuse an empty skyline, numbers out of range, and triplets of which one contains the other."""
        super().validate()
        where = f"{self.id}.skyline"
        if not self.skyline:
            raise BadRequest("must hold at least one triplet with its threshold", parameter=where)
        for *triplet, threshold in self.skyline:
            if min(triplet) < 0:
                raise BadRequest("l, k and m must be >= 0", parameter=where, value=list(triplet))
            if not 0 < threshold <= 1:
                raise BadRequest("thresholds must be > 0 and <= 1", parameter=where, value=threshold)
        for at, one in enumerate(self.skyline):
            for other in self.skyline[at + 1 :]:
                signs = {np.sign(a - b) for a, b in zip(one[:3], other[:3], strict=True)}
                if not {1, -1} <= signs:
                    raise BadRequest(
                        "one triplet contains the other, so they are no skyline",
                        parameter=where,
                        value=[str(one[:3]), str(other[:3])],
                    )

    def with_values(self, held: Callable[[str, Any], Any]) -> Self:
        """Return the model with the values it protects as their column holds them."""
        return replace(self, value=held(self.sensitive, self.value))

    def needs(self) -> tuple[str, ...]:
        """Return the sensitive column."""
        return (self.sensitive,)

    def judge(self, publication: Publication, *, worst: int = 10) -> Verdict:
        """Judge all groups together."""
        return self.check(groups_of(self, publication, self.needs()), worst=worst)

    def confidence(self, groups: GroupStats, l: int, k: int, m: int) -> Floats:
        """Return the highest confidence in the value for a member of each group, with at most (l,k,m) knowledge."""
        histogram = checked_histogram(groups, self.sensitive, self.missing)
        whole_persons(groups, self.id)
        if not len(groups):
            return np.empty(0)
        if self.reading == "equality" and m > 0:
            return _by_equality(histogram, self.value, l, k, m)
        return _by_implication(histogram, self.value, l, k, m)

    def confidences(self, groups: GroupStats) -> list[float]:
        """Return the highest confidence over all groups for each triplet of the skyline."""
        return [float(self.confidence(groups, l, k, m).max(initial=0.0)) for l, k, m, _ in self.skyline]

    def check(self, groups: GroupStats, *, worst: int = 10) -> Verdict:
        """Judge groups; each violation is a group whose members are exposed to one of the triplets."""
        found: list[tuple[float, Violation]] = []
        exposed = np.zeros(len(groups), bool)
        strongest: float | None = None
        for l, k, m, threshold in self.skyline:
            values = self.confidence(groups, l, k, m)
            strongest = max(strongest or 0.0, float(values.max())) if len(values) else None
            broken = np.flatnonzero(~certain_below(values, threshold))
            exposed[broken] = True
            found += [
                (
                    threshold - float(values[at]),
                    Violation(
                        groups.key(int(at)),
                        int(groups.sizes[at]),
                        float(values[at]),
                        {"value": self.value, "knowledge": (l, k, m), "threshold": threshold},
                    ),
                )
                for at in broken[np.argsort(-values[broken], kind="stable")][:worst]
            ]
        found.sort(key=lambda pair: pair[0])
        return self.verdict(
            qid=groups.columns,
            satisfied=not exposed.any(),
            strongest=strongest,
            bound=say("bound.triplets"),
            groups=len(groups),
            records=int(groups.sizes.sum()),
            violations=[violation for _, violation in found[:worst]],
            violating_groups=int(exposed.sum()),
            violating_records=int(groups.sizes[exposed].sum()),
        )


def _by_implication(histogram: Histogram, value: Hashable, l: int, k: int, m: int) -> Floats:
    sizes, having = histogram.totals(), histogram.of(value)
    # Few groups differ in both numbers; binomials are taken once for each pair.
    pairs, which = np.unique(np.stack([sizes, having]), axis=1, return_inverse=True)
    which = which.reshape(-1)
    others = np.stack([_untied(int(n), int(c), k, m) for n, c in pairs.T])[which]
    elsewhere = least_products(others)
    own = np.stack([_untied(int(n) - 1, int(c), k, m) for n, c in pairs.T])[which]
    # ``left``: records of other values that the victim may hold after l of them are excluded and known persons removed.
    left = sizes - having - _largest_others(histogram, value, l)
    refuted = np.full(len(sizes), np.inf)
    for known in range(k + 1):
        possible = np.maximum(left - known, 0)
        chance = (own[:, known, :] * elsewhere[:, k - known, ::-1]).min(axis=1)
        refuted = np.minimum(refuted, possible * chance)
    out: Floats = np.zeros(len(sizes))
    np.divide(having, having + refuted, out=out, where=having > 0)
    return out


def _untied(persons: int, having: int, k: int, m: int) -> Floats:
    """Return ``(k + 1) x (m + 1)``: the least chance that none of m persons has the value, k others being known not to."""
    out = np.ones((k + 1, m + 1))
    for known in range(min(k, max(persons - having, 0)) + 1):
        for tied in range(min(m, persons - known) + 1):
            out[known, tied] = comb(max(persons - known - having, 0), tied) / comb(persons - known, tied)
    return np.minimum.accumulate(np.minimum.accumulate(out, axis=0), axis=1)


def _largest_others(histogram: Histogram, value: Hashable, most: int) -> Ints:
    """Return the records of each group that hold one of its ``most`` frequent values, ``value`` left aside."""
    keep = np.array([known != value for known in histogram.values], bool)[histogram.code]
    group, count = histogram.group()[keep], histogram.count[keep]
    order = np.lexsort((-count, group))
    first = np.searchsorted(group, np.arange(len(histogram.start) - 1))
    rank = np.arange(len(order)) - first[group]
    inside = rank < most
    counted = np.bincount(group[inside], weights=count[order][inside], minlength=len(histogram.start) - 1)
    return counted.astype(np.int64)


def _by_equality(histogram: Histogram, value: Hashable, l: int, k: int, m: int) -> Floats:
    """Return the highest confidence when m persons have the victim's value.

    The weight of "the victim and all tied persons have s" is a product, over groups, of falling factorials of the counts of
    s; a known person takes one away. So the adversary chooses where the tied persons are, and then, value by value, whether
    to exclude it (at most l) or how many known persons to spend on it (at most k).
    """
    kinds: dict[tuple[tuple[Hashable, int], ...], list[int]] = {}
    for group in range(len(histogram.start) - 1):
        kinds.setdefault(tuple(histogram.row(group).items()), []).append(group)
    shapes = [dict(shape) for shape in kinds]
    copies = [len(members) for members in kinds.values()]
    most = _MOST_FAMILIES // len(shapes)
    families = list(islice(_families(copies, [shape.get(value, 0) for shape in shapes], m), most + 1))
    if len(families) > most:
        raise Unsupported(
            f"equal-value knowledge over {len(shapes)} different groups with m={m} has too many cases to count",
            thing=SkylinePrivacy.id,
            alternatives=["reading='implication'", "a smaller m"],
        )
    best = np.zeros(len(histogram.start) - 1)
    for target, members in enumerate(kinds.values()):
        top = 0.0
        for family in families:
            top = max(top, _equality_confidence(shapes, copies, family, target, value, l, k))
        best[members] = top
    return best


def _families(copies: list[int], having: list[int], m: int) -> Iterator[tuple[tuple[int, ...], ...]]:
    """List, for each kind of group, how many tied persons its copies get (falling, zeros left out); at most m in all."""

    def parts(total: int, count: int, largest: int) -> Iterator[tuple[int, ...]]:
        yield ()
        if count:
            for part in range(min(total, largest), 0, -1):
                for rest in parts(total - part, count - 1, part):
                    yield (part, *rest)

    def walk(at: int, left: int) -> Iterator[tuple[tuple[int, ...], ...]]:
        if at == len(copies):
            yield ()
            return
        for chosen in parts(left, copies[at], having[at]):
            for rest in walk(at + 1, left - sum(chosen)):
                yield (chosen, *rest)

    return walk(0, m)


def _equality_confidence(
    shapes: list[dict[Hashable, int]],
    copies: list[int],
    family: tuple[tuple[int, ...], ...],
    target: int,
    value: Hashable,
    l: int,
    k: int,
) -> float:
    """Return the confidence for the best of the victim's places: a copy of the target kind, with or without tied persons."""
    best = 0.0
    own = [*sorted(set(family[target])), *([0] if len(family[target]) < copies[target] else [])]
    for tied in own:
        involved: list[tuple[dict[Hashable, int], int]] = [(shapes[target], tied + 1)]
        for kind, chosen in enumerate(family):
            others = list(chosen)
            if kind == target and tied:
                others.remove(tied)
            involved += [(shapes[kind], part) for part in others]
        weight = 1
        for shape, part in involved:
            weight *= perm(shape.get(value, 0), part)
        if weight:
            refuted = _least_refuted(involved, value, l, k)
            best = max(best, weight / (weight + refuted))
    return best


def _least_refuted(involved: list[tuple[dict[Hashable, int], int]], value: Hashable, l: int, k: int) -> int:
    """Return the least weight of worlds in which the family has another value, l values excluded and k persons known."""
    table = {(0, 0): 0}
    for other in involved[0][0]:
        if other == value:
            continue
        least = _least_weights(involved, other, k)
        grown: dict[tuple[int, int], int] = {}
        for (excluded, known), weight in table.items():
            options = [((excluded, known + spent), weight + least[spent]) for spent in range(k - known + 1)]
            if excluded < l:
                options.append(((excluded + 1, known), weight))
            for state, total in options:
                grown[state] = min(grown.get(state, total), total)
        table = grown
    return min(table.values())


def _least_weights(involved: list[tuple[dict[Hashable, int], int]], other: Hashable, k: int) -> list[int]:
    """Return the least weight of "the family has this value" when 0, 1, ..., k persons known to have it are not in it."""
    least = [1] + [1] * k
    for shape, part in involved:
        count = shape.get(other, 0)
        own = [perm(max(count - spent, 0), part) for spent in range(k + 1)]
        least = [min(least[total - spent] * own[spent] for spent in range(total + 1)) for total in range(k + 1)]
    return least
