"""What a requirement on documents looks at: the texts as they will be published, and what only their holder knows of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sfumato.contracts.engine import Table
from sfumato.data.schema import Role
from sfumato.text.contexts import Contexts
from sfumato.text.documents import Documents

__all__ = ["TextView"]


@dataclass(frozen=True, eq=False)
class TextView:
    """Documents with the spans that still tell something, and what is known of the persons in them.

    ``roles`` says what each type of span is to an adversary. ``contexts`` is what the public knows of entities. ``hidden`` are
    the words that were masked in each document and must stand nowhere else in it. ``persons`` is the identifier view as it is
    published, one row for each.
    """

    documents: Documents
    roles: Mapping[str, Role] = field(default_factory=dict)
    contexts: Contexts | None = None
    hidden: Mapping[str, frozenset[str]] = field(default_factory=dict)
    persons: Table | None = None
