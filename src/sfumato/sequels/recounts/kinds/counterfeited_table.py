"""Counterfeited table, recounted: groups by their number, with the values of their rows; nobody tells whose they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sfumato.errors import BadRequest
from sfumato.recounts import Part, Text

__all__ = ["together"]

GROUP = "group"


def together(
    parts: Sequence[Mapping[str, Part]],
    columns: Sequence[Sequence[str]],
    forms: Sequence[Mapping[str, object]],
    *,
    joined: bool,
) -> dict[str, object]:
    """Return the rows of each group of each release."""
    if joined:
        return {}
    releases: list[dict[tuple[Text, ...], list[tuple[Text, str]]]] = []
    for held, form in zip(parts, forms, strict=True):
        groups: dict[tuple[Text, ...], list[tuple[Text, str]]] = {}
        for (number, value), count in held["data"].counts([GROUP, str(form["sensitive"])]).items():
            if value is None:
                raise BadRequest("a row has no sensitive value", parameter="series")
            groups.setdefault((number,), []).extend([(None, value)] * count)
        releases.append(groups)
    return {"releases": releases}
