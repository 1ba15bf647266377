"""Attacks on documents: what an adversary has who reads them, and what she knows."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.contracts.knowledge import Knowledge, Names, Seen, knows
from sfumato.data.messages import say
from sfumato.text.documents import Document

__all__ = ["TextKnowledge", "TextSeen"]


@dataclass(frozen=True, eq=False, kw_only=True)
class TextSeen(Seen):
    """How an adversary reads published documents: as texts with places, and the person of each by number."""

    documents: tuple[Document, ...]
    persons: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class TextKnowledge(Knowledge):
    """What an adversary of published documents may know."""

    terms: Names = knows((), say("known.terms"))
