"""What labels stand for: the finest values of a column that several publications show in their own ways."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from itertools import pairwise

import numpy as np

from sfumato.data.region import in_order
from sfumato.data.text import parse_interval, to_text
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Ints

__all__ = ["Covers", "common_refinement", "place_of", "placed"]

_BIN = re.compile(r"^\[(?P<low>-?[\d.]+)(?P<unit>[^\d\-\])]*)-(?P<high>-?[\d.]+)(?P=unit)(?P<end>[\])])$")

Covers = Mapping[str, Mapping[Hashable, Sequence[Hashable]] | Tree]
"""What labels of a column stand for, where they do not tell themselves."""


def common_refinement(
    lists: Mapping[int, tuple[Hashable, ...]],
    covers: Mapping[Hashable, Sequence[Hashable]] | Tree,
    column: str,
) -> tuple[tuple[Hashable, ...], dict[int, Ints]]:
    """Return the finest values of a column over all publications, and the label of each of them in every publication."""
    spans = {at: [_span(label) for label in labels] for at, labels in lists.items()}
    if not covers and any(isinstance(label, str) for labels in lists.values() for label in labels):
        parsed = {at: [one for one in held if one is not None] for at, held in spans.items()}
        if all(len(parsed[at]) == len(lists[at]) for at in lists):
            return _cut(parsed, lists, column)
    return _nested(lists, covers, column)


def _span(label: Hashable) -> tuple[float, float] | None:
    """Return the numbers that a label stands for, from and below; ``None`` if it is no number and no interval."""
    if isinstance(label, bool):
        return None
    if isinstance(label, (int, float)):
        return float(label), float(np.nextafter(label, np.inf))
    text = to_text(label) if label is not None else ""
    found = _BIN.match(text)
    if found is not None:
        high = float(found["high"])
        return float(found["low"]), high + 1 if found["end"] == "]" else high
    interval = parse_interval(text)
    if interval is None:
        return None
    low, high, closed = interval
    return low, float(np.nextafter(high, np.inf)) if closed else high


def _cut(
    spans: Mapping[int, Sequence[tuple[float, float]]], lists: Mapping[int, tuple[Hashable, ...]], column: str
) -> tuple[tuple[Hashable, ...], dict[int, Ints]]:
    for held in spans.values():
        ordered = sorted(held)
        if any(one[1] > other[0] for one, other in pairwise(ordered)):
            raise BadRequest("has bins that overlap in one publication", column=column)
    edges = sorted({edge for held in spans.values() for span in held for edge in span})
    pieces = [
        (low, high)
        for low, high in pairwise(edges)
        if all(any(one[0] <= low and high <= one[1] for one in held) for held in spans.values())
    ]
    finest: dict[tuple[float, float], Hashable] = {}
    for low, high in pieces:
        own = [
            label
            for at, held in spans.items()
            for label, span in zip(lists[at], held, strict=True)
            if span[0] == low and span[1] == high
        ]
        finest[low, high] = own[0] if own else f"[{low:g}-{high:g})"
    found = {}
    for at, held in spans.items():
        found[at] = np.array(
            [next(code for code, one in enumerate(held) if one[0] <= low and high <= one[1]) for low, high in pieces],
            np.int64,
        )
    return tuple(finest.values()), found


def _nested(
    lists: Mapping[int, tuple[Hashable, ...]],
    covers: Mapping[Hashable, Sequence[Hashable]] | Tree,
    column: str,
) -> tuple[tuple[Hashable, ...], dict[int, Ints]]:
    every = in_order({label for labels in lists.values() for label in labels})
    below = {label: _below(label, every, covers) for label in every}
    atoms = tuple(label for label in every if not below[label])
    found = {}
    for at, labels in lists.items():
        place = np.full(len(atoms), -1, np.int64)
        for code, label in enumerate(labels):
            for atom in [label] if not below[label] else below[label]:
                if atom in atoms:
                    where = atoms.index(atom)
                    if place[where] >= 0:
                        raise BadRequest(
                            "has labels that overlap in one publication: counts go beside a release that shows a value "
                            "in one way wherever it stands, such as that of optimal or tdr",
                            column=column,
                        )
                    place[where] = code
        found[at] = place
    inside = np.flatnonzero(np.all([place >= 0 for place in found.values()], axis=0))
    if not len(inside) and len(every):
        raise BadRequest(
            "has labels that nothing ties together: tell what they stand for", column=column, parameter="covers"
        )
    return tuple(atoms[at] for at in inside.tolist()), {at: place[inside] for at, place in found.items()}


def _below(
    label: Hashable, every: Sequence[Hashable], covers: Mapping[Hashable, Sequence[Hashable]] | Tree
) -> list[Hashable]:
    """Return the other labels that a label stands for."""
    if isinstance(covers, Tree):
        if to_text(label) not in covers.node_of:
            return []
        inside = {covers.labels[node] for node in range(len(covers.labels)) if _is_below(covers, node, to_text(label))}
        return [other for other in every if other != label and to_text(other) in inside]
    if label in covers:
        named = {to_text(value) for value in covers[label] if value is not None}
        return [other for other in every if other is not None and other != label and to_text(other) in named]
    text = to_text(label) if label is not None else ""
    if isinstance(label, str) and text.endswith("*"):
        bare = text.rstrip("*")
        return [
            other
            for other in every
            if other is not None
            and other != label
            and to_text(other).startswith(bare)
            and len(to_text(other)) == len(text)
            and to_text(other).count("*") < text.count("*")
        ]
    return []


def _is_below(tree: Tree, node: int, label: str) -> bool:
    while node >= 0:
        if tree.labels[node] == label:
            return True
        node = int(tree.parent[node])
    return False


def placed(
    values: Sequence[Hashable],
    atoms: tuple[Hashable, ...],
    column: str,
    covers: Mapping[Hashable, Sequence[Hashable]] | Tree | None = None,
) -> Ints:
    """Return the finest published value of each raw one; the last entry answers for a missing one."""
    number = {atom: at for at, atom in enumerate(atoms)}
    below = {
        to_text(value): at
        for at, atom in enumerate(atoms)
        for value in _below(atom, values, covers or {})
        if isinstance(covers, Tree) or atom in (covers or {})
    }
    spans = None
    found = np.full(len(values) + 1, number.get(None, -1), np.int64)
    for at, value in enumerate(values):
        if value in number:
            found[at] = number[value]
            continue
        if to_text(value) in below:
            found[at] = below[to_text(value)]
            continue
        spans = spans or [_span(atom) for atom in atoms]
        inside = [
            code
            for code, span in enumerate(spans)
            if span is not None and isinstance(value, (int, float)) and span[0] <= value < span[1]
        ]
        masked = [
            code
            for code, atom in enumerate(atoms)
            if isinstance(atom, str) and atom.endswith("*") and to_text(value).startswith(atom.rstrip("*"))
        ]
        if not inside and not masked:
            raise BadRequest("has a value that no published label stands for", column=column)
        found[at] = (inside or masked)[0]
    return found


def place_of(atoms: tuple[Hashable, ...], value: Hashable, column: str) -> int:
    return int(placed([value], atoms, column)[0])
