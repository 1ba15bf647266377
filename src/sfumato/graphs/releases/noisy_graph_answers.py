"""Noisy graph answers: counts of a graph that is not published, with noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from sfumato.contracts.certificate import Statement
from sfumato.contracts.mechanism import NOISY_STATISTICS
from sfumato.contracts.model import Requirement, Verdict
from sfumato.contracts.release import NOTHING_BESIDE, Beside, Parts, ReleaseKind, ReleaseTraits
from sfumato.contracts.thing import param
from sfumato.data.json import Json
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.errors import BadRequest

__all__ = ["NoisyGraphAnswers"]

_COLUMNS = ("question", "about", "value")


class NoisyGraphAnswers(ReleaseKind):
    """Answers to counting questions about a graph, with Laplace noise; neither nodes nor links are published.

    One table: the question, what a number is about (a degree, a pair of labels; nothing where there is one number), and the
    number with noise, which may be negative. That the noise was drawn, nobody can see.

    Examples
    --------
    >>> from sfumato.engines import read
    >>> kind = NoisyGraphAnswers(epsilon=1.0, questions=("links",))
    >>> table = read({"question": ["links"], "about": [None], "value": [812]}, types={"about": "text"})
    >>> kind.verify({"data": table}, [], ()), kind.guarantee({"data": table})
    ([], {'epsilon': 1.0})

    References
    ----------
    Rastogi, Hay, Miklau, Suciu, "Relationship privacy: output perturbation for queries with joins", 2009,
    doi:10.1145/1559795.1559812.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 15.3.6.
    """

    id: ClassVar[str] = "noisy-graph-answers"
    shape: ClassVar[str] = "graph"
    traits: ClassVar[ReleaseTraits] = NOISY_STATISTICS

    epsilon: float = param(gt=0, doc="what all answers together spend on every link")
    questions: tuple[str, ...] = param(doc="what was asked")

    def roles(self) -> Mapping[str, Role]:
        return dict.fromkeys(_COLUMNS, Role.PLAIN)

    def verify(
        self, parts: Parts, models: Sequence[Requirement], qids: Sequence[str], beside: Beside = NOTHING_BESIDE
    ) -> list[Verdict]:
        """Refuse requirements that no output can show, and tables that are no answers to what was asked."""
        self.refuse_counted(models)
        table = self.tables(parts)["data"]
        if set(table.columns) != set(_COLUMNS):
            raise BadRequest(
                f"must have the columns {', '.join(_COLUMNS)}", parameter=self.id, value=list(table.columns)
            )
        rows = table.select(list(_COLUMNS)).to_rows()
        if {row[0] for row in rows} != set(self.questions):
            raise BadRequest("does not answer what was asked", parameter=self.id, value=list(self.questions))
        if any(not isinstance(row[2], int) for row in rows) or len({row[:2] for row in rows}) < len(rows):
            raise BadRequest("must have one whole number for each answer", parameter=self.id)
        return []

    def guarantee(self, parts: Parts) -> dict[str, Json]:
        """Return what the procedure is stated to spend."""
        return {"epsilon": self.epsilon}

    def statement(self) -> Statement:
        return Statement(
            mechanism="interactive-graph-queries",
            parameters={"epsilon": self.epsilon, "questions": list(self.questions)},
            checked=[],
            not_checkable=[say("statement.made_so"), say("statement.run_once")],
        )
