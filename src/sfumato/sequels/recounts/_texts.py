"""What a recount of a series reads and says: texts with their counts, hierarchies as parents, and the level that was found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sfumato.errors import BadRequest

__all__ = ["EVERYTHING", "Label", "Level", "Parents", "Release", "Text", "path", "refuse_uncut", "tops", "writes"]

Text = str | None
"""What is written in a cell; ``None`` if nothing is."""

Label = tuple[str, ...]
Release = Mapping[Label, Mapping[str, int]]
"""Labels of a class -> sensitive value -> number of rows."""

Parents = Mapping[str, str]
"""Label -> the label above it; every path ends with the root, or with ``*`` where a column has no hierarchy."""

EVERYTHING = "*"


@dataclass(frozen=True)
class Level:
    """What was measured (``None`` where there is no level), how many groups violate, and whether the requirement holds."""

    measured: int | float | None
    violating: int
    satisfied: bool


def path(text: Text, above: Parents) -> tuple[str, ...]:
    """Return a label and those above it; missing and suppressed stand for everything."""
    root = next((label for label in above.values() if label not in above), EVERYTHING)
    known = text is not None and (text in above or text == root or not above)
    if not known and text not in (None, EVERYTHING):
        raise BadRequest("a release shows a label that its hierarchy does not have", parameter="series")
    found = [root if text is None or not known else text]
    while found[-1] != root:
        found.append(above.get(found[-1], root))
    return tuple(found)


def tops(shown: set[str], above: Parents) -> dict[str, str]:
    """Return the topmost shown label on the path of each shown label."""
    return {label: [one for one in path(label, above) if one in shown][-1] for label in shown}


def refuse_uncut(releases: Sequence[Release], parents: Sequence[Parents]) -> None:
    """Refuse a release that shows a label and another one above it: what is counted here holds for cuts of one hierarchy."""
    for release in releases:
        for at, above in enumerate(parents):
            shown = {key[at] for key in release}
            if any(top != label for label, top in tops(shown, above).items()):
                raise BadRequest("a release shows a value and another one above it", parameter="series")


def writes(text: Text, value: object) -> bool:
    """Tell whether a text writes a value; a number may be written in several ways."""
    if text is None or isinstance(value, str):
        return text == value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return text.lower() == str(value).lower()
    try:
        return float(text) == value
    except ValueError:
        return False
