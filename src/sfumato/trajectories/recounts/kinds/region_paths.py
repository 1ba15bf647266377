"""Paths of regions, recounted: the boxes of each written person, and which of them may be known."""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.errors import BadRequest
from sfumato.recounts import Counted, Part, Text

__all__ = ["counted"]


def counted(parts: Mapping[str, Part]) -> Counted:
    """Take the persons by their number, and of each one line: time, four corners, whether it is known, and so on."""
    lines: dict[Text, list[tuple[Text, ...]]] = {person: [] for (person,) in parts["persons"].counts(["person"])}
    for person, *region in parts["regions"].counts(["person", "time", "x1", "y1", "x2", "y2", "known"]):
        if person not in lines:
            raise BadRequest("a region is of a person who is not listed", parameter="regions")
        lines[person].append(tuple(region))
    return Counted(
        {
            (person,): {tuple(text for region in sorted(held, key=str) for text in region): 1}
            for person, held in lines.items()
        }
    )
