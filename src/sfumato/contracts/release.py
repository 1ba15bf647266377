"""Releases: what leaves the house. Each kind says how a stranger can verify it from the published files alone."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from sfumato.contracts.engine import Table
from sfumato.contracts.model import Model, Verdict
from sfumato.contracts.thing import Thing

__all__ = ["ReleaseKind", "ReleaseTraits"]


@dataclass(frozen=True)
class ReleaseTraits:
    """What a kind of release keeps: truth at record level, one granularity per column, and what a check can show."""

    truthful: bool
    mixed_granularity: bool
    verifiable: str


@dataclass(frozen=True, kw_only=True)
class ReleaseKind(Thing):
    """A form of output with its own independent check."""

    kind: ClassVar[str] = "release"
    traits: ClassVar[ReleaseTraits]

    @abstractmethod
    def verify(self, table: Table, models: Sequence[Model], qids: Sequence[str]) -> list[Verdict]:
        """Judge published rows by counting them anew; shares no code with any search."""
