"""k-neighbourhood anonymity, recounted: written neighbourhoods are compared by trying to map one onto another."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from sfumato.graphs.recounts._nodes import Nodes, sized
from sfumato.recounts import Groups, Level, Text

__all__ = ["level"]

Inside = dict[Text, set[Text]]


def level(groups: Groups, *, k: int, tolerated: float = 0.0) -> Level:
    """Judge the nodes whose neighbours are linked with each other in the same way."""
    return sized(groups, k, tolerated, _classes)


def _classes(nodes: Nodes) -> Mapping[Text, Hashable]:
    near = {node: set(held) for node, held in nodes.near.items()}
    found: dict[Hashable, list[tuple[Text, Inside, dict[Text, Hashable]]]] = {}
    out: dict[Text, Hashable] = {}
    for node in nodes.near:
        inside = {other: near[other] & near[node] for other in near[node]}
        colour: dict[Text, Hashable] = {other: nodes.label[other] for other in inside}
        for _ in range(3):
            colour = {
                other: hash((colour[other], tuple(sorted(hash(colour[one]) for one in inside[other]))))
                for other in inside
            }
        key = (nodes.label[node], tuple(sorted(map(hash, colour.values()))))
        for first, other, shades in found.setdefault(key, []):
            if _maps(inside, colour, other, shades):
                out[node] = first
                break
        else:
            found[key].append((node, inside, colour))
            out[node] = node
    return out


def _maps(one: Inside, colour: dict[Text, Hashable], other: Inside, shades: dict[Text, Hashable]) -> bool:
    """Tell whether the nodes of one can be mapped onto those of the other so that links and colours are kept."""
    order = sorted(one, key=lambda node: (sum(shade == colour[node] for shade in colour.values()), str(node)))
    image: dict[Text, Text] = {}

    def onward(at: int) -> bool:
        if at == len(order):
            return True
        node = order[at]
        for place in other:
            if shades[place] != colour[node] or place in image.values():
                continue
            if all((before in one[node]) == (image[before] in other[place]) for before in image):
                image[node] = place
                if onward(at + 1):
                    return True
                del image[node]
        return False

    return len(one) == len(other) and onward(0)
