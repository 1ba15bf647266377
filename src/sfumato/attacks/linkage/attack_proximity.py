"""Proximity: how sure one can be that a person's sensitive number lies in a short interval."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from decimal import Decimal
from math import isfinite
from numbers import Real
from typing import ClassVar, TypeVar

import numpy as np

from sfumato.contracts.attack import AttackTraits, Details, Risk, TableAttack, spread
from sfumato.contracts.knowledge import Seen, TableKnowledge
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.groups.stats import Histogram
from sfumato.kernels.arrays import Floats, Ints

__all__ = ["AttackProximity", "Cluster", "Proximity"]

N = TypeVar("N", float, Floats)

# A closed interval stays closed although its end is rounded.
_ROUNDING = 1e-12


@frozen
class Cluster:
    """A group and the interval that holds most of its numbers; for the steward's eyes."""

    group: tuple[Hashable, ...]
    size: int
    interval: tuple[float, float]
    confidence: float


@frozen(kw_only=True, eq=False)
class ProximityCounts(Details):
    """How close together the sensitive numbers of groups lie."""

    records: int
    groups: int
    records_without_a_number: int
    highest_confidence: float
    mean_confidence: float
    records_in_groups_inside_one_interval: int
    width_as_share_of_range: float | None


@frozen(kw_only=True, eq=False)
class Proximity(Risk):
    """The confidence in the fullest interval for every record, group by group; :meth:`worst` is for the steward's eyes.

    ``width`` is the width of the intervals, ``interval`` the given one, if it is given.
    """

    seen: Seen
    knowledge: TableKnowledge
    width: float
    interval: tuple[float, float] | None

    @property
    def confidence(self) -> float:
        """The largest share of a group in one interval."""
        return self.highest

    def worst(self, count: int = 10) -> list[Cluster]:
        """Return the groups with the largest confidence, and the interval of each; the lowest one of several."""
        groups = self.seen.groups(self.knowledge)
        out = []
        for group in np.argsort(-self.per_victim, kind="stable")[:count].tolist():
            row = groups.histograms[self.knowledge.secret].row(group)
            interval = self._fullest({float(value): count for value, count in row.items() if value is not None})  # type: ignore[arg-type]
            out.append(Cluster(groups.key(group), int(groups.sizes[group]), interval, float(self.per_victim[group])))
        return out

    def _fullest(self, row: Mapping[float, int]) -> tuple[float, float]:
        if self.interval is not None:
            return self.interval

        def inside(low: float) -> int:
            high = low + self.width + _slack(low, self.width)
            return sum(count for value, count in row.items() if low <= value <= high)

        low = max(sorted(row), key=inside, default=float("nan"))
        return low, low + self.width


class AttackProximity(TableAttack):
    """Infer that a person's sensitive number lies in a short interval, because most numbers of her group do.

    The confidence in a closed interval ``[a, b]`` is the share of a group's records with a number in it: the risk of each
    record of the group. With ``interval`` it is the given one. Otherwise it is the fullest of all intervals of a width, group
    by group: ``width``, or the part ``share`` of the range between the smallest and the largest published number. The fullest
    one begins at a number of the group, so that one pass over the sorted numbers finds it.

    Missing sensitive values lie in no interval and count in the size of the group.

    Adversary: knows which group a person is in and guesses the person's number, content with a near miss.

    Examples
    --------
    >>> import sfumato
    >>> rows = [("Artist", salary) for salary in (30, 31, 30, 32, 35, 34, 33, 32, 35, 80)]
    >>> table = sfumato.from_rows(["Job", "Salary"], rows)
    >>> sfumato.attack(table, AttackProximity(interval=(30, 35)), qid=["Job"], sensitive="Salary").confidence
    0.9
    >>> found = sfumato.attack(table, AttackProximity(width=2), qid=["Job"], sensitive="Salary")
    >>> found.confidence, found.worst(1)[0].interval
    (0.5, (30.0, 32.0))

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.2.7.
    Li, Tao, Xiao, "Preservation of proximity privacy in publishing numerical sensitive data", 2008,
    doi:10.1145/1376616.1376666.
    """

    id: ClassVar[str] = "attack-proximity"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"attribute"}),
        knowledge="which group a person is in; the sensitive column holds numbers",
        needs=frozenset({"qid", "sensitive"}),
        victims="records",
    )
    adversary: ClassVar[str] = say("adversary.attack-proximity")

    interval: tuple[float, float] | None = param(default=None, doc="the two ends of the interval, which belong to it")
    width: float | None = param(default=None, ge=0, doc="width of intervals, of which the fullest counts")
    share: float = param(
        default=0.05, gt=0, le=1, doc="width as a part of the range of all published numbers, if none is given"
    )

    def validate(self) -> None:
        """Refuse an empty or endless interval or width, and both together."""
        if self.width is not None and not isfinite(self.width):
            raise BadRequest("must be finite", parameter=f"{self.id}.width", value=self.width)
        if self.interval is None:
            return
        low, high = self.interval
        if not (isfinite(low) and isfinite(high) and low <= high):
            raise BadRequest(
                "must be two finite numbers in order", parameter=f"{self.id}.interval", value=list(self.interval)
            )
        if self.width is not None:
            raise BadRequest("give an interval or a width, not both", parameter=f"{self.id}.width", value=self.width)

    def unfit(self, seen: Seen, knowledge: TableKnowledge) -> str | None:
        """Say so if the sensitive column does not hold numbers."""
        lacking = super().unfit(seen, knowledge)
        if lacking is None and not _numeric(seen, knowledge):
            return say("needs.numbers")
        return lacking

    def run(self, seen: Seen, knowledge: TableKnowledge, run: Run) -> Proximity:
        """Return the confidence in the interval, or in the fullest one, for all records of each group."""
        self.refuse_unfit(seen, knowledge)
        if not _numeric(seen, knowledge):
            raise BadRequest("must hold numbers", column=knowledge.secret, parameter="sensitive")
        histogram = seen.groups(knowledge).histograms[knowledge.secret]
        sizes, numbers = histogram.totals(), _numbers(histogram, knowledge.secret)
        known = numbers[~np.isnan(numbers)]
        if self.interval is not None:
            width = float(self.interval[1] - self.interval[0])
            within = (numbers >= self.interval[0]) & (numbers <= self.interval[1])
            inside = np.bincount(
                histogram.group(), weights=histogram.count * within[histogram.code], minlength=len(sizes)
            )
        else:
            width = self.share * _reach(known) if self.width is None else float(self.width)
            inside = _fullest(histogram, numbers, width)
        confidence = np.asarray(inside / sizes, np.float64)
        highest, mean = spread(confidence, sizes)
        details = ProximityCounts(
            records=int(sizes.sum()),
            groups=len(sizes),
            records_without_a_number=int(histogram.per_value()[np.isnan(numbers)].sum()),
            highest_confidence=highest,
            mean_confidence=mean,
            records_in_groups_inside_one_interval=int(sizes[inside == sizes].sum()),
            width_as_share_of_range=width / _reach(known) if _reach(known) > 0 else None,
        )
        return Proximity(
            attack=self.id,
            per_victim=confidence,
            counts=sizes,
            highest=highest,
            mean=mean,
            reading=self._reading(details),
            details=details,
            seen=seen,
            knowledge=knowledge,
            width=width,
            interval=self.interval,
        )

    def _reading(self, details: ProximityCounts) -> str:
        part = details.width_as_share_of_range
        where = (
            say("reading.proximity_interval")
            if self.interval is not None
            else say("reading.proximity_width")
            if part is None
            else say("reading.proximity_range", share=part)
        )
        return say(
            "reading.proximity",
            groups=details.groups,
            records=details.records,
            highest=details.highest_confidence,
            where=where,
            mean=details.mean_confidence,
            inside=details.records_in_groups_inside_one_interval,
        )


def _reach(known: Floats) -> float:
    return float(known.max() - known.min()) if len(known) else 0.0


def _slack(low: N, width: float) -> N:
    return _ROUNDING * (abs(low) + width)


def _is_number(value: object) -> bool:
    return isinstance(value, (Real, Decimal)) and not isinstance(value, bool)


def _numeric(seen: Seen, knowledge: TableKnowledge) -> bool:
    """Tell whether the sensitive column holds numbers, in the published table or where it is counted by group."""
    kind = seen.table.types.get(knowledge.secret)
    if kind is not None or seen.counted is None:
        return kind is not None and kind.numeric
    held = seen.counted.histograms.get(knowledge.secret)
    return held is not None and all(value is None or _is_number(value) for value in held.values)


def _numbers(histogram: Histogram, column: str) -> Floats:
    """Return the values as numbers, by code; NaN for a missing one."""
    out = np.array([np.nan if value is None else float(value) for value in histogram.values], np.float64)  # type: ignore[arg-type]
    if np.isinf(out).any():
        raise BadRequest("must hold finite numbers only", column=column, parameter="sensitive")
    return out


def _fullest(histogram: Histogram, numbers: Floats, width: float) -> Ints:
    """Return how many records of each group lie in the fullest closed interval of a width."""
    order = np.argsort(numbers, kind="stable")
    order = order[~np.isnan(numbers[order])]
    value = numbers[order]
    rank = np.full(len(numbers), -1, np.int64)
    rank[order] = np.arange(len(order))
    beyond = np.searchsorted(value, value + width + _slack(value, width), side="right")
    entry_rank, group = rank[histogram.code], histogram.group()
    held = np.flatnonzero(entry_rank >= 0)
    key = group[held] * (len(value) + 1) + entry_rank[held]
    turn = np.argsort(key, kind="stable")  # in order already wherever codes follow the size of numbers
    held, key = held[turn], key[turn]
    ahead = np.concatenate([np.zeros(1, np.int64), np.cumsum(histogram.count[held])])
    last = np.searchsorted(key, group[held] * (len(value) + 1) + beyond[entry_rank[held]], side="left")
    out = np.zeros(len(histogram.start) - 1, np.int64)
    np.maximum.at(out, group[held], ahead[last] - ahead[np.arange(len(held))])
    return out
