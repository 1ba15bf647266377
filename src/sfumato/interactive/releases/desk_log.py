"""The log of a desk as all askers together have it: every question, and what was answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from sfumato.contracts.certificate import Statement
from sfumato.contracts.knowledge import Seen
from sfumato.contracts.model import Verdict
from sfumato.contracts.release import NOTHING_BESIDE, Beside, Parts, ReleaseKind, ReleaseTraits
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.errors import Unsupported
from sfumato.interactive.attack import DeskSeen

__all__ = ["COLUMNS", "DeskLog"]

COLUMNS = ("entry", "question", "part", "epsilon", "values", "refused", "current")


class DeskLog(ReleaseKind):
    """Questions to a desk, one row for each aggregate that was answered on its own; exact answers are in no log.

    It is what ``sfumato audit --desk`` attacks, and is never written as a release.

    Adversary: askers who put their answers together.

    Examples
    --------
    >>> DeskLog(mode="noisy").part_names()
    ('questions',)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 17.1.
    """

    id: ClassVar[str] = "desk-log"
    shape: ClassVar[str] = "desk"
    traits: ClassVar[ReleaseTraits] = ReleaseTraits(
        truthful=False,
        mixed_granularity=False,
        verifiable=say("verifiable.desk"),
        stops=frozenset({"attribute"}),
        searched=False,
    )

    mode: str = param(choices=("exact", "noisy", "cell-key"), doc="how the desk answers")

    def part_names(self) -> tuple[str, ...]:
        return ("questions",)

    def roles(self) -> Mapping[str, Role]:
        return dict.fromkeys(COLUMNS, Role.PLAIN)

    def verify(
        self, parts: Parts, models: Sequence[Any], qids: Sequence[str], beside: Beside = NOTHING_BESIDE
    ) -> list[Verdict]:
        raise Unsupported("the log of a desk is verified by sfumato ledger verify", thing=self.id)

    def seen(self, parts: Parts) -> Seen:
        tables = self.tables(parts)
        return DeskSeen(tables["questions"], tables, mode=self.mode)

    def statement(self) -> Statement:
        return Statement(checked=[say("statement.desk_checked")], not_checkable=[say("statement.desk_not_checkable")])
