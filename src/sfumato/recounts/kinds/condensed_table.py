"""Condensed table, recounted: groups have the stated sizes; drawn rows tell nothing of them."""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.errors import Unsupported
from sfumato.recounts._counted import Counted
from sfumato.recounts._written import Part, listed

__all__ = ["counted"]


def counted(parts: Mapping[str, Part], group: str, sizes_alone: bool) -> Counted:
    """Take the groups by their stated sizes; nothing else can be asked of them."""
    if not sizes_alone:
        raise Unsupported("sizes of groups are all that is published of them", thing="condensed-table")
    return Counted(listed(parts["groups"], [group], (), "Size"))
