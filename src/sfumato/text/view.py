"""What a requirement on documents looks at: the texts as they will be published, and what only their holder knows of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from sfumato.data.frozen import frozen
from sfumato.data.schema import Role
from sfumato.text.contexts import Contexts
from sfumato.text.documents import Documents

__all__ = ["TextView"]


@frozen(eq=False)
class TextView:
    """Documents with the spans that still tell something, and what is known of the persons in them.

    ``roles`` says what each type of span is to an adversary. ``contexts`` is what the public knows of entities. ``left``
    counts the words of each document that were masked at one place and stand at another.
    """

    documents: Documents
    roles: Mapping[str, Role] = field(default_factory=dict)
    contexts: Contexts | None = None
    left: Mapping[str, int] = field(default_factory=dict)
