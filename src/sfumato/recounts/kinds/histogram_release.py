"""Histogram release, recounted: boxes have the published counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sfumato.errors import BadRequest
from sfumato.recounts._counted import Counted
from sfumato.recounts._written import Part, listed

__all__ = ["counted"]


def counted(parts: Mapping[str, Part], read: Sequence[str], qid: Sequence[str], count: str) -> Counted:
    """Take the boxes by their published counts."""
    if read:
        raise BadRequest("explicit groups lack the histogram of a column", column=read[0])
    edges = [f"{name} {side}" for name in qid for side in ("from", "to")]
    return Counted(listed(parts["data"], edges, (), count))
