"""Recoded trajectories, recounted: the paths that the two written tables stand for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from sfumato.errors import BadRequest
from sfumato.recounts import Counted, Part, Text

__all__ = ["CLASS", "counted"]

CLASS = "\x1f"
"""Stands between what is known of a class of persons and a point."""


def counted(parts: Mapping[str, Part], sensitive: Sequence[str], columns: Mapping[str, str] | None) -> Counted:
    """Take the persons by the texts of their pairs, and in them by each sensitive column with its value.

    Where columns are known, points are those of people who share them all, who share one point more: the class.
    """
    classes: dict[Text, str] = {}
    told: dict[Text, tuple[Text, ...]] = {}
    paths: dict[Text, list[tuple[str, Text]]] = {}
    said: dict[Text, Text] = {}
    width = len(sensitive)
    for number, points, *values in parts["persons"].counts(["person", "points", *sensitive, *(columns or ())]):
        if number in told:
            raise BadRequest("a person is listed twice", parameter="persons")
        told[number] = tuple(text for pair in zip(sensitive, values[:width], strict=True) for text in pair)
        classes[number] = f"{values[width:]!r}{CLASS}" if columns else ""
        paths[number], said[number] = [], points
    times: set[tuple[Text, Text]] = set()
    for (number, place, time), count in parts["points"].counts(["person", "place", "time"]).items():
        if number not in told or place is None or time is None:
            raise BadRequest("a point is of a person who is not listed", parameter="points")
        if count != 1 or (number, time) in times:
            raise BadRequest("a person is at two places at one time", parameter="points")
        times.add((number, time))
        paths[number].append((time, place))
    groups: dict[tuple[Text, ...], Counter[tuple[Text, ...]]] = {}
    for number, path in paths.items():
        if str(len(path)) != said[number]:
            raise BadRequest("a person does not have as many points as is said", parameter="persons")
        held = classes[number]
        key = tuple(f"{held}{place}@{time}" for time, place in sorted(path, key=lambda point: _order(point[0])))
        key = (f"{held}@", *key) if columns else key
        groups.setdefault(key, Counter())[told[number]] += 1
    return Counted(groups)


def _order(time: str) -> tuple[float, str]:
    """Return what orders times: numbers by what they are, days and times of day by their text."""
    try:
        return float(time), ""
    except ValueError:
        return 0.0, time
