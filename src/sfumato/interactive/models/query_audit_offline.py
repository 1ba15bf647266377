"""Auditing a log after the fact: which values followed after each answer, and which answer was the first too many."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import ClassVar, Literal

import numpy as np

from sfumato.contracts.model import Audit, MechanismModel, ModelTraits, at_most
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.interactive.answered_sums import AnsweredSums
from sfumato.interactive.models._solved import left_open, solved
from sfumato.interactive.models.simulatable_audit import AnsweredMaxima

__all__ = ["LogAudit", "LoggedQuery", "QueryAuditOffline"]

Variable = tuple[Hashable, int]
"""A person, and the version of the table in which her value was new."""


@frozen
class LoggedQuery:
    """One answer that was given: what was asked, of whom, the answer, and the version of the table."""

    type: Literal["count", "sum", "avg", "max", "min"]
    ids: tuple[Hashable, ...]
    answer: float | None = None
    version: int = 1

    @classmethod
    def of(cls, given: LoggedQuery | Mapping[str, object]) -> LoggedQuery:
        """Return an entry from plain data: ``{type, ids, answer, version}``."""
        if isinstance(given, LoggedQuery):
            return given
        ids, kind, answer, version = (given.get(key) for key in ("ids", "type", "answer", "version"))
        known = ("count", "sum", "avg", "max", "min")
        if kind not in known:
            raise BadRequest("is not a question", parameter="log", value=kind, available=known)
        if not isinstance(ids, (list, tuple, set, frozenset)):
            raise BadRequest("needs the ids of its records", parameter="log")
        told = answer if isinstance(answer, (int, float)) else None
        return cls(kind, tuple(ids), told, version if isinstance(version, int) else 1)  # type: ignore[arg-type]


@frozen
class LogAudit:
    """What a log tells: after each answer the persons whose value follows, and the first answer after which there is one.

    ``values`` holds what follows from the answers, where the log has them; ``intervals`` what bounded values are left.
    """

    determined_after: tuple[tuple[Hashable, ...], ...]
    first_violation: int | None
    values: Mapping[Hashable, float]
    intervals: Mapping[Hashable, tuple[float, float]]

    def __bool__(self) -> bool:
        return self.first_violation is None


class QueryAuditOffline(MechanismModel):
    """A log of answers is sound if no single value follows from it; it is read after the fact, and no asker sees the outcome.

    Records keep their identity over versions of a table; a value that changed is a new unknown. Sums and averages determine
    value j iff its unit vector lies in the row space of the questions, maxima and minima by their extreme sets with the true
    answers. For bounded values linear programming tells the interval that all answers together leave to each person; one that
    is narrower than ``width`` times the range counts as determined.

    Adversary: has every answer of the log.

    Examples
    --------
    >>> log = [{"type": "avg", "ids": [4], "version": 1}, {"type": "sum", "ids": [4, 5], "version": 2}]
    >>> found = QueryAuditOffline().read(log)
    >>> found.determined_after, found.first_violation
    (((4,), (4, 5)), 0)
    >>> QueryAuditOffline(low=0, high=1).read([{"type": "sum", "ids": [1, 2], "answer": 2.0}]).intervals
    {1: (1.0, 1.0), 2: (1.0, 1.0)}

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 17.1.
    Chin, "Security problems on inference control for SUM, MAX, and MIN queries", 1986, doi:10.1145/5925.5928.
    """

    id: ClassVar[str] = "query-audit-offline"
    traits: ClassVar[ModelTraits] = ModelTraits(prevents=frozenset({"attribute"}), evaluation="mechanism")
    adversary: ClassVar[str] = say("adversary.query-audit-offline")

    low: float | None = param(default=None, doc="smallest value that there can be, where everybody knows it")
    high: float | None = param(default=None, doc="largest value that there can be, where everybody knows it")
    width: float = param(
        default=0.0, ge=0, lt=1, doc="an interval narrower than this share of the range counts as determined"
    )

    def validate(self) -> None:
        """Refuse a range without an end, or turned round."""
        if (self.low is None) != (self.high is None) or (self.low or 0) > (self.high or 0):
            raise BadRequest("needs both ends of the range, the smaller first", parameter=f"{self.id}.low")

    def read(
        self,
        log: Sequence[LoggedQuery | Mapping[str, object]],
        changed: Mapping[int, Sequence[Hashable]] | None = None,
    ) -> LogAudit:
        """Read a log in its order; ``changed`` names by version the persons whose value is another from there on."""
        entries = [LoggedQuery.of(one) for one in log]
        asked = [(entry, _variables(entry, changed or {})) for entry in entries if entry.type != "count"]
        place = {one: at for at, one in enumerate(dict.fromkeys(one for _, held in asked for one in held))}
        sums = AnsweredSums(len(place))
        maxima, minima = AnsweredMaxima(len(place)), AnsweredMaxima(len(place))
        names, after = list(place), list[tuple[Hashable, ...]]()
        told: set[int] = set()
        for entry in entries:
            rows = [place[one] for one in _variables(entry, changed or {})] if entry.type != "count" else []
            if entry.type in ("sum", "avg"):
                sums.add(sums.asking(rows))
                told |= set(sums.told().tolist())
            elif rows:
                past, sign = (maxima, 1) if entry.type == "max" else (minima, -1)
                if entry.answer is None:
                    raise BadRequest("needs the answers of maxima and minima", parameter="log")
                past.add(rows, sign * entry.answer)
                found = past.told()
                if found is None:
                    raise BadRequest("holds answers that contradict each other", parameter="log")
                told |= set(found)
            after.append(tuple(dict.fromkeys(names[at][0] for at in sorted(told))))
        first = next((at for at, found_then in enumerate(after) if found_then), None)
        values = {names[at][0]: value for at, value in _follow(asked, place, told, (maxima, minima)).items()}
        intervals: dict[Hashable, tuple[float, float]] = {}
        if self.low is not None and self.high is not None and all(entry.answer is not None for entry, _ in asked):
            left = self._intervals(asked, place)
            intervals = {names[at][0]: one for at, one in enumerate(left)}
            narrow = [
                names[at][0]
                for at, (a, b) in enumerate(left)
                if b - a <= max(self.width, 1e-9) * (self.high - self.low)
            ]
            if narrow and after:
                after[-1] = tuple(dict.fromkeys([*after[-1], *narrow]))
                first = len(after) - 1 if first is None else first
        return LogAudit(tuple(after), first, values, intervals)

    def audit(self, log: Sequence[LoggedQuery | Mapping[str, object]]) -> Audit:
        """Judge a log; ``measured`` is how many persons' values follow from all of it."""
        found = self.read(log)
        told = found.determined_after[-1] if found.determined_after else ()
        return self.audited(float(len(told)), at_most(0), {"first_violation": found.first_violation})

    def _intervals(
        self, asked: Sequence[tuple[LoggedQuery, list[Variable]]], place: Mapping[Variable, int]
    ) -> list[tuple[float, float]]:
        low = np.full(len(place), float(self.low or 0))
        high = np.full(len(place), float(self.high or 0))
        equations: list[tuple[list[int], float]] = []
        for entry, held in asked:
            rows, answer = [place[one] for one in held], float(entry.answer or 0)
            if entry.type in ("sum", "avg"):
                equations.append((rows, answer * (len(rows) if entry.type == "avg" else 1)))
            elif entry.type == "max":
                high[rows] = np.minimum(high[rows], answer)
            else:
                low[rows] = np.maximum(low[rows], answer)
        return left_open(equations, low, high)


def _variables(entry: LoggedQuery, changed: Mapping[int, Sequence[Hashable]]) -> list[Variable]:
    """Return the unknowns of an entry: each person with the latest version in which her value changed."""
    return [
        (
            name,
            max(
                (version for version, names in changed.items() if version <= entry.version and name in names), default=0
            ),
        )
        for name in dict.fromkeys(entry.ids)
    ]


def _follow(
    asked: Sequence[tuple[LoggedQuery, list[Variable]]],
    place: Mapping[Variable, int],
    told: set[int],
    extremes: tuple[AnsweredMaxima, AnsweredMaxima],
) -> dict[int, float]:
    """Return the values that follow, where the log holds the answers."""
    equations = [
        ([place[one] for one in held], float(entry.answer) * (len(held) if entry.type == "avg" else 1))
        for entry, held in asked
        if entry.type in ("sum", "avg") and entry.answer is not None
    ]
    out: dict[int, float] = {}
    for sign, past in ((1, extremes[0]), (-1, extremes[1])):
        for at in past.told() or ():
            out[at] = sign * min(answer for inside, answer in past.questions if inside[at])
    known = solved(equations, len(place))
    out.update({at: value for at, value in known.items() if at in told})
    return out
