"""Recoded database, recounted: owners with the bags of what is written of them in every table."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence

from sfumato.errors import BadRequest
from sfumato.recounts import Counted, Part, Text

__all__ = ["counted"]

Pairs = Sequence[tuple[str, ...]]


def counted(parts: Mapping[str, Part], person: str, keys: Pairs, references: Pairs, known: Pairs) -> Counted:
    """Count owners by a text of all that is known of them: JSON, own texts and then, table by table, the rows below.

    Beside it stands how many columns each table below shows, for whoever has no row there.
    """
    key_of, columns = {one[0]: one[1] for one in keys}, dict[str, list[str]]()
    for name, column in known:
        columns.setdefault(name, []).append(column)
    forms = Counter(form for (form,) in _forms(parts, person, None, key_of, references, columns).values())
    widths = json.dumps(_widths(person, references, columns))
    return Counted({(form, widths): {(): count} for form, count in forms.items()})


def _widths(name: str, references: Pairs, columns: Mapping[str, Sequence[str]]) -> list[object]:
    below = [_widths(child, references, columns) for child, _, parent in references if parent == name]
    return [len(columns.get(name, ())), below]


def _forms(
    parts: Mapping[str, Part],
    name: str,
    refers: str | None,
    keys: Mapping[str, str],
    references: Pairs,
    columns: Mapping[str, Sequence[str]],
) -> dict[Text, list[str]]:
    """Return what each key of a table stands for; for a table that refers, what the rows that refer to a key say, in order."""
    key, own = keys.get(name), columns.get(name, ())
    below = [
        _forms(parts, child, column, keys, references, columns)
        for child, column, parent in references
        if parent == name
    ]
    asked = [*([key] if key else []), *([refers] if refers else []), *own]
    said: dict[Text, list[str]] = {}
    seen: set[Text] = set()
    for texts, count in parts[name].counts(asked).items():
        held = texts[0] if key else None
        if key and (held is None or held in seen or count > 1):
            raise BadRequest("a key is missing or there twice", parameter=name)
        seen.add(held)
        shown = texts[(1 if key else 0) + (1 if refers else 0) :]
        inside = ", ".join(f"[{', '.join(rows.get(held, []))}]" for rows in below)
        form = f"[{json.dumps(shown)}, [{inside}]]"
        said.setdefault(texts[1 if key else 0] if refers else held, []).extend([form] * count)
    for rows in below:
        if not set(rows) <= seen:
            raise BadRequest("a row refers to a key that is not there", parameter=name)
    return {held: sorted(forms) for held, forms in said.items()}
