"""Views that were given out one by one, put together as colluding recipients would."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sfumato.contracts.engine import Table
from sfumato.contracts.published import Published
from sfumato.errors import BadRequest
from sfumato.publishing.published import open_published
from sfumato.views.version import Version
from sfumato.views.view_set import ViewSet

__all__ = ["collected"]


def collected(places: Sequence[str | Path]) -> Published:
    """Return releases and files of published rows as one set of views, each under its own name."""
    if len(places) < 2:
        raise BadRequest("give two releases or more: one alone is no collusion", parameter="views", value=len(places))
    answers, versions = dict[str, Table](), list[Version | None]()
    for place in places:
        name = Path(place).name.removesuffix("".join(Path(place).suffixes)) or f"view-{len(answers) + 1}"
        while name in answers:
            name += "+"
        published = open_published(place, private=False)
        answers[name] = published.table
        versions.append(Version.of(name, published))
    return ViewSet.of_answers(answers, versions=[one for one in versions if one is not None]).published()
