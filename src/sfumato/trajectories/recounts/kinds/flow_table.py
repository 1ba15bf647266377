"""Flow table, recounted: the written numbers by place and time."""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.errors import BadRequest
from sfumato.recounts import Counted, Part, Text

__all__ = ["counted"]


def counted(parts: Mapping[str, Part], of: str) -> Counted:
    """Take the rows by place, time and their widths."""
    where = ("place",) if of == "visits" else ("from", "to")
    groups: dict[tuple[Text, ...], dict[tuple[Text, ...], int]] = {}
    for (*row, persons), count in parts["counts"].counts([*where, "cell", "time", "bin", "persons"]).items():
        if count != 1 or tuple(row) in groups or not (persons or "").isdigit():
            raise BadRequest("lists a place and time twice, or no number", parameter="counts")
        groups[tuple(row)] = {(): int(persons or "0")}
    return Counted(groups)
