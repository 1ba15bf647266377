"""Moved paths, recounted: the points of each written person, by the group it is in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from sfumato.errors import BadRequest
from sfumato.recounts import Counted, Part, Text

__all__ = ["counted"]


def counted(parts: Mapping[str, Part]) -> Counted:
    """Take the groups by their number, and in them one line for each person: time, x, y, time, x, y, ..."""
    group = dict(parts["persons"].counts(["person", "group"]))
    paths: dict[Text, list[tuple[str, str, str]]] = {person: [] for person, _ in group}
    for person, time, x, y in parts["points"].counts(["person", "time", "x", "y"]):
        if person not in paths or time is None or x is None or y is None:
            raise BadRequest("a point is of a person who is not listed", parameter="points")
        paths[person].append((time, x, y))
    groups: dict[tuple[Text, ...], Counter[tuple[Text, ...]]] = {}
    for person, number in group:
        line = tuple(text for point in sorted(paths[person]) for text in point)
        groups.setdefault((number,), Counter())[line] += 1
    return Counted(groups)
