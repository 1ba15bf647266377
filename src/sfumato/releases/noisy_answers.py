"""Noisy answers: questions about the table, each with an answer to which a stated noise was added."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import ClassVar

import numpy as np

from sfumato.contracts.built import Built
from sfumato.contracts.columns import made, numbers_of
from sfumato.contracts.engine import Engine
from sfumato.contracts.model import TableModel, Verdict
from sfumato.contracts.release import NOTHING_BESIDE, Answer, Beside, Parts, ReleaseTraits
from sfumato.contracts.thing import param
from sfumato.data.json import Json
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.releases.mechanism import MechanismKind

__all__ = ["NoisyAnswers"]

_COLUMNS = ("Question", "Answer", "Epsilon", "Sensitivity", "Scale")
_SCALED = ("laplace", "geometric")
_SLACK = 1e-9


class NoisyAnswers(MechanismKind):
    """Questions about the table, each with an answer to which a stated noise was added.

    One table of question, answer, and for each the share of the budget, the sensitivity, and the scale of the noise. A reader
    can check the sums: for the Laplace and the geometric mechanism ``scale >= sensitivity / epsilon``, and the shares
    together stay within the budget (their sum, or their largest if the questions concern disjoint records). Of questions
    listed together as ``disjoint``, such as the cells of a histogram, only the largest share counts. An answer that is
    ``derived`` from other answers, such as a mean from a sum and a count, costs nothing. That the noise was drawn, nobody
    can see.

    Examples
    --------
    >>> made = NoisyAnswers.build(["records"], [103.2], mechanism="laplace", epsilon=0.5, sensitivity=1, budget=1.0)
    >>> made.tables["data"].to_rows()
    [('records', 103.2, 0.5, 1.0, 2.0)]
    >>> NoisyAnswers(mechanism="laplace", budget=1.0).guarantee(made.tables)
    {'epsilon': 0.5}

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 5.4.1.
    Dwork, McSherry, Nissim, Smith, "Calibrating noise to sensitivity in private data analysis", 2006,
    doi:10.1007/11681878_14.
    """

    id: ClassVar[str] = "noisy-answers"
    stated: ClassVar[tuple[str, ...]] = (*MechanismKind.stated, "budget")
    traits: ClassVar[ReleaseTraits] = ReleaseTraits(
        truthful=False,
        mixed_granularity=False,
        verifiable=say("verifiable.budget"),
        published="statistics",
        stops=frozenset(),
    )

    made_from = "queries"

    budget: float | None = param(default=None, gt=0, doc="the privacy budget that all answers share")
    composition: str = param(
        default="sequential",
        choices=("sequential", "parallel"),
        doc="whether shares add up, or concern disjoint records",
    )
    disjoint: tuple[tuple[str, ...], ...] = param(
        default=(), doc="lists of questions that concern disjoint records: of each list only the largest share counts"
    )
    derived: tuple[str, ...] = param(
        default=(), doc="questions answered from other answers: no share, no sensitivity, no noise of their own"
    )

    def validate(self) -> None:
        """Refuse a question that stands in two lists."""
        super().validate()
        listed = [*(question for part in self.disjoint for question in part), *self.derived]
        if len(set(listed)) < len(listed):
            raise BadRequest("a question stands in two lists", parameter=f"{self.id}.disjoint")

    @classmethod
    def build(
        cls,
        questions: Sequence[str],
        answers: Sequence[float],
        *,
        mechanism: str,
        epsilon: float | Sequence[float],
        sensitivity: float | Sequence[float] = 1.0,
        scale: float | Sequence[float] | None = None,
        budget: float | None = None,
        composition: str = "sequential",
        disjoint: Sequence[Sequence[str]] = (),
        derived: Sequence[str] = (),
        settings: Mapping[str, object] | None = None,
        engine: str | Engine = "polars",
    ) -> Built:
        """Return the release of answers that have their noise already; the scale is sensitivity / epsilon if not given."""
        kind = cls(
            mechanism=mechanism,
            settings=dict(settings or {}),
            budget=budget,
            composition=composition,
            disjoint=tuple(tuple(part) for part in disjoint),
            derived=tuple(derived),
        )
        asked = [str(question) for question in questions]
        shares = _each("epsilon", epsilon, len(asked))
        change = _each("sensitivity", sensitivity, len(asked))
        if any(not share > 0 for question, share in zip(asked, shares, strict=True) if question not in kind.derived):
            raise BadRequest("must be positive", parameter="epsilon")
        width = [c / e if e else 0.0 for c, e in zip(change, shares, strict=True)]
        width = width if scale is None else _each("scale", scale, len(asked))
        told = _each("answers", answers, len(asked))
        table = made(dict(zip(_COLUMNS, (asked, told, shares, change, width), strict=True)), engine)
        kind.verify(table, [], [])
        return Built(kind, {"data": table})

    def answers(self, parts: Parts) -> Sequence[Answer]:
        """Return the published answers, in their order."""
        chosen = self.settings.get("chosen_among_candidates", ())
        return [
            Answer(question, value, epsilon, scale, question in chosen)
            for question, value, epsilon, _, scale in self.tables(parts)["data"].to_rows()
        ]

    def verify(
        self, parts: Parts, models: Sequence[TableModel], qids: Sequence[str], beside: Beside = NOTHING_BESIDE
    ) -> list[Verdict]:
        """Check scales and shares against each other and the budget; refuse requirements on tables."""
        self.refuse_models(models)
        table = self.tables(parts)["data"]
        if table.columns != _COLUMNS:
            raise BadRequest("does not hold the columns of answers", parameter="data", available=_COLUMNS)
        if table.distinct(["Question"]) < table.rows:
            raise BadRequest("a question is answered twice", parameter="data", column="Question")
        numbers = numbers_of(table, _COLUMNS[1:])
        questions = [row[0] for row in table.select(["Question"]).to_rows()]
        strange = {*self.derived, *(question for part in self.disjoint for question in part)} - set(questions)
        if strange:
            raise BadRequest("a question that is listed is not answered", parameter="data", value=sorted(strange)[0])
        own = np.array([question not in self.derived for question in questions], bool)
        for name, values in zip(_COLUMNS[1:], numbers.T, strict=True):
            if not all(math.isfinite(value) for value in values):
                raise BadRequest("must be finite", parameter="data", column=name)
            if name != "Answer" and (values[own] <= 0).any():
                raise BadRequest("must be positive", parameter="data", column=name)
            if name != "Answer" and values[~own].any():
                raise BadRequest("must be 0 where an answer is derived from others", parameter="data", column=name)
        _, epsilon, sensitivity, scale = numbers.T
        if self.mechanism in _SCALED and (scale * epsilon < sensitivity * (1 - _SLACK)).any():
            raise BadRequest("is smaller than sensitivity / epsilon", parameter="data", column="Scale")
        if self.budget is not None and self._spent(questions, epsilon) > self.budget * (1 + _SLACK):
            raise BadRequest(f"exceeds the budget of {self.budget:g}", parameter="data", column="Epsilon")
        return []

    def _spent(self, questions: Sequence[str], epsilon: Iterable[float]) -> float:
        share = {question: float(value) for question, value in zip(questions, epsilon, strict=True)}
        if self.composition == "parallel":
            return max(share.values())
        together = {question for part in self.disjoint for question in part}
        alone = [value for question, value in share.items() if question not in together]
        return math.fsum([*alone, *(max(share[question] for question in part) for part in self.disjoint if part)])

    def guarantee(self, parts: Parts) -> dict[str, Json]:
        """Return the epsilon that the stated shares amount to."""
        table = self.tables(parts)["data"]
        questions = [row[0] for row in table.select(["Question"]).to_rows()]
        return {"epsilon": self._spent(questions, numbers_of(table, ["Epsilon"])[:, 0])}

    def cautions(self, given: Collection[str]) -> list[str]:
        """Say that no seed repeats the noise."""
        return [say("warning.noise_spends")]

    def visible(self) -> list[str]:
        scaled = [say("statement.noise_scale", mechanism=self.mechanism)]
        return [
            *(scaled if self.mechanism in _SCALED else []),
            say("statement.within_budget") if self.budget else say("statement.spent"),
        ]


def _each(name: str, value: float | Iterable[float], count: int) -> list[float]:
    values = [value] * count if isinstance(value, (int, float)) else list(value)
    if len(values) != count:
        raise BadRequest(f"needs one number for each of the {count} questions", parameter=name, value=len(values))
    return [float(number) for number in values]
