"""Cluster release, recounted: clusters have the stated size and the counts that are listed of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sfumato.recounts._counted import Counted
from sfumato.recounts._written import Part, listed, refuse_unfit

__all__ = ["counted"]


def counted(parts: Mapping[str, Part], read: Sequence[str], cluster: str) -> Counted:
    """Take the clusters by their numbers."""
    sizes = listed(parts["clusters"], [cluster], (), "Size")
    if not read:
        return Counted(sizes)
    groups = listed(parts["sensitive"], [cluster], read, "Count")
    refuse_unfit(groups, {key: sum(rows.values()) for key, rows in sizes.items()})
    return Counted(groups)
