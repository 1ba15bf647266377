"""Privacy-MaxEnt without knowledge, recounted: persons and values of a bucket are independent."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.recounts._level import Groups, Key, Level, Number, Text, highest, refuse_missing

__all__ = ["applies", "level"]


def applies(kind: str, knowledge: Sequence[object], top_positive: int, top_negative: int) -> bool:
    """With knowledge the most even-handed belief is the answer of a program of many unknowns, not of a count."""
    return not knowledge and not top_positive and not top_negative


def level(groups: Groups, *, threshold: float, bucket: str | None, missing: str) -> Level:
    """Judge the belief about every quasi-identifier: the mean, over its rows, of the shares in their buckets.

    Without a column of buckets rows that look alike are one.
    """
    refuse_missing({key: {texts[:1]: 1 for texts in rows} for key, rows in groups.items()}, missing)
    persons: dict[Key, dict[Key, Number]] = {}
    buckets: dict[Key, dict[Text, Number]] = {}
    for key, rows in groups.items():
        for (text, *rest), count in rows.items():
            place = key if bucket is None else tuple(rest)
            inside = persons.setdefault(key, {})
            inside[place] = inside.get(place, 0) + count
            shown = buckets.setdefault(place, {})
            shown[text] = shown.get(text, 0) + count
    sizes = {place: sum(shown.values()) for place, shown in buckets.items()}
    beliefs = []
    for inside in persons.values():
        belief: dict[Text, float] = {}
        for place, count in inside.items():
            for text, having in buckets[place].items():
                belief[text] = belief.get(text, 0.0) + count * having / sizes[place]
        beliefs.append(max(belief.values()) / sum(inside.values()))
    return highest(beliefs, float(threshold))
