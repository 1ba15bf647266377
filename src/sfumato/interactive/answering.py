"""The three ways to answer: exactly under audit, with noise that a budget pays for, with noise that belongs to the cell."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from sfumato.data.frozen import frozen
from sfumato.data.json import Json
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.errors import BadRequest
from sfumato.interactive.asked_table import AskedTable
from sfumato.interactive.cell_keys import moved_counts
from sfumato.interactive.noise import NoisyAggregate
from sfumato.interactive.policy import DeskPolicy
from sfumato.interactive.question import Aggregate, Part, Question

__all__ = ["Answering", "CellKeys", "Given", "Noisy"]


@frozen
class Given:
    """One aggregate answered: a number for each group, or why there is none.

    ``follows`` names groups, by place, whose answers an auditor could have worked out from earlier ones.
    """

    values: tuple[float | None, ...]
    refused: tuple[str | None, ...]
    follows: tuple[int, ...] = ()

    @classmethod
    def all(cls, values: Sequence[float]) -> Given:
        """Return numbers of which none is refused."""
        return cls(tuple(values), (None,) * len(values))


class Answering(ABC):
    """A way to answer. What was asked before is recalled from the ledger, in its order."""

    def __init__(self, table: AskedTable, policy: DeskPolicy, version: str) -> None:
        self.table, self.policy, self.version = table, policy, version

    @abstractmethod
    def refuse_unfit(self, asked: Question) -> None:
        """Refuse what this desk never answers, whatever was asked before."""

    @abstractmethod
    def mechanism(self, aggregate: Aggregate, epsilon: float) -> str:
        """Return what makes the answer, in words; another mechanism is another answer."""

    @abstractmethod
    def answer(self, asked: Question, part: Part, epsilon: float) -> Given:
        """Decide and answer, once; the ledger keeps it before it leaves."""

    def cost(self, aggregate: Aggregate, epsilon: float) -> float:
        """Return what an answer spends."""
        return 0.0

    def error(self, aggregate: Aggregate, epsilon: float, confidence: float) -> float:
        """Return how far an answer is off at most, with some confidence."""
        return 0.0

    def kept(self, asked: Question, part: Part, given: Given) -> dict[str, Json]:
        """Return what the ledger keeps of an answer."""
        return {"values": list(given.values)}

    def again(self, asked: Question, part: Part, kept: Mapping[str, Json]) -> Given:
        """Return what was answered before."""
        values = kept["values"]
        assert isinstance(values, list)
        return Given.all([float(str(value)) for value in values])

    def recall(self, kept: Mapping[str, Json], version: str) -> None:  # noqa: B027
        """Learn what was answered, by this process or another, about a version of the table."""


class Noisy(Answering):
    """Noise from OpenDP, paid from budgets."""

    def refuse_unfit(self, asked: Question) -> None:
        for one in asked.aggregates:
            self._noisy(one, self.policy.desk.epsilon)

    def _noisy(self, aggregate: Aggregate, epsilon: float) -> NoisyAggregate:
        column = aggregate.column
        known = None if column is None else self.policy.columns[column]
        return NoisyAggregate.of(aggregate, epsilon, known, None if column is None else self.table.types[column])

    def mechanism(self, aggregate: Aggregate, epsilon: float) -> str:
        return self._noisy(aggregate, epsilon).mechanism

    def cost(self, aggregate: Aggregate, epsilon: float) -> float:
        return epsilon

    def error(self, aggregate: Aggregate, epsilon: float, confidence: float) -> float:
        return self._noisy(aggregate, epsilon).error(confidence)

    def answer(self, asked: Question, part: Part, epsilon: float) -> Given:
        noisy = self._noisy(part.aggregate, epsilon)
        masks = [mask for _, mask in self.table.masks(asked, part.aggregate)]
        column = part.aggregate.column
        values = None if column is None or noisy.bounds is None else self.table.numbers(column, noisy.bounds)
        return Given.all(noisy.draw(masks, values))


class CellKeys(Answering):
    """Noise that follows from who is in the cell, under the key of the ledger; counts alone."""

    def __init__(self, table: AskedTable, policy: DeskPolicy, version: str, secret: str) -> None:
        super().__init__(table, policy, version)
        self._secret, self._keys = secret, table.keys(secret)

    def refuse_unfit(self, asked: Question) -> None:
        for one in asked.aggregates:
            if one.function != "count":
                raise BadRequest(say("desk.bad.counts_alone"), parameter="question", value=str(one))

    def mechanism(self, aggregate: Aggregate, epsilon: float) -> str:
        return f"cell-key, most {self.policy.desk.most}, variance {self.policy.desk.variance:g}"

    def error(self, aggregate: Aggregate, epsilon: float, confidence: float) -> float:
        return float(self.policy.desk.most)

    def answer(self, asked: Question, part: Part, epsilon: float) -> Given:
        masks = [mask for _, mask in self.table.masks(asked, part.aggregate)]
        key = self.policy.desk
        return Given.all([float(one) for one in moved_counts(masks, self._keys, self._secret, key.most, key.variance)])


def refuse_secret_conditions(asked: Question, roles: Mapping[str, Role]) -> None:
    """Refuse exact answers whose set of records depends on what is sensitive, and exact sums of what is not."""
    for column in (*(one.column for one in asked.where), *asked.by):
        if roles.get(column) in (Role.SENSITIVE, Role.TARGET):
            raise BadRequest(
                say("desk.bad.chooses"),
                column=column,
                parameter="question",
            )
    for one in asked.aggregates:
        if one.column is not None and roles.get(one.column) is not Role.SENSITIVE:
            raise BadRequest(
                say("desk.bad.added_up"),
                column=one.column,
                parameter="question",
            )
