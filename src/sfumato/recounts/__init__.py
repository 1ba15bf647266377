"""Plain second judgement of each model: what the written text shows, counted and judged by the standard library alone.

Nothing here is shared with searches, models or engines; PyArrow only opens the formats that are no text. ``<id>.py`` judges by
the model of that id, ``kinds/<id>.py`` makes groups of the parts of that kind of release. Both ask by name for what they read:
parameters of the model, parameters of the kind.
"""

from __future__ import annotations

from sfumato.recounts._counted import Counted
from sfumato.recounts._level import Groups, Histogram, Key, Level, Number, Text, at_least, at_most, total
from sfumato.recounts._sets import minimal_sets
from sfumato.recounts._shared import Shared, each
from sfumato.recounts._written import Part, Written

__all__ = [
    "Counted",
    "Groups",
    "Histogram",
    "Key",
    "Level",
    "Number",
    "Part",
    "Shared",
    "Text",
    "Written",
    "at_least",
    "at_most",
    "each",
    "minimal_sets",
    "total",
]
