"""(X,Y)-linkability, recounted: the largest share of a text on Y among the rows with a text on X."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.recounts._combined import protected
from sfumato.recounts._confidence import largest_share
from sfumato.recounts._level import Groups, Level, highest, refuse_missing

__all__ = ["level"]


def level(groups: Groups, *, h: float, values: Sequence[object] | None, missing: str) -> Level:
    """Judge the largest share of each group."""
    refuse_missing(groups, missing)
    bounded = protected(groups, values)
    return highest((largest_share(rows, bounded) for rows in groups.values()), h)
