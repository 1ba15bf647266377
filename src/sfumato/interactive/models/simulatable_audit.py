"""Auditing maxima and minima so that refusals tell nothing: whoever knows the past can decide for herself."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from sfumato.contracts.model import Audit, MechanismModel, ModelTraits, at_most
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.interactive.decision import Decision, places
from sfumato.kernels.arrays import Bools, Floats

__all__ = ["AnsweredMaxima", "MaximumAudit", "SimulatableAudit"]


class SimulatableAudit(MechanismModel):
    """A maximum is answered only if no answer that fits the past would tell the value of one record.

    Let ``u_j`` be the smallest answer of the questions that contain record j, and the extreme set of a question (Q, a) the
    records of Q with ``u_j = a``. Answers are consistent iff no extreme set is empty, and ``x_j`` is disclosed iff some extreme
    set is ``{j}``. A new question is refused iff *some* consistent answer would disclose: those to try are the past answers,
    one value between each two neighbours, one below and one above. The true answer is never looked at, so whoever knows the
    past questions and answers could have refused herself. Values may be equal. Minima are maxima with the sign turned.

    ``naive`` looks at the true answer and refuses only if that one discloses: its refusals tell. It is here to be compared.

    Adversary: asks for maxima over sets of records that she chooses, and reads refusals as well as answers.

    Examples
    --------
    >>> queries = [[1, 2, 3], [1, 2]]
    >>> SimulatableAudit().answers(queries, {1: 5, 2: 4, 3: 5})
    [5, 'deny']
    >>> SimulatableAudit(naive=True).answers(queries, {1: 5, 2: 4, 3: 5})
    [5, 5]
    >>> SimulatableAudit(naive=True).answers(queries, {1: 3, 2: 4, 3: 5})
    [5, 'deny']

    References
    ----------
    Kenthapadi, Mishra, Nissim, "Simulatable auditing", 2005, doi:10.1145/1065167.1065183.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 17.1.
    """

    id: ClassVar[str] = "simulatable-audit"
    traits: ClassVar[ModelTraits] = ModelTraits(prevents=frozenset({"attribute"}), evaluation="mechanism")
    adversary: ClassVar[str] = say("adversary.simulatable-audit")

    extreme: str = param(default="max", choices=("max", "min"), doc="which of the two is asked for")
    naive: bool = param(default=False, doc="look at the true answer, so that refusals tell; only to be compared with")

    def log(self, records: int) -> MaximumAudit:
        """Return an empty log about so many records."""
        return MaximumAudit(self, AnsweredMaxima(records))

    def answers(self, queries: Sequence[Collection[Hashable]], values: dict[Hashable, float]) -> list[float | str]:
        """Return the answer to each question in its order, or ``deny``; records and their values by name."""
        log, place = self.log(len(values)), places(list(values))
        held = np.array(list(values.values()), np.float64)
        out: list[float | str] = []
        for query in queries:
            decision = log.ask(place(query), held)
            pick = max if self.extreme == "max" else min
            out.append(pick(values[name] for name in query) if decision else "deny")
        return out

    def audit(
        self, queries: Sequence[Collection[Hashable]], answers: Sequence[float], *, records: Sequence[Hashable]
    ) -> Audit:
        """Judge questions that were all answered; ``measured`` is how many values follow from them."""
        past, place, sign = AnsweredMaxima(len(records)), places(records), self.sign
        for query, answer in zip(queries, answers, strict=True):
            past.add(place(query), sign * answer)
        told = [records[at] for at in past.told() or ()]
        return self.audited(float(len(told)), at_most(0), {"records": tuple(told)})

    @property
    def sign(self) -> int:
        """What turns the extreme into a maximum."""
        return 1 if self.extreme == "max" else -1


@dataclass(eq=False)
class AnsweredMaxima:
    """Maxima that were answered: for each question its records and the answer."""

    records: int
    questions: list[tuple[Bools, float]] = field(default_factory=list)

    def add(self, rows: Sequence[int] | Bools, answer: float) -> None:
        """Keep an answer."""
        self.questions.append((self.inside(rows), float(answer)))

    def inside(self, rows: Sequence[int] | Bools) -> Bools:
        """Return records as a mask."""
        inside = np.zeros(self.records, np.bool_)
        inside[np.asarray(rows, None if len(rows) else np.int64)] = True
        return inside

    def told(self, *more: tuple[Bools, float]) -> list[int] | None:
        """Return the records whose values follow, with further answers; nothing if the answers contradict each other."""
        asked = [*self.questions, *more]
        upper = np.full(self.records, np.inf)
        for inside, answer in asked:
            upper[inside] = np.minimum(upper[inside], answer)
        found = set()
        for inside, answer in asked:
            extreme = np.flatnonzero(inside & (upper == answer))
            if not len(extreme):
                return None
            if len(extreme) == 1:
                found.add(int(extreme[0]))
        return sorted(found)

    def candidates(self) -> Iterator[float]:
        """Yield the answers that must be tried: those of the past, one between each two, one below and one above."""
        past = sorted({answer for _, answer in self.questions})
        if not past:
            yield 0.0
            return
        yield past[0] - 1
        for low, high in zip(past, [*past[1:], past[-1] + 2], strict=True):
            yield low
            yield low + (high - low) / 2


@dataclass(eq=False)
class MaximumAudit:
    """What was asked of one column, and the rule that decides what may still be asked."""

    rule: SimulatableAudit
    past: AnsweredMaxima

    def ask(self, rows: Sequence[int] | Bools, values: Floats) -> Decision:
        """Decide about a question, and keep it with its answer if it may be answered; ``values`` are those of all records."""
        inside = self.past.inside(rows)
        if not inside.any():
            return Decision(say("desk.refused.few", m=1))
        true = float((self.rule.sign * values[inside]).max())
        if not self.rule.naive:
            decision = self.decide(inside)
        else:
            decision = Decision(say("desk.refused.told") if self.past.told((inside, true)) else None)
        if decision:
            self.past.add(inside, true)
        return decision

    def decide(self, inside: Bools) -> Decision:
        """Decide by the past alone."""
        if any(self.past.told((inside, answer)) for answer in self.past.candidates()):
            return Decision(say("desk.refused.told"))
        return Decision()
