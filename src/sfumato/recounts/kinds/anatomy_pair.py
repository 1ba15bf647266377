"""Anatomy pair, recounted: groups have the counts that are listed of them; quasi-identifiers are exact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sfumato.recounts._counted import Counted
from sfumato.recounts._written import Part, grouped, listed, refuse_unfit, sized

__all__ = ["counted"]


def counted(
    parts: Mapping[str, Part], known: Sequence[str], read: Sequence[str], group: str, count: str, form: str
) -> Counted:
    """Take the groups by their numbers; whoever reads no sensitive column sees the exact rows."""
    if not read:
        return Counted(grouped(parts["qit" if form == "pair" else "data"], known, ()))
    if form == "bucketized":
        return Counted(grouped(parts["data"], [group], read))
    groups = listed(parts["st"], [group], read, count)
    refuse_unfit(groups, sized(parts["qit"], [group]))
    return Counted(groups)
