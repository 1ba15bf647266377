"""Lists of words, one row for each person."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from sfumato.contracts.certificate import Statement
from sfumato.contracts.model import Verdict
from sfumato.contracts.release import NOTHING_BESIDE, Beside, Parts, ReleaseKind, ReleaseTraits


class WordLists(ReleaseKind):
    """Lists of words, one row for each person."""

    id: ClassVar[str] = "word-lists"
    shape: ClassVar[str] = "lists"
    traits: ClassVar[ReleaseTraits] = ReleaseTraits(
        truthful=True, mixed_granularity=False, verifiable="every requirement, from the lists", searched=True
    )

    def verify(
        self, parts: Parts, models: Sequence[Any], qids: Sequence[str], beside: Beside = NOTHING_BESIDE
    ) -> list[Verdict]:
        rows = self.tables(parts)["data"].to_rows()
        lists = tuple(frozenset((row[0] or "").split()) for row in rows)
        return [model.judge(lists) for model in models]

    def statement(self) -> Statement:
        return Statement(["every requirement, on the lists"], ["that a word was left out because it was rare"])

    def operation(self, column: str) -> str:
        return "left out where rare"
