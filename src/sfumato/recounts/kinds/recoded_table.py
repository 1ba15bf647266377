"""Recoded table, recounted: rows with equal texts are a group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sfumato.recounts._counted import Counted
from sfumato.recounts._written import Part, grouped

__all__ = ["counted"]


def counted(parts: Mapping[str, Part], known: Sequence[str], read: Sequence[str]) -> Counted:
    """Group the published rows."""
    return Counted(grouped(parts["data"], known, read))
