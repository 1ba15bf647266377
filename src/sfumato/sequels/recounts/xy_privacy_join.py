"""(X,Y)-privacy on the join, recounted: how many texts on Y go with each on X, and with what share, over all joined rows."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from sfumato.errors import BadRequest
from sfumato.sequels.recounts._join import Column, Join, Rows
from sfumato.sequels.recounts._texts import Level, Parents, Text, writes

__all__ = ["level"]


def level(
    releases: Sequence[Rows],
    *,
    columns: Sequence[Sequence[str]],
    parents: Mapping[str, Parents],
    qid: Sequence[str],
    sensitive: str | None,
    k: int | None = None,
    h: float | None = None,
    x: Sequence[str] | None = None,
    y: Sequence[str] | None = None,
    values: Sequence[object] | None = None,
    anonymity_counts: str = "distinct_y",
    join: Sequence[str] | None = None,
    inconsistent: Sequence[Sequence[str]] = (),
    include_join: bool = False,
    numbers: Collection[str] = (),
) -> Level:
    """Judge every text on X; ``columns`` are those of each release, ``numbers`` those that hold bare numbers."""
    whole = Join(releases, columns, parents, join, inconsistent, numbers)
    known = [one[1] for name in (qid if x is None else x) for one in whole.named(name)]
    known += whole.read if include_join else []
    on_x = list(dict.fromkeys(one for name in known for one in whole.named(name)))
    asked = y if y is not None else () if sensitive is None else (sensitive,)
    on_y: list[Column] = list(dict.fromkeys(one for name in asked for one in whole.named(name)))
    if {*on_x} & {*on_y}:
        raise BadRequest("X and Y must not share a column", parameter="xy-privacy-join.y")
    shares, counts = [], []
    for held in whole.groups(on_x, on_y).values():
        size = sum(held.values())
        guarded = [count for texts, count in held.items() if values is None or _named(texts, values)]
        shares.append(max(guarded, default=0) / size)
        counts.append(size if anonymity_counts == "records" else len(held))
    few = [k is not None and count < k for count in counts]
    broken = sum(short or (h is not None and share > h) for short, share in zip(few, shares, strict=True))
    if h is None:
        return Level(min(counts, default=None), broken, not broken)
    return Level(None if any(few) else max(shares, default=None), broken, not broken)


def _named(texts: Sequence[Text], values: Sequence[object]) -> bool:
    """Tell whether texts on Y are one of the values; with several columns a value has a part for each."""
    listed = [value if isinstance(value, (tuple, list)) else (value,) for value in values]
    return any(len(one) == len(texts) and all(map(writes, texts, one)) for one in listed)
