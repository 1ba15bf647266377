"""Combine true answers: a question about one person, the same question before and after an insert, a tracker."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import ClassVar

import numpy as np

from sfumato.contracts.attack import AttackTraits, Details, Risk, spread
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import Unsupported
from sfumato.interactive.answered_sums import AnsweredSums
from sfumato.interactive.attack import DeskAttack, DeskKnowledge, DeskSeen
from sfumato.interactive.models.query_audit_offline import LoggedQuery, QueryAuditOffline
from sfumato.interactive.models.simulatable_audit import AnsweredMaxima

__all__ = ["InteractiveQueryAttack", "InteractiveQueryDetails"]


@frozen(eq=False)
class InteractiveQueryDetails(Details):
    """How many answers there were, and for how many persons one question, a difference of two or more of them tell a value."""

    answers: int
    singletons: int
    differences: int
    determined: int


class InteractiveQueryAttack(DeskAttack):
    """Find values of single persons that follow from true sums, averages, maxima and minima, put together.

    - *singleton*: a question about one person, known by its count, tells the value;
    - *update differencing*: the sum after somebody was inserted minus the sum before is the value of the newcomer;
    - *tracker*: ``SUM(C) - SUM(C and not D)`` is the sum over ``C and D``, which alone would have been refused.

    All three, and every longer chain, are found by the offline audit of the log: values whose unit vector the questions span.
    The risk of a person is 1 if some value of hers follows. Answers with noise determine nothing here; see
    ``averaging-attack`` and ``count-reconstruction`` for these.

    Adversary: askers who put all their answers together, and know who was asked for.

    Examples
    --------
    >>> log = [
    ...     {"type": "count", "ids": [4], "answer": 1, "version": 1},
    ...     {"type": "avg", "ids": [4], "answer": 96, "version": 1},
    ...     {"type": "sum", "ids": [4, 5], "answer": 195, "version": 2},
    ... ]
    >>> InteractiveQueryAttack().infer(log)
    {4: 96.0, 5: 99.0}

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 17.1, example 17.1.
    Denning, Denning, Schwartz, "The tracker: a threat to statistical database security", 1979, doi:10.1145/320064.320069.
    """

    id: ClassVar[str] = "interactive-query-attack"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"attribute"}),
        knowledge="every answer, and who was asked for",
        needs=frozenset({"raw"}),
        victims="records",
    )
    adversary: ClassVar[str] = say("adversary.interactive-query-attack")

    def infer(
        self,
        log: Sequence[LoggedQuery | Mapping[str, object]],
        changed: Mapping[int, Sequence[Hashable]] | None = None,
    ) -> dict[Hashable, float]:
        """Return the values that follow from a log, by person; entries are as in ``query-audit-offline``."""
        return dict(QueryAuditOffline().read(log, changed).values)

    def on_log(self, seen: DeskSeen, knowledge: DeskKnowledge, run: Run) -> Risk:
        """Audit all true answers about the table as it is now, column by column."""
        if seen.mode != "exact":
            raise Unsupported(say("desk.bad.not_true"), thing=self.id)
        table, answers = knowledge.answers(seen)
        run.stage("combining answers")
        told = np.zeros(table.rows, np.bool_)
        alone = np.zeros(table.rows, np.bool_)
        pairs = np.zeros(table.rows, np.bool_)
        exact = [one for one in answers if one.part.aggregate.function != "count"]
        for column in dict.fromkeys(one.part.aggregate.column for one in exact):
            sums, maxima, minima = AnsweredSums(table.rows), AnsweredMaxima(table.rows), AnsweredMaxima(table.rows)
            sets = []
            for one in exact:
                if one.part.aggregate.column != column:
                    continue
                if one.part.aggregate.function == "sum":
                    sums.add(sums.asking(one.inside))
                    sets.append(one.inside)
                elif one.part.aggregate.function == "max":
                    maxima.add(one.inside, one.value)
                else:
                    minima.add(one.inside, -one.value)
            told[sums.told()] = True
            for past in (maxima, minima):
                told[past.told() or []] = True
            for at, one_set in enumerate(sets):
                if one_set.sum() == 1:
                    alone |= one_set
                for other in sets[:at]:
                    left = one_set ^ other
                    if left.sum() == 1 and (not (one_set & ~other).any() or not (other & ~one_set).any()):
                        pairs |= left
        beliefs = told.astype(np.float64)
        highest, mean = spread(beliefs)
        details = InteractiveQueryDetails(len(answers), int(alone.sum()), int((pairs & ~alone).sum()), int(told.sum()))
        reading = say(
            "reading.interactive_query",
            answers=details.answers,
            determined=details.determined,
            singletons=details.singletons,
            differences=details.differences,
        )
        return Risk(attack=self.id, per_victim=beliefs, highest=highest, mean=mean, reading=reading, details=details)
