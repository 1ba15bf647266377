"""Recoded tables of a series, recounted: classes of equal texts, or whole rows, and the labels above them that are told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sfumato.errors import BadRequest
from sfumato.recounts import Part
from sfumato.recounts.kinds.recoded_table import counted

__all__ = ["counted", "together"]


def together(
    parts: Sequence[Mapping[str, Part]],
    columns: Sequence[Sequence[str]],
    forms: Sequence[Mapping[str, object]],
    *,
    joined: bool,
) -> dict[str, object]:
    """Return what judgements of all releases read: rows of all their columns, if ``joined``, or classes by sensitive value."""
    above: dict[str, dict[str, str]] = {}
    for form in forms:
        for name, label, over in _listed(form["above"]):
            if above.setdefault(name, {}).setdefault(label, over) != over:
                raise BadRequest("releases of the series show labels of different hierarchies", column=name)
    qid = list(dict.fromkeys(str(name) for form in forms for name in _listed(form["qid"])))
    values = [str(form["sensitive"]) for form in forms if form["sensitive"] is not None]
    sensitive = values[-1] if values else None
    if joined:
        rows = [held["data"].counts(names) for held, names in zip(parts, columns, strict=True)]
        return {"releases": rows, "columns": columns, "parents": above, "qid": qid, "sensitive": sensitive}
    if sensitive is None:
        return {}
    classes = [_classes(held["data"], qid, sensitive) for held in parts]
    return {"releases": classes, "parents": [above.get(name, {}) for name in qid]}


def _classes(part: Part, qid: Sequence[str], sensitive: str) -> dict[tuple[str, ...], dict[str, int]]:
    out: dict[tuple[str, ...], dict[str, int]] = {}
    for (*labels, value), count in part.counts([*qid, sensitive]).items():
        if value is None or None in labels:
            raise BadRequest("releases of a series must not have missing values", parameter="series")
        held = out.setdefault(tuple(str(label) for label in labels), {})
        held[value] = held.get(value, 0) + count
    return out


def _listed(given: object) -> Sequence[tuple[str, str, str]]:
    return given if isinstance(given, (list, tuple)) else ()
