"""k-anonymity of a view set, recounted: the values that every witness of some written row leaves to a person."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.recounts import Groups, Key, Level
from sfumato.views.recounts._records import PlainView, State, read_views, witnesses
from sfumato.views.recounts._region import Value, read

__all__ = ["level"]


def level(groups: Groups, *, k: int, identifier: str, sensitive: str) -> Level:
    """Judge the smallest cover of everybody: of each row, if all places where its record can lie name the same person."""
    views, begun = read_views(groups, {identifier, sensitive})
    best: dict[Value, int] = {}
    for view in views:
        others = [one for one in views if one is not view]
        # Who a row names decides nothing else where no other view looks at names: rows that are alike but for it share a cover.
        apart = identifier in view.columns and not any(identifier in one.reads for one in others)
        kept: dict[Key, int | None] = {}
        for row in view.rows:
            named = row[view.columns.index(identifier)] if apart else None
            key = tuple(text for name, text in zip(view.columns, row, strict=True) if not apart or name != identifier)
            owner: Value = read(named, begun[identifier].kind)
            if key not in kept:
                found = _cover(view.shown(begun, row), others, identifier, sensitive)
                kept[key] = None if found is None else found[1]
                owner = None if found is None else found[0]
            size = kept[key]
            if size is not None:
                best[owner] = min(size, best.get(owner, size))
    broken = sum(size < k for size in best.values())
    return Level(min(best.values(), default=None), broken, not broken)


def _cover(
    state: State | None, others: Sequence[PlainView], identifier: str, sensitive: str
) -> tuple[Value, int] | None:
    """Return whom all witnesses of a row are about, and how many values they leave; nothing if there is no end of either."""
    owner: Value = None
    values: set[Value] = set()
    for witness in witnesses(state, others):
        named, inside = witness[identifier].listed(), witness[sensitive].listed()
        if named is None or len(named) != 1 or inside is None or (owner is not None and named != {owner}):
            return None
        (owner,) = named
        values |= inside
    return None if owner is None else (owner, len(values))
