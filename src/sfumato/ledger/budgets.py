"""Privacy budgets that outlive a process: millionths of epsilon, billionths of delta, charged before an answer is given.

Whole numbers add up exactly, so nothing is refused and nothing slips through for the last bits of a float; costs are rounded
up.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from datetime import timedelta
from fractions import Fraction
from math import ceil

from sfumato.data.frozen import frozen
from sfumato.data.json import Json
from sfumato.data.messages import say
from sfumato.errors import BadRequest, Infeasible
from sfumato.ledger.book import Book
from sfumato.ledger.charges import purpose_of
from sfumato.ledger.entry import Entry
from sfumato.ledger.facts import Allotted, Charged, Refunded
from sfumato.perturbations.budget import amount

__all__ = ["MICRO", "NANO", "Budgets", "Cost", "Quote"]

MICRO, NANO = 10**6, 10**9
_MOST = 10**15  # sums stay far below what the databases hold

Amount = float | Fraction


@frozen
class Cost:
    """Millionths of epsilon and billionths of delta.

    >>> Cost.of(0.1), Cost.of(1.0000000093), Cost.of(0, 1e-9)
    (Cost(epsilon=100000, delta=0), Cost(epsilon=1000001, delta=0), Cost(epsilon=0, delta=1))
    """

    epsilon: int
    delta: int = 0

    @classmethod
    def of(cls, epsilon: Amount, delta: Amount = 0) -> Cost:
        """Return a cost rounded up; a float stands for the decimal that it prints, so that ten times 0.1 is 1."""
        made = cls(ceil(amount(epsilon, "epsilon", zero=True) * MICRO), ceil(amount(delta, "delta", zero=True) * NANO))
        for name, value in (("epsilon", made.epsilon), ("delta", made.delta)):
            if value > _MOST:
                raise BadRequest("is more than any budget can hold", parameter=name)
        return made

    def __sub__(self, other: Cost) -> Cost:
        return Cost(self.epsilon - other.epsilon, self.delta - other.delta)

    def within(self, other: Cost) -> bool:
        """Tell whether another amount covers this one."""
        return self.epsilon <= other.epsilon and self.delta <= other.delta

    def document(self) -> dict[str, Json]:
        """Return it for JSON, in whole epsilons and deltas."""
        return {"epsilon": self.epsilon / MICRO, "delta": self.delta / NANO}

    def __str__(self) -> str:
        beside = f" (delta {self.delta / NANO:g})" if self.delta else ""
        return f"{self.epsilon / MICRO:.6g}{beside}"


@frozen
class Quote:
    """What a question would cost one budget: nothing is charged by asking.

    ``times`` is how often the budget lets such a question be asked from here on; nothing says how often where it is free.
    ``days`` is the span that the budget is for, nothing if it is for ever.
    """

    budget: str
    limit: Cost
    spent: Cost
    asked: Cost
    days: float | None = None

    @property
    def left(self) -> Cost:
        """What is left before the question."""
        return self.limit - self.spent

    @property
    def allowed(self) -> bool:
        """Whether the budget covers it."""
        return self.asked.within(self.left)

    @property
    def times(self) -> int | None:
        """How many such questions are left."""
        pairs = ((self.asked.epsilon, self.left.epsilon), (self.asked.delta, self.left.delta))
        counts = [max(0, left // asked) for asked, left in pairs if asked]
        return min(counts) if counts else None

    def document(self) -> dict[str, Json]:
        """Return it for JSON; what a question would cost only if it would cost anything."""
        held: dict[str, Json] = {"budget": self.budget, "days": self.days, "limit": self.limit.document()}
        told: dict[str, Json] = {"asked": self.asked.document(), "allowed": self.allowed, "times": self.times}
        standing: dict[str, Json] = {"spent": self.spent.document(), "left": self.left.document()}
        return {**held, **standing, **({} if self.times is None else told)}

    def __str__(self) -> str:
        facts = {"budget": self.budget, "limit": str(self.limit), "spent": str(self.spent), "left": str(self.left)}
        if self.times is None:
            return say("ledger.budget.standing", **facts)
        return say("ledger.budget.told", **facts, asked=str(self.asked), times=self.times)


class Budgets:
    """The budgets of a ledger. Every change is an entry; a charge counts once, however often its key comes."""

    def __init__(self, book: Book) -> None:
        self._book = book

    @property
    def names(self) -> tuple[str, ...]:
        """The budgets that there are, in the order in which they were made."""
        return tuple(dict.fromkeys(facts.budget for facts in self._allotments()))

    def allot(self, name: str, *, epsilon: Amount, delta: Amount = 0, window: timedelta | None = None) -> Entry:
        """Make a budget. With a ``window`` it bounds what is spent within any such span of time, else what is spent ever."""
        if not name.strip():
            raise BadRequest("must have a name", parameter="budget")
        seconds = 0 if window is None else ceil(window.total_seconds())
        if window is not None and seconds <= 0:
            raise BadRequest("must be longer than nothing", parameter="window", value=str(window))
        return self._allotted(name, epsilon, delta, seconds, new=True)

    def top_up(self, name: str, *, epsilon: Amount, delta: Amount = 0) -> Entry:
        """Add to a budget."""
        return self._allotted(name, epsilon, delta, 0, new=False)

    def quote(self, name: str, *, epsilon: Amount, delta: Amount = 0) -> Quote:
        """Say what a question would cost, what is spent and what is left; charge nothing."""
        with self._book.store.reading():
            return self._quote(name, Cost.of(epsilon, delta), self._book.now())

    def charge(
        self, names: str | Sequence[str], *, epsilon: Amount, delta: Amount = 0, key: str, purpose: str = ""
    ) -> Entry:
        """Charge a question to one budget, or each of several, before it is answered; refuse if one does not cover it.

        The same ``key`` is charged once: a question that is asked again after a crash costs nothing more, and must be the same.
        A key names a question and never a person.
        """
        given = (names,) if isinstance(names, str) else tuple(names)
        if not given or len(set(given)) != len(given):
            raise BadRequest("must be one budget or several different ones", parameter="budget", value=list(given))
        if not key:
            raise BadRequest("must not be empty", parameter="key")
        cost, book = Cost.of(epsilon, delta), self._book
        facts = Charged(given, key, cost.epsilon, cost.delta, purpose)
        with book.writing():
            before = self._charged(key)
            if before is not None:
                if before.facts != facts:
                    raise BadRequest("was charged for another question", parameter="key", value=key)
                if book.about(before.number, Refunded):
                    raise BadRequest("was refunded; ask again under another key", parameter="key", value=key)
                return before
            self.refuse_uncovered(given, cost)
            return book.append(facts)

    def refuse_uncovered(self, names: Sequence[str], cost: Cost) -> None:
        """Refuse a cost that one of some budgets does not cover, with what is spent, asked and left."""
        now = self._book.now()
        for quote in [self._quote(name, cost, now) for name in names]:
            if not quote.allowed:
                raise Infeasible(
                    say("ledger.budget.refused", budget=quote.budget, told=str(quote)),
                    measured=str(quote.spent),
                    bound=str(quote.limit),
                    requirement=quote.budget,
                )

    def charge_draw(
        self, names: str | Sequence[str], *, epsilon: Amount, delta: Amount = 0, purpose: str
    ) -> tuple[Entry, Cost]:
        """Charge noise that is about to be drawn; a draw is never the same again, so each has a key of its own."""
        entry = self.charge(
            names, epsilon=epsilon, delta=delta, key=f"{purpose} {secrets.token_hex(16)}", purpose=purpose
        )
        return entry, Cost.of(epsilon, delta)

    def refund(self, key: str, reason: str) -> Entry:
        """Take a charge back, because its question was never answered; once."""
        if not reason.strip():
            raise BadRequest("must say why, in words", parameter="reason")
        book = self._book
        with book.writing():
            charge = self._charged(key)
            facts = None if charge is None else charge.facts
            if charge is None or not isinstance(facts, Charged):
                raise BadRequest("nothing was charged under this key", parameter="key", value=key)
            if book.about(charge.number, Refunded):
                raise BadRequest("was refunded already", parameter="key", value=key)
            back = Refunded(facts.budgets, charge.at, facts.epsilon, facts.delta, reason)
            return book.append(back, about=charge.number)

    def charged_by(self, key: str) -> tuple[str, ...]:
        """Return the budgets that a question was charged to."""
        with self._book.store.reading():
            charge = self._charged(key)
        return charge.facts.budgets if charge is not None and isinstance(charge.facts, Charged) else ()

    # ---- inside a transaction ----------------------------------------------------------------------------------------

    def _allotted(self, name: str, epsilon: Amount, delta: Amount, window: int, *, new: bool) -> Entry:
        cost, book = Cost.of(epsilon, delta), self._book
        with book.writing():
            known = self.names
            if new and name in known:
                raise BadRequest("exists already; more is added by a top-up", parameter="budget", value=name)
            if not new and name not in known:
                raise BadRequest("is not a budget of the ledger", parameter="budget", value=name, available=known)
            return book.append(Allotted(name, cost.epsilon, cost.delta, window))

    def _allotments(self) -> Iterator[Allotted]:
        for entry in self._book.store.entries("WHERE kind = ?", Allotted.kind):
            if isinstance(entry.facts, Allotted):
                yield entry.facts

    def _charged(self, key: str) -> Entry | None:
        """Return the charge of a key."""
        store = self._book.store
        found = store.rows("SELECT number FROM charges WHERE purpose = ? ORDER BY number LIMIT 1", purpose_of(key))
        return next(store.entries("WHERE number = ?", found[0][0]), None) if found else None

    def _quote(self, name: str, asked: Cost, now: int) -> Quote:
        rows = [facts for facts in self._allotments() if facts.budget == name]
        if not rows:
            raise BadRequest("is not a budget of the ledger", parameter="budget", value=name, available=self.names)
        since = now - rows[0].window * MICRO if rows[0].window else -1
        ((epsilon, delta),) = self._book.store.rows(
            "SELECT CAST(COALESCE(SUM(epsilon), 0) AS BIGINT), CAST(COALESCE(SUM(delta), 0) AS BIGINT) "
            "FROM charges WHERE budget = ? AND at > ?",
            name,
            since,
        )
        limit = Cost(sum(one.epsilon for one in rows), sum(one.delta for one in rows))
        days = rows[0].window / timedelta(days=1).total_seconds() if rows[0].window else None
        return Quote(name, limit, Cost(int(epsilon), int(delta)), asked, days)
