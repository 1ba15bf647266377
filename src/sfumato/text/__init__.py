"""Words about people: free text in which persons, or what they have, are named."""

from __future__ import annotations

from sfumato.text.contexts import Contexts
from sfumato.text.documents import Document, Documents, Span
from sfumato.text.erasing import Erased, Problem, Safety

__all__ = ["Contexts", "Document", "Documents", "Erased", "Problem", "Safety", "Span"]
