"""Canonical codes of small labelled graphs: two have the same code iff an isomorphism keeps links and labels.

Colours are refined; where equal ones are left, each node of the smallest such set is told apart in turn and the smallest code
is taken. Nodes with the same neighbours are exchanged by an automorphism, so that one of them stands for all.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

__all__ = ["Undecided", "automorphisms", "canonical_code", "colours_of"]

Near = Sequence[frozenset[int]]


class Undecided(Exception):
    """More steps would be needed than are allowed."""


def colours_of(near: Near, labels: Sequence[Hashable]) -> list[int]:
    """Return colours that no further round of refinement splits; the same for graphs that are isomorphic."""
    order = {label: at for at, label in enumerate(sorted(set(labels), key=repr))}
    return _refined(near, [order[label] for label in labels])


def _refined(near: Near, colours: list[int]) -> list[int]:
    count = len(set(colours))
    while True:
        keys = [(colours[node], tuple(sorted(colours[other] for other in near[node]))) for node in range(len(near))]
        order = {key: at for at, key in enumerate(sorted(set(keys)))}
        colours = [order[key] for key in keys]
        if len(order) == count:
            return colours
        count = len(order)


def canonical_code(near: Near, labels: Sequence[Hashable], steps: int = 2000) -> tuple[object, ...]:
    """Return the code of a labelled graph; raises :class:`Undecided` if more branches than ``steps`` must be looked at."""
    left = [steps]
    names = tuple(sorted(map(repr, labels)))
    return names, _smallest(near, colours_of(near, labels), left)


def _smallest(near: Near, colours: list[int], left: list[int]) -> tuple[tuple[int, ...], ...]:
    left[0] -= 1
    if left[0] < 0:
        raise Undecided
    cells: dict[int, list[int]] = {}
    for node, colour in enumerate(colours):
        cells.setdefault(colour, []).append(node)
    wide = [(len(nodes), colour) for colour, nodes in cells.items() if len(nodes) > 1]
    if not wide:
        place = colours  # each its own
        code: list[tuple[int, ...]] = [()] * len(near)
        for node in range(len(near)):
            code[place[node]] = tuple(sorted(place[other] for other in near[node]))
        return tuple(code)
    cell = cells[min(wide)[1]]
    best: tuple[tuple[int, ...], ...] | None = None
    tried: set[frozenset[int]] = set()
    for node in cell:
        if near[node] in tried or near[node] | {node} in tried:
            continue  # a twin of one that was tried
        tried |= {near[node], near[node] | {node}}
        split = [2 * colour + 1 for colour in colours]
        split[node] -= 1
        order = {colour: at for at, colour in enumerate(sorted(set(split)))}
        found = _smallest(near, _refined(near, [order[colour] for colour in split]), left)
        best = found if best is None else min(best, found)
    assert best is not None
    return best


def automorphisms(near: Near, labels: Sequence[Hashable]) -> Iterator[tuple[int, ...]]:
    """Yield every mapping of the nodes to themselves that keeps links and labels, the identity first."""
    colours = colours_of(near, labels)
    image: list[int] = []
    used: set[int] = set()

    def onward() -> Iterator[tuple[int, ...]]:
        node = len(image)
        if node == len(near):
            yield tuple(image)
            return
        for other in range(len(near)):
            if other in used or colours[other] != colours[node]:
                continue
            if all((image[before] in near[other]) == (before in near[node]) for before in range(node)):
                image.append(other)
                used.add(other)
                yield from onward()
                used.discard(other)
                image.pop()

    yield from onward()
