"""What the algorithms on documents take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from sfumato.contracts.hierarchy import HierarchyBuilder
from sfumato.contracts.model import Requirement
from sfumato.data.frozen import frozen
from sfumato.data.schema import Role
from sfumato.text.contexts import Contexts
from sfumato.text.documents import Documents
from sfumato.text.replacing import Replacing

__all__ = ["TextTask"]


@frozen(eq=False)
class TextTask:
    """The documents, whose each is, what types of spans are to an adversary, what must hold, and what may be lost.

    ``lose_at_most`` is the largest share of words that may be masked. ``replacing`` says which types are replaced by something
    else than a placeholder, whatever must hold. ``warnings`` is what the publisher should know of how they were read,
    ``named`` are names of persons beside those that documents tell.
    """

    documents: Documents
    models: Sequence[Requirement]
    roles: Mapping[str, Role] = field(default_factory=dict)
    persons: Sequence[str] = ()
    contexts: Contexts | None = None
    hierarchies: Mapping[str, HierarchyBuilder] = field(default_factory=dict)
    lose_at_most: float = 1.0
    replacing: Replacing = field(default_factory=Replacing)
    warnings: tuple[str, ...] = ()
    named: frozenset[str] = frozenset()
