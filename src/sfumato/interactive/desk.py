"""A desk: a holder keeps the table and answers questions about it, and every answer is remembered before it leaves."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Self

from sfumato.contracts.run import Run
from sfumato.data.json import Json
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.interactive.answer import Answer, Explanation, PartAnswer
from sfumato.interactive.answering import Answering, CellKeys, Given, Noisy
from sfumato.interactive.asked_table import AskedTable
from sfumato.interactive.exact_answers import ExactAnswers
from sfumato.interactive.policy import DeskPolicy
from sfumato.interactive.practice import invented
from sfumato.interactive.question import Part, Question
from sfumato.interactive.source import desk_policy, opened
from sfumato.ledger.budgets import Cost, Quote
from sfumato.ledger.entry import Body
from sfumato.ledger.facts import Asked
from sfumato.ledger.ledger import Ledger

__all__ = ["Desk"]

BODY = "question to a desk"


class Desk:
    """A table that is asked and never shown. One desk has one mode, and remembers every answer in a ledger.

    ``exact`` answers are true, and refused where they would tell the value of one record together with all earlier ones;
    ``noisy`` answers carry noise that a budget pays for; ``cell-key`` counts carry noise that is the same for the same records.
    Without a ledger a desk is for practice.
    The charge and the answer are written down in one transaction before the answer leaves; the same question about the same
    table is served from there, without a new charge. The exact answer behind a noisy one is in no log.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sfumato import Ledger
    >>> folder = tempfile.TemporaryDirectory()
    >>> ledger = Ledger.create(Path(folder.name) / "desk.ledger")
    >>> table = {"sex": ["f", "f", "f", "m", "m", "m"], "pay": [10, 20, 30, 40, 50, 60]}
    >>> policy = {
    ...     "desk": {"mode": "exact", "audit": {"id": "query-audit-online", "m": 2}},
    ...     "columns": {"sex": {"role": "quasi-identifier", "values": ["f", "m"]}, "pay": {"role": "sensitive"}},
    ... }
    >>> with Desk(table, policy, ledger) as desk:
    ...     desk.ask("sum(pay) group by sex").rows()
    [('f', 60.0), ('m', 150.0)]
    >>> ledger.close(), folder.cleanup()
    (None, None)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 17.1.
    """

    _seen: int
    _known: dict[str, int]
    _way: Answering

    def __init__(
        self,
        source: object,
        policy: DeskPolicy | Mapping[str, object] | str | Path,
        ledger: Ledger | str | Path | None = None,
        *,
        key: str | Path | None = None,
        run: Run | None = None,
    ) -> None:
        self.policy = desk_policy(policy)
        place = ledger or self.policy.ledger
        self._ledger = place if isinstance(place, Ledger) or place is None else Ledger(place, key=key)
        self._opened = self._ledger is not place
        try:
            self.table = AskedTable(opened(source, self.policy, Run.of(run)), self.policy)
            self.name = self.policy.desk.name
            self.version = "" if self._ledger is None else self.ledger.questions.named("table", self.table.version)
            self._forget()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Let the ledger go, if this desk opened it."""
        if self._opened:
            self.ledger.close()

    @property
    def ledger(self) -> Ledger:
        """The ledger that remembers what was answered; without one a desk is for practice."""
        if self._ledger is None:
            raise BadRequest(say("desk.bad.ledger"), parameter="ledger")
        return self._ledger

    # ---- asking ------------------------------------------------------------------------------------------------------

    def ask(
        self, question: Question | str, *, asker: str = "", epsilon: float | None = None, confidence: float = 0.95
    ) -> Answer:
        """Answer a question, or say why not; ``epsilon`` is for each aggregate where answers are noisy.

        What no budget covers is refused with what is left. ``confidence`` is that of the stated errors.
        """
        asked, spent = self._read(question, epsilon)
        budgets = self._budgets(asker)
        parts = asked.parts(self.table.types, self.table.domains)
        with self._deciding():
            told = [self._part(asked.ordered, part, spent, budgets, asker, confidence) for part in parts]
        return self._answer(asked, told, confidence)

    def explain(
        self, question: Question | str, *, asker: str = "", epsilon: float | None = None, confidence: float = 0.95
    ) -> Explanation:
        """Say what a question would cost and how far answers may be off; nothing is asked, charged or decided."""
        asked, spent = self._read(question, epsilon)
        parts = asked.parts(self.table.types, self.table.domains)
        with self.ledger.questions.answering():  # nothing is written: others are kept out while it is read
            self._catch_up()
        way = self._way
        known = {str(one.aggregate) for one in parts if self._key(one, spent) in self._known}
        cost = sum(way.cost(one.aggregate, spent) for one in parts if str(one.aggregate) not in known)
        return Explanation(
            asked,
            self.policy.desk.mode,
            len(asked.cells(self.table.domains)),
            tuple(
                (str(one.aggregate), way.cost(one.aggregate, spent), way.error(one.aggregate, spent, confidence))
                for one in parts
            ),
            frozenset(known),
            confidence,
            tuple(self._quote(name, cost) for name in self._budgets(asker)),
        )

    def practice(self, question: Question | str, *, epsilon: float | None = None, confidence: float = 0.95) -> Answer:
        """Answer a question on an invented table of the same columns: free, not remembered, and about nobody."""
        asked, spent = self._read(question, epsilon)
        table = AskedTable(invented(self.table, asked), self.policy)
        way = _way(table, self.policy, "practice", "practice")
        told = []
        for part in asked.parts(self.table.types, self.table.domains):
            given = way.answer(asked.ordered, part, spent)
            told.append(self._told(part, given, spent, confidence, repeated=False, entry=0))
        return self._answer(asked, told, confidence)

    # ---- inside a transaction ----------------------------------------------------------------------------------------

    def _part(
        self, asked: Question, part: Part, epsilon: float, budgets: tuple[str, ...], asker: str, confidence: float
    ) -> PartAnswer:
        key = self._key(part, epsilon)
        number = self._known.get(key)
        if number is not None:
            kept: Mapping[str, Json] = json.loads(self.ledger.questions.body(number))
            given = self._way.again(asked, part, kept)
            return self._told(part, given, epsilon, confidence, repeated=True, entry=number)
        cost = Cost.of(self._way.cost(part.aggregate, epsilon))
        if self.policy.desk.per_asker is not None:
            self.ledger.questions.allot(budgets[-1], self.policy.desk.per_asker)
        if budgets:
            self.ledger.budgets.refuse_uncovered(budgets, cost)  # before anything is drawn
        given = self._way.answer(asked, part, epsilon)
        answered = any(value is not None for value in given.values)
        facts = Asked(self.policy.desk.mode, key, self.version, answered, budgets, cost.epsilon, cost.delta)
        words = {"question": str(asked), "part": part.canonical, "asker": asker, "epsilon": epsilon}
        body = json.dumps({**words, **self._way.kept(asked, part, given)}, ensure_ascii=False).encode()
        entry = self.ledger.questions.settle(self.name, facts, Body(BODY, body))
        self._seen = entry.number
        if answered:
            self._known[key] = entry.number
        return self._told(part, given, epsilon, confidence, repeated=False, entry=entry.number)

    def _told(
        self, part: Part, given: Given, epsilon: float, confidence: float, *, repeated: bool, entry: int
    ) -> PartAnswer:
        way = self._way
        return PartAnswer(
            str(part.aggregate),
            given.values,
            given.refused,
            way.cost(part.aggregate, epsilon),
            way.error(part.aggregate, epsilon, confidence),
            repeated,
            entry,
        )

    @contextmanager
    def _deciding(self) -> Iterator[None]:
        """Decide alone, knowing everything that was answered; what cannot be written down was not decided either."""
        try:
            with self.ledger.questions.answering():
                self._catch_up()
                yield
        except BaseException:
            self._forget()
            raise

    def _catch_up(self) -> None:
        """Learn what was answered since the last look, by whichever process and desk, about this table or this desk."""
        for entry, facts in self.ledger.questions.since(self._seen):
            mine = entry.series == self.name
            if not mine and facts.version != self.version:
                self._seen = entry.number
                continue
            if facts.mode != self.policy.desk.mode:
                where = say("desk.this") if mine else say("desk.other", name=entry.series)
                raise BadRequest(
                    say("desk.bad.one_mode", where=where, mode=facts.mode),
                    parameter="desk.mode",
                    value=self.policy.desk.mode,
                )
            exact = self.policy.desk.mode == "exact"
            if exact and facts.version != self.version and self.policy.person is None:
                raise BadRequest(
                    say("desk.bad.other_table"),
                    parameter="desk.name",
                    value=self.name,
                )
            if exact:
                self._way.recall(json.loads(self.ledger.questions.body(entry.number)), facts.version)
            if facts.answered:
                self._known[facts.key] = entry.number
            self._seen = entry.number

    def _forget(self) -> None:
        self._seen, self._known = 0, {}
        about = self.name if self.policy.desk.mode == "exact" else "cells"
        secret = "practice" if self._ledger is None else self.ledger.questions.named("secret", about)
        self._way = _way(self.table, self.policy, self.version, secret)

    def _answer(self, asked: Question, told: Sequence[PartAnswer], confidence: float) -> Answer:
        """Return what was told of the groups in the order in which they were asked for."""
        cells, ordered = asked.cells(self.table.domains), asked.ordered.cells(self.table.domains)
        turned = [asked.by.index(column) for column in asked.ordered.by]
        place = {cell: at for at, cell in enumerate(ordered)}
        order = [place[tuple(cell[at] for at in turned)] for cell in cells]
        parts = tuple(
            replace(one, values=tuple(one.values[at] for at in order), refused=tuple(one.refused[at] for at in order))
            for one in told
        )
        bounds = {name: one.bounds for name, one in self.policy.columns.items() if one.bounds is not None}
        mode = self.policy.desk.mode
        return Answer(asked, mode, tuple(cells), parts, confidence, bounds if mode == "noisy" else {})

    # ---- parts -------------------------------------------------------------------------------------------------------

    def _read(self, question: Question | str, epsilon: float | None) -> tuple[Question, float]:
        if epsilon is not None and self.policy.desk.mode != "noisy":
            raise BadRequest(say("desk.bad.no_noise"), parameter="epsilon", value=epsilon)
        asked = self.table.read(question)
        asked.cells(self.table.domains)
        self._way.refuse_unfit(asked)
        spent = self.policy.desk.epsilon if epsilon is None else epsilon
        for part in asked.parts(self.table.types, self.table.domains):
            self._way.mechanism(part.aggregate, spent)
        return asked, spent

    def _budgets(self, asker: str) -> tuple[str, ...]:
        if self.policy.desk.per_asker is None:
            return self.policy.budgets
        if not isinstance(asker, str) or not asker.strip():
            raise BadRequest(say("desk.bad.asker"), parameter="asker")
        return (*self.policy.budgets, f"{self.name}: {asker.strip()}")

    def _quote(self, budget: str, cost: float) -> Quote:
        """Return what is left of a budget; that of an asker is made with the first question."""
        new = self.policy.desk.per_asker is not None and budget not in (
            *self.ledger.budgets.names,
            *self.policy.budgets,
        )
        if new:
            return Quote(budget, Cost.of(self.policy.desk.per_asker or 0), Cost(0), Cost.of(cost))
        return self.ledger.budgets.quote(budget, epsilon=cost)

    def _key(self, part: Part, epsilon: float) -> str:
        told = "\n".join((part.canonical, self.version, self._way.mechanism(part.aggregate, epsilon)))
        return self.ledger.questions.named("question", told)


def _way(table: AskedTable, policy: DeskPolicy, version: str, secret: str) -> Answering:
    if policy.desk.mode == "noisy":
        return Noisy(table, policy, version)
    return (ExactAnswers if policy.desk.mode == "exact" else CellKeys)(table, policy, version, secret)
