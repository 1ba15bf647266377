"""Auditing sums while they are asked: no answer is given that tells, with all earlier ones, the value of one record."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from sfumato.contracts.model import Audit, MechanismModel, ModelTraits, at_most
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.interactive.answered_sums import AnsweredSums, Asking
from sfumato.interactive.decision import Decision, places
from sfumato.kernels.arrays import Bools, Floats
from sfumato.releases.statistical_table import complementary

__all__ = ["QueryAuditOnline", "SumAudit"]


class QueryAuditOnline(MechanismModel):
    """A sum is answered only if no single value follows from it and all sums that were answered before.

    A question about the set Q of N records is refused if

    - ``|Q| < m`` or ``|Q| > N - m`` (query-set-size control; also for counts),
    - ``|Q and Q'| > r`` for a question Q' answered before (overlap control, where r is set),
    - some unit vector lies in the row space of the indicator vectors of the answered questions and this one: then the value of
      that record is a linear combination of answers (full disclosure, real values),
    - its n largest contributions make up more than ``share`` percent (dominance rule), or all but the two largest together less
      than ``percent`` percent of the largest (p% rule), where these are set.

    An average over a known number of records is a sum. Questions that were refused do not enter the log. The first three rules
    read which records are asked for and never an answer, so that a refusal tells nothing (see ``simulatable-audit``); dominance
    and p% read values, and a refusal by them tells that a cell is dominated. Values that are known to be bounded can leak
    sooner than this: a sum of zeros and ones that equals the number of records tells all of them.

    Adversary: asks for sums and averages over sets of records that she chooses, and combines the answers.

    Examples
    --------
    >>> rule = QueryAuditOnline()
    >>> rule.decisions([[1, 2, 3, 4], [4], [4, 5], [1, 2, 3]], records=[1, 2, 3, 4, 5])
    ['answer', 'deny', 'answer', 'deny']
    >>> log = QueryAuditOnline(m=2).log(5)
    >>> str(log.ask([3]))
    'it is about fewer than 2 records'

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 17.1.
    Chin, Ozsoyoglu, "Auditing and inference control in statistical databases", 1982, doi:10.1109/TSE.1982.236161.
    Hundepool and others, *Statistical Disclosure Control*, 2012, section 4.2 (dominance and p% rules).
    """

    id: ClassVar[str] = "query-audit-online"
    traits: ClassVar[ModelTraits] = ModelTraits(prevents=frozenset({"attribute"}), evaluation="mechanism")
    adversary: ClassVar[str] = say("adversary.query-audit-online")

    m: int = param(default=0, ge=0, doc="fewest records that a question may be about, and that it may leave out")
    r: int | None = param(default=None, ge=0, doc="most records that two questions may share; any number if not set")
    n: int = param(default=2, ge=1, doc="how many of the largest contributions the dominance rule adds up")
    share: float | None = param(
        default=None, gt=0, le=100, doc="largest share of a sum, in percent, that they may make up; any if not set"
    )
    percent: float | None = param(
        default=None, gt=0, doc="how near the largest contribution may be estimated, in percent of it; any if not set"
    )

    def log(self, records: int, *, prime: int | None = None) -> SumAudit:
        """Return an empty log about so many records; the prime is drawn and kept secret unless a test gives one."""
        return SumAudit(self, AnsweredSums(records, prime=prime))

    def decisions(self, queries: Sequence[Collection[Hashable]], records: Sequence[Hashable]) -> list[str]:
        """Return ``answer`` or ``deny`` for questions in their order, each given by the names of its records."""
        log, place = self.log(len(records)), places(records)
        return ["answer" if log.ask(place(query)) else "deny" for query in queries]

    def audit(self, queries: Sequence[Collection[Hashable]], *, records: Sequence[Hashable]) -> Audit:
        """Judge questions that were all answered; ``measured`` is how many values follow from them."""
        sums, place = AnsweredSums(len(records)), places(records)
        for query in queries:
            sums.add(sums.asking(place(query)))
        told = [records[at] for at in sums.told()]
        return self.audited(float(len(told)), at_most(0), {"records": tuple(told)})

    def size_refusal(self, count: int, records: int) -> str | None:
        """Return why a question about so many records is refused, or nothing."""
        if count < self.m:
            return say("desk.refused.few", m=self.m)
        return say("desk.refused.most", m=self.m) if count > records - self.m else None

    def dominance_refusal(self, values: Floats) -> str | None:
        """Return why a sum of these contributions is refused, or nothing; their signs do not matter."""
        largest = np.sort(np.abs(values))[::-1]
        total = float(largest.sum())
        if self.share is not None and float(largest[: self.n].sum()) > self.share / 100 * total:
            return say("desk.refused.dominance", n=self.n, share=self.share)
        near = self.percent is not None and len(largest) and float(largest[2:].sum()) < self.percent / 100 * largest[0]
        return say("desk.refused.percent", percent=self.percent) if near else None


@dataclass(eq=False)
class SumAudit:
    """What was asked of one column, and the rule that decides what may still be asked."""

    rule: QueryAuditOnline
    sums: AnsweredSums
    rows: int | None = None  # of the table as it is now, where there are unknowns of earlier ones
    _answered: list[Bools] = field(default_factory=list)  # kept for the overlap alone

    def ask(self, rows: Sequence[int] | Bools, values: Floats | None = None) -> Decision:
        """Decide about a sum over some records, and keep it if it may be answered; ``values`` are its contributions."""
        inside = np.zeros(self.sums.records, np.bool_)
        try:
            inside[np.asarray(rows, None if len(rows) else np.int64)] = True
        except IndexError:
            raise BadRequest(f"must be row numbers below {self.sums.records}", parameter="records") from None
        refused = self._simply_refused(inside)
        if refused is None and values is not None:
            refused = self.rule.dominance_refusal(values)
        asking = None if refused else self.sums.asking(inside)
        if asking is not None and asking.tells:
            return Decision(say("desk.refused.told"))
        if asking is None:
            return Decision(refused)
        self.keep(inside, asking)
        return Decision(follows=not len(asking.rest) and self.rule.r is None)

    def keep(self, inside: Bools, asking: Asking) -> None:
        """Keep an answer that was given."""
        self.sums.add(asking)
        if self.rule.r is not None:
            self._answered.append(inside)

    def grow(self, records: int) -> None:
        """Add unknowns that no answer was about."""
        self.sums.grow(records)
        self._answered = [np.append(one, np.zeros(records, np.bool_)) for one in self._answered]

    def ask_cells(
        self,
        cells: Sequence[tuple[Hashable, ...]],
        rows: Sequence[Bools],
        values: Sequence[Floats] | None = None,
    ) -> list[Decision]:
        """Decide about the cells of one table together: a cell is also left empty where it would tell an empty one.

        Cells that a rule refuses come first; then the lightest others, until no line of several cells has exactly one that is
        empty; what is left is asked cell by cell.
        """
        found: list[Decision | None] = []
        for at, inside in enumerate(rows):
            refused = self._simply_refused(inside)
            if refused is None and values is not None:
                refused = self.rule.dominance_refusal(values[at])
            found.append(None if refused is None else Decision(refused))
        hidden = np.array([one is not None for one in found])
        weights = [float(inside.sum()) for inside in rows]
        more = complementary(cells, hidden, weights) if hidden.any() else hidden
        for at in np.flatnonzero(more & ~hidden).tolist():
            found[at] = Decision(say("desk.refused.beside"))
        return [
            one if one is not None else self.ask(rows[at], None if values is None else values[at])
            for at, one in enumerate(found)
        ]

    def _simply_refused(self, inside: Bools) -> str | None:
        refused = self.rule.size_refusal(int(inside.sum()), self.sums.records if self.rows is None else self.rows)
        if refused is not None:
            return refused
        shared = max((int((inside & other).sum()) for other in self._answered), default=0)
        if self.rule.r is None or shared <= self.rule.r:
            return None
        return say("desk.refused.overlap", shared=shared, r=self.rule.r)
