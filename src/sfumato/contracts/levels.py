"""Choices of levels as a search over a lattice tells them: what each costs, and why no column is finer."""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.contracts.record import Record
from sfumato.data.frozen import frozen
from sfumato.data.messages import Message, say
from sfumato.data.words import printable

__all__ = ["BoundLevel", "Choice", "FinerLevel", "FreeLevel", "Point", "Round"]


@frozen(eq=False, repr=False, kw_only=True)
class Choice(Record):
    """A choice of levels: its score, the records it leaves out, its groups, and those that are kept."""

    levels: Mapping[str, int]
    score: float
    left_out: int
    groups: int
    groups_kept: int


@frozen(eq=False, repr=False, kw_only=True)
class Round(Record):
    """A round of local recoding: the levels it gave, and to how many records."""

    levels: Mapping[str, int]
    records: int


@frozen(eq=False, repr=False, kw_only=True)
class FinerLevel(Record):
    """Why a column is not one level finer than its ``level`` (0: as it was) of as many as ``height``.

    ``binds`` is the requirement that stops it; ``note`` says it in words where none does.
    """

    attribute: str
    level: int
    height: int
    binds: str | None
    note: str | None = None

    def words(self) -> str:
        """Say why.

        >>> FinerLevel(attribute="sex", level=0, height=1, binds=None).words()
        'It is published as it is.'
        """
        return say("why.unchanged") if self.level == 0 else say("why.bounded")


@frozen(eq=False, repr=False, kw_only=True)
class FreeLevel(FinerLevel):
    """A finer level that may be published: ``records`` are left out of ``allowed``, and it scores better by ``cost``."""

    records: int
    allowed: int
    cost: float

    def words(self) -> str:
        """Say that it could be finer, and what that would give."""
        left_out = say("why.left_out", records=self.records, allowed=self.allowed)
        if self.cost > 0:
            return say("why.better", left_out=left_out, gain=self.cost)
        worse = say("why.no_better") if self.cost == 0 else say("why.worse", loss=-self.cost)
        return say("why.allowed", left_out=left_out, worse=worse)


@frozen(eq=False, repr=False, kw_only=True)
class BoundLevel(FreeLevel):
    """A finer level that would leave out too many: ``records`` in ``groups``, for ``breaking`` of them because of what binds.

    ``example`` holds the values of the largest such group, of ``example_size`` records. They are finer than what is
    published, so sentences leave them out.
    """

    breaking: int
    groups: int
    example: Mapping[str, str]
    example_size: int

    def words(self) -> str:
        """Say what would have to be left out, and because of what."""
        binds = self.binds if isinstance(self.binds, Message) else printable(self.binds, 120)
        reason = (
            say("why.reason", binds=binds)
            if self.breaking >= self.records
            else say("why.reason_of_some", breaking=self.breaking, binds=binds)
        )
        return say(
            "why.too_many",
            records=self.records,
            groups=self.groups,
            allowed=say("why.may_be", count=self.allowed) if self.allowed else say("why.none_may_be"),
            reason=reason,
            largest=self.example_size,
        )


@frozen
class Point:
    """The best choice under a changed policy: another k, or another limit of records that may be left out.

    ``asked`` is true for what the policy itself says. Without a satisfying choice ``levels`` and ``score`` are ``None``.
    """

    k: int | None
    suppress_at_most: float
    asked: bool
    levels: Mapping[str, int] | None = None
    score: float | None = None
    left_out: int | None = None
    groups_kept: int | None = None
    proven: bool = False
