"""What to change next: what a release cost by column, what small changes of its policy would give, whether little is left."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Literal

from sfumato.contracts.levels import BoundLevel
from sfumato.data.frozen import frozen
from sfumato.data.html import html_list
from sfumato.data.messages import say

__all__ = ["Advice", "Advising", "Change", "with_dropped"]

_TOLD = 0.001  # a change that gives less is not told of


def with_dropped(loss: float, read: int, dropped: int) -> float:
    """Return a loss over ``read - dropped`` records with the dropped ones counted as lost: ``(loss (n - d) + d) / n``.

    >>> with_dropped(0.5, 100, 20)
    0.6
    """
    return (loss * (read - dropped) + dropped) / read if read else loss


@frozen
class Change:
    """One thing asked otherwise, and what the same search gives then.

    ``requirement``: without ``subject``, a model. ``suppression``: ``to`` is the share that may be left out instead of ``at``.
    ``coarser``: the column ``subject`` has level ``to`` at least, and ``others`` is the loss of the other columns now and then.
    ``now`` and ``then`` are losses of everything, records left out and dropped included; ``left_out`` records are missing then.
    """

    kind: Literal["requirement", "suppression", "coarser"]
    subject: str
    now: float
    then: float
    left_out: int
    at: float = 0.0
    to: float = 0.0
    others: tuple[float, float] | None = None

    @property
    def gains(self) -> bool:
        """Whether everything together loses less then, by enough to speak of."""
        return self.now - self.then >= _TOLD

    def words(self) -> str:
        """Say what would change, in numbers."""
        if self.kind == "requirement":
            return say("next.requirement", model=self.subject, now=self.now, then=self.then)
        if self.kind == "suppression":
            facts = {"limit": self.to, "old": self.at, "now": self.now, "then": self.then, "count": self.left_out}
            return say("next.suppression", **facts)
        before, after = self.others or (0.0, 0.0)
        return say(
            "next.coarser",
            column=self.subject,
            level=int(self.to),
            before=before,
            after=after,
            now=self.now,
            then=self.then,
        )


@frozen
class Advice:
    """What a publisher may change next; it speaks of the input and stays in the house.

    ``cost`` is the loss with records that were left out or dropped counted as lost, ``columns`` the same by column, dearest
    first. ``changes`` were tried with the same search on the same records, or on ``sampled`` of them; those that gain are told,
    and that nothing simple does if all was ``tried``. ``forced`` are levels that few records force a whole column to, where
    every column has one level. ``little`` says that little is left. Not ``complete``: the time was over before all was tried.
    """

    cost: float | None = None
    columns: Mapping[str, float] = field(default_factory=dict)
    changes: tuple[Change, ...] = ()
    forced: tuple[BoundLevel, ...] = ()
    little: tuple[str, ...] = ()
    sampled: int | None = None
    complete: bool = True
    tried: bool = False

    def sentences(self) -> list[str]:
        """Return everything as sentences, what matters most first."""
        out = list(self.little)
        if self.cost:
            dearest, lost = next(iter(self.columns.items()), ("", 0.0))
            share = lost / (sum(self.columns.values()) or 1.0)
            out.append(say("next.column", column=dearest, lost=lost, share=share, cost=self.cost))
        gaining = [change.words() for change in self.changes if change.gains]
        out += gaining
        out += [
            say(
                "next.forced",
                records=one.records,
                groups=one.groups,
                column=one.attribute,
                level=one.level,
                height=one.height,
                binds=one.binds,
            )
            for one in self.forced
        ]
        helped = bool(gaining or self.forced)
        out += [say("next.nothing")] if self.tried and self.cost and not helped else []
        out += [say("next.sampled", count=self.sampled)] if self.sampled is not None and (helped or self.tried) else []
        return out if self.complete else [*out, say("next.unfinished")]

    def _repr_html_(self) -> str:
        return html_list(self.sentences())


Advising = Callable[[], Advice]
"""Makes the advice when somebody asks for it: it takes searches of its own."""
