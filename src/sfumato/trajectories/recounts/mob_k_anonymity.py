"""MOB k-anonymity, recounted: whose written regions hold whose at all times that may be known, both ways."""

from __future__ import annotations

from sfumato.recounts import Groups, Key, Level

__all__ = ["applies", "level"]

Box = tuple[int, int, int, int]


def applies(reading: str) -> bool:
    """Tell whether plain code judges by this reading: perfect matchings are left to the model."""
    return reading != "matching"


def level(groups: Groups, *, k: int, reading: str = "mutual") -> Level:
    """Judge by how many persons everybody can be exchanged with."""
    people = [_read(next(iter(inside))) for inside in groups.values()]
    edges = [
        {
            other
            for other, (boxes, _) in enumerate(people)
            if all(time in boxes and _holds(boxes[time], own[time]) for time in known)
        }
        for own, known in people
    ]
    mutual = [sum(one in edges[other] for other in edges[one]) for one in range(len(people))]
    if reading == "strict":
        whole = all(one in edges[other] for one in range(len(people)) for other in edges[one])
        mutual = [len(held) if whole else 0 for held in edges]
    broken = sum(count < k for count in mutual)
    return Level(min(mutual, default=None), broken, broken == 0)


def _read(line: Key) -> tuple[dict[str, Box], list[str]]:
    """Return the boxes of a person by time, and the times that may be known."""
    boxes: dict[str, Box] = {}
    known = []
    for at in range(0, len(line), 6):
        time, *corners, mark = (str(text) for text in line[at : at + 6])
        left, low, right, high = (int(text) for text in corners)
        boxes[time] = (left, low, right, high)
        if mark == "true":
            known.append(time)
    return boxes, known


def _holds(outer: Box, inner: Box) -> bool:
    return outer[0] <= inner[0] and outer[1] <= inner[1] and inner[2] <= outer[2] and inner[3] <= outer[3]
