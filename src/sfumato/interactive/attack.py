"""Attacks on a desk: what askers have who put all their answers together, and know who was asked for."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import field

from sfumato.contracts.attack import Attack, Risk
from sfumato.contracts.engine import Table
from sfumato.contracts.knowledge import Knowledge, Names, Seen, knows
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.interactive.asked_table import AskedTable
from sfumato.interactive.policy import DeskPolicy
from sfumato.interactive.question import Aggregate, Question, reckoned
from sfumato.kernels.arrays import Bools

__all__ = ["Answered", "DeskAttack", "DeskKnowledge", "DeskSeen", "LoggedPart"]


@frozen
class LoggedPart:
    """One aggregate of a question that was answered: group by group the numbers, nothing where exact ones are not kept."""

    entry: int
    question: Question
    aggregate: Aggregate
    canonical: str
    epsilon: float
    values: tuple[float | None, ...]
    refused: tuple[bool, ...]
    current: bool


@frozen(eq=False)
class Answered:
    """One number that was given: of which group of its question, the records that it is about, and what it says."""

    part: LoggedPart
    cell: int
    inside: Bools
    value: float


@frozen(eq=False, kw_only=True)
class DeskSeen(Seen):
    """How askers read the log of a desk: every question with what was answered."""

    mode: str

    def logged(self) -> Iterator[LoggedPart]:
        """Yield what was answered, in order."""
        for row in self.table.to_rows():
            entry, question, canonical, epsilon, values, refused, current = row
            yield LoggedPart(
                int(str(entry)),
                Question.of(str(question)),
                Question.of(str(json.loads(str(canonical))[0])).aggregates[0],
                str(canonical),
                float(str(epsilon)),
                tuple(json.loads(str(values))),
                tuple(json.loads(str(refused))),
                str(current).lower() == "true",
            )


@frozen(kw_only=True, eq=False)
class DeskKnowledge(Knowledge):
    """What askers may know: who was asked for. The table itself is there to see how far they come."""

    known: Names = knows((), say("known.desk_columns"), said="qid")
    learn: Names = knows((), say("known.desk_learn"), said="sensitive")
    raw: Table | None = knows(None, say("known.raw"))
    policy: DeskPolicy | None = field(default=None)

    def answers(self, seen: DeskSeen) -> tuple[AskedTable, list[Answered]]:
        """Return the table, and every number about it as it is now; exact ones are counted again."""
        if self.raw is None or self.policy is None:
            raise BadRequest(say("desk.bad.table_behind"), parameter="raw")
        table = AskedTable(self.raw, self.policy)
        found = []
        for part in seen.logged():
            if not part.current:
                continue
            asked = table.read(part.question)
            for at, (_, mask) in enumerate(table.masks(asked, part.aggregate)):
                if part.refused and part.refused[at]:
                    continue
                value = part.values[at] if part.values else _true(table, part.aggregate, mask)
                if value is not None:
                    found.append(Answered(part, at, mask, value))
        return table, found


def _true(table: AskedTable, aggregate: Aggregate, mask: Bools) -> float | None:
    if aggregate.function == "count" or aggregate.column is None:
        return float(mask.sum())
    return reckoned(aggregate.function, table.numbers(aggregate.column)[mask])


class DeskAttack(Attack[DeskKnowledge]):
    """An attack on the log of a desk."""

    @abstractmethod
    def on_log(self, seen: DeskSeen, knowledge: DeskKnowledge, run: Run) -> Risk:
        """Return the risk that the answers leave to the persons behind them."""

    def run(self, seen: Seen, knowledge: DeskKnowledge, run: Run) -> Risk:
        """Try it on the log that is seen; a table is refused."""
        if not isinstance(seen, DeskSeen):
            raise BadRequest(f"{self.id} reads the log of a desk", parameter="release")
        return self.on_log(seen, knowledge, run)
