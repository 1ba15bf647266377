"""What written labels stand for: the finest values of a column that several publications show in their own ways."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from math import inf, nextafter

from sfumato.errors import BadRequest
from sfumato.recounts import Text

__all__ = ["Atom", "finest"]

Atom = Mapping[int, Text]
"""A finest value: the label that it has in each publication, by the place of that."""

Span = tuple[float, float]

_NUMBER = r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"
_BIN = re.compile(r"\[(-?[\d.]+)([^\d\-\])]*)-(-?[\d.]+)\2([\])])")
_INTERVAL = re.compile(rf"\[({_NUMBER})(?:-|\.\.)({_NUMBER})([)\]])")


def finest(shown: Mapping[int, Collection[Text]], covers: Mapping[str, Collection[str]]) -> list[Atom]:
    """Return the finest values of a column: pieces of intervals, or labels that stand for no other one."""
    spans = {at: {label: _span(label, labels) for label in labels} for at, labels in shown.items()}
    parted = all(span is not None for held in spans.values() for span in held.values())
    bare = all(re.fullmatch(_NUMBER, label or "") for labels in shown.values() for label in labels)
    if parted and not bare and not covers:
        return _pieces({at: [(span, label) for label, span in held.items() if span] for at, held in spans.items()})
    return _nested(shown, covers)


def _span(label: Text, beside: Collection[Text]) -> Span | None:
    """Return the numbers from and below; a number stands for itself where all labels are numbers, else it is a word."""
    text = label or ""
    whole = _BIN.fullmatch(text)
    if whole is not None:
        return float(whole[1]), float(whole[3]) + (whole[4] == "]")
    found = _INTERVAL.fullmatch(text)
    if found is not None:
        return float(found[1]), nextafter(float(found[2]), inf) if found[3] == "]" else float(found[2])
    if all(re.fullmatch(_NUMBER, one or "") for one in beside):
        return float(text), nextafter(float(text), inf)
    return None


def _pieces(spans: Mapping[int, Sequence[tuple[Span, Text]]]) -> list[Atom]:
    for held in spans.values():
        ordered = sorted(span for span, _ in held)
        if any(one[1] > other[0] for one, other in pairwise(ordered)):
            raise BadRequest("has bins that overlap in one publication", parameter="marginals")
    edges = sorted({edge for held in spans.values() for span, _ in held for edge in span})
    found: list[Atom] = []
    for low, high in pairwise(edges):
        atom = {
            at: [label for (first, last), label in held if first <= low and high <= last] for at, held in spans.items()
        }
        if all(atom.values()):
            found.append({at: labels[0] for at, labels in atom.items()})
    return found


def _nested(shown: Mapping[int, Collection[Text]], covers: Mapping[str, Collection[str]]) -> list[Atom]:
    every = {label for labels in shown.values() for label in labels}
    below = {label: _below(label, every, covers) for label in every}
    atoms: dict[Text, dict[int, Text]] = {label: {} for label in every if not below[label]}
    for at, labels in shown.items():
        for label in labels:
            for one in below[label] or [label]:
                if one in atoms and at in atoms[one]:
                    raise BadRequest("has labels that overlap in one publication", parameter="marginals")
                if one in atoms:
                    atoms[one][at] = label
    found: list[Atom] = [atom for atom in atoms.values() if len(atom) == len(shown)]
    if every and not found:
        raise BadRequest("has labels that nothing ties together", parameter="marginals")
    return found


def _below(label: Text, every: Collection[Text], covers: Mapping[str, Collection[str]]) -> list[Text]:
    """Return the other labels that a label stands for."""
    if label is None:
        return []
    if label in covers:
        return [other for other in every if other != label and other in covers[label]]
    if not label.endswith("*"):
        return []
    return [
        other
        for other in every
        if other is not None
        and other != label
        and other.startswith(label.rstrip("*"))
        and len(other) == len(label)
        and other.count("*") < label.count("*")
    ]
