"""Masked documents, recounted: what the written texts tell of each person at their spans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sfumato.errors import BadRequest
from sfumato.recounts import Counted, Key, Number, Part

__all__ = ["counted"]


def counted(parts: Mapping[str, Part], known: Sequence[str], read: Sequence[str]) -> Counted:
    """Group persons by what their texts tell of the known types, and in them by what they tell of the others.

    A placeholder tells nothing, and so does a text that does not mention a type.
    """
    texts: dict[str, tuple[str, str]] = {}
    for number, person, text in parts["documents"].counts(["document", "person", "text"]):
        texts[str(number)] = str(person), text or ""
    told: dict[str, dict[str, set[str]]] = {person: {} for person, _ in texts.values()}
    for number, start, end, kind in (
        parts["spans"].counts(["document", "start", "end", "type"]) if "spans" in parts else ()
    ):
        if str(number) not in texts or kind is None:
            raise BadRequest("a span lies in no document", parameter="spans")
        person, text = texts[str(number)]
        said = text[int(str(start)) : int(str(end))]
        if said != f"[{kind.upper()}]":
            told[person].setdefault(kind, set()).add(said)
    groups: dict[Key, dict[Key, Number]] = {}
    for held in told.values():

        def values(kinds: Sequence[str], held: Mapping[str, set[str]] = held) -> Key:
            return tuple(" | ".join(sorted(held.get(kind, ()))) or "*" for kind in kinds)

        inside = groups.setdefault(values(known), {})
        inside[values(read)] = inside.get(values(read), 0) + 1
    return Counted(groups)
