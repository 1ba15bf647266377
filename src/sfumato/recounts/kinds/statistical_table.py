"""Statistical table, recounted: cells have the published counts; an empty one was suppressed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sfumato.errors import Unsupported
from sfumato.recounts._counted import Counted
from sfumato.recounts._written import Part, listed

__all__ = ["counted"]


def counted(parts: Mapping[str, Part], by: Sequence[str], sizes_alone: bool) -> Counted:
    """Take the cells by their published counts; nothing else can be asked of them."""
    if not sizes_alone:
        raise Unsupported("counts of cells are all that is published of them", thing="statistical-table")
    return Counted(listed(parts["data"], by, (), "Count"))
