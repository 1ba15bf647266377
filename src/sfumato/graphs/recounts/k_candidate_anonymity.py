"""k-candidate anonymity, recounted: how many written nodes have the same structure around them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from sfumato.graphs.recounts._nodes import Nodes, sized
from sfumato.recounts import Groups, Level, Text

__all__ = ["level"]


def level(groups: Groups, *, k: int, rounds: int, use_labels: bool, tolerated: float = 0.0) -> Level:
    """Judge the nodes with the same values in every round; each value is written once and called by its number."""

    def values(nodes: Nodes) -> Mapping[Text, Hashable]:
        if rounds == 0:
            return nodes.label
        held: dict[Text, int] = {}
        for at in range(rounds):
            number: dict[Hashable, int] = {}
            found: dict[Text, int] = {}
            for node, near in nodes.near.items():
                around = len(near) if at == 0 else tuple(sorted(held[other] for other in near))
                value = (nodes.label[node], around) if use_labels else around
                found[node] = number.setdefault(value, len(number))
            split = len(number) > len(set(held.values()))
            held = found
            if not split:  # nor will any further round
                break
        return held

    return sized(groups, k, tolerated, values)
