"""MultiRelational k-anonymity, recounted: how many owners share what is written of them, or one combination of it."""

from __future__ import annotations

import json
from collections import Counter
from itertools import product
from typing import TypeAlias

from sfumato.recounts import Groups, Key, Level, Text

__all__ = ["level"]

Row: TypeAlias = "tuple[list[Text], list[list[Row]]]"
Widths: TypeAlias = "tuple[int, list[Widths]]"


def level(groups: Groups, *, k: int, owner_signature: bool) -> Level:
    """Judge the number of owners of each form, or of each combination of values in the join of their tables."""
    sizes = Counter[Key]()
    for (form, widths), rows in groups.items():
        owners = sum(int(count) for count in rows.values())
        shared = {(form,)} if owner_signature else _joined(json.loads(form or ""), json.loads(widths or ""))
        for one in shared:
            sizes[one] += owners
    broken = sum(size < k for size in sizes.values())
    return Level(min(sizes.values(), default=None), broken, not broken)


def _joined(row: Row | None, widths: Widths) -> set[Key]:
    """Return the combinations of a row with one row of every table below; where there is none its columns are empty."""
    width, tables = widths
    own, below = ([None] * width, [[]] * len(tables)) if row is None else row
    inside = [
        {key for one in rows for key in _joined(one, wide)} if rows else _joined(None, wide)
        for rows, wide in zip(below, tables, strict=True)
    ]
    return {sum(parts, tuple(own)) for parts in product(*inside)}
