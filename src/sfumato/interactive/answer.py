"""What a desk answers, and what it says beforehand: numbers for each group, what they cost, and how far they may be off."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import field
from math import inf

from sfumato.data.frozen import frozen
from sfumato.data.json import Json
from sfumato.data.text import to_text
from sfumato.errors import BadRequest
from sfumato.interactive.question import Aggregate, Question
from sfumato.ledger.budgets import MICRO, Quote

__all__ = ["Answer", "Explanation", "PartAnswer"]


@frozen
class PartAnswer:
    """One aggregate of an answer: a number for each group or why there is none, what it cost, and how far it may be off.

    ``repeated`` tells that it was answered before, and costs nothing; ``entry`` is where the ledger has it.
    """

    aggregate: str
    values: tuple[float | None, ...]
    refused: tuple[str | None, ...]
    epsilon: float
    error: float
    repeated: bool
    entry: int


@frozen
class Answer:
    """What a desk answers: groups and one part for each aggregate that was decided and charged on its own.

    ``bounds`` are those that noisy answers were drawn with, by column: no average lies outside.
    """

    question: Question
    mode: str
    cells: tuple[tuple[Hashable, ...], ...]
    parts: tuple[PartAnswer, ...]
    confidence: float = 0.95
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def cost(self) -> float:
        """What it cost now, in epsilon."""
        return sum((part.epsilon for part in self.parts if not part.repeated), 0.0)

    @property
    def refused(self) -> bool:
        """Whether no number at all is in it."""
        return all(value is None for part in self.parts for value in part.values)

    def part(self, name: str) -> PartAnswer:
        """Return one part by its aggregate."""
        return next(one for one in self.parts if one.aggregate == name)

    def column(self, aggregate: Aggregate) -> tuple[float | None, ...]:
        """Return the numbers of an aggregate; an average is made of its sum and its count, and none where nobody is counted."""
        if aggregate.function != "avg":
            return self.part(str(aggregate)).values
        sums, counts = (self.part(str(Aggregate(one, aggregate.column))).values for one in ("sum", "count"))
        low, high = self.bounds.get(aggregate.column or "", (-inf, inf))
        return tuple(
            None if total is None or not count or count < 0 else min(max(total / count, low), high)
            for total, count in zip(sums, counts, strict=True)
        )

    @property
    def uncounted(self) -> tuple[str, ...]:
        """Averages of which some have no number, because noise left nobody to be counted."""
        return tuple(
            str(one)
            for one in self.question.aggregates
            if one.function == "avg" and self.mode == "noisy" and None in self.column(one)
        )

    def rows(self) -> list[tuple[Hashable, ...]]:
        """Return one row for each group: its values, then a number for each aggregate."""
        columns = [self.column(one) for one in self.question.aggregates]
        return [(*cell, *(column[at] for column in columns)) for at, cell in enumerate(self.cells)]

    @property
    def value(self) -> float | None:
        """The number of a question that asks for one."""
        if len(self.cells) != 1 or len(self.question.aggregates) != 1:
            raise BadRequest("has several numbers; read its rows", parameter="answer")
        return self.column(self.question.aggregates[0])[0]

    def document(self) -> dict[str, Json]:
        """Return the answer as plain data."""
        return {
            "question": str(self.question),
            "mode": self.mode,
            "columns": [*self.question.by, *map(str, self.question.aggregates)],
            "rows": [[_plain(value) for value in row] for row in self.rows()],
            "cost": self.cost,
            "confidence": self.confidence,
            "parts": [
                {
                    "aggregate": part.aggregate,
                    "values": list(part.values),
                    "refused": [None if why is None else str(why) for why in part.refused],
                    "epsilon": part.epsilon,
                    "error": part.error,
                    "repeated": part.repeated,
                    "entry": part.entry,
                }
                for part in self.parts
            ],
        }


@frozen
class Explanation:
    """What a question would cost and how far its answers may be off; nothing is asked by it.

    ``known`` are parts that were answered before, which cost nothing. ``budgets`` say what is spent and left.
    """

    question: Question
    mode: str
    groups: int
    parts: tuple[tuple[str, float, float], ...]
    known: frozenset[str]
    confidence: float
    budgets: tuple[Quote, ...]

    @property
    def cost(self) -> float:
        """What it would cost, in epsilon."""
        return sum((cost for name, cost, _ in self.parts if name not in self.known), 0.0)

    def document(self) -> dict[str, Json]:
        """Return it as plain data."""
        return {
            "question": str(self.question),
            "mode": self.mode,
            "groups": self.groups,
            "cost": self.cost,
            "confidence": self.confidence,
            "parts": [
                {"aggregate": name, "epsilon": cost, "error": error, "answered_before": name in self.known}
                for name, cost, error in self.parts
            ],
            "budgets": [
                {"budget": one.budget, "left": one.left.epsilon / MICRO, "times": one.times, "covered": one.allowed}
                for one in self.budgets
            ],
        }


def _plain(value: Hashable) -> Json:
    return value if value is None or isinstance(value, (int, float, str, bool)) else to_text(value)
