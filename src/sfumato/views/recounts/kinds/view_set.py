"""View set, recounted: the written rows of each view, beside its query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sfumato.recounts import Counted, Part
from sfumato.views.recounts._query import Query

__all__ = ["counted"]


def counted(
    parts: Mapping[str, Part], names: Sequence[str], views: Sequence[str], types: Sequence[tuple[str, str]]
) -> Counted:
    """Take a group for each view: its query, then the types of columns that queries compare, and its rows."""
    told = tuple(text for pair in types for text in pair)
    return Counted(
        {
            (name, text, *told): dict(parts[name].counts(Query.read(text).columns))
            for name, text in zip(names, views, strict=True)
        }
    )
