"""k-automorphism, recounted: whether shifting the written nodes by one copy keeps every link."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from sfumato.errors import BadRequest
from sfumato.graphs.recounts._nodes import Nodes, sized
from sfumato.recounts import Groups, Level, Text

__all__ = ["level"]


def level(groups: Groups, *, k: int, tolerated: float = 0.0) -> Level:
    """Judge the rows of nodes that correspond to each other; refuse places that are no such rows."""
    return sized(groups, k, tolerated, _rows)


def _rows(nodes: Nodes) -> Mapping[Text, Hashable]:
    at = {place: node for node, place in nodes.place.items()}
    if any(None in place for place in at) or len(at) < len(nodes.place):
        return {node: 0 if len(nodes.near) == 1 else node for node in nodes.near}  # nothing is told: everybody is alone
    columns = sorted({column for _, column in at}, key=lambda text: int(str(text)))
    after = dict(zip(columns, [*columns[1:], columns[0]], strict=True))
    if len(at) != len({row for row, _ in at}) * len(columns):
        raise BadRequest("rows of copies have gaps", parameter="nodes")
    image = {node: at[row, after[column]] for node, (row, column) in nodes.place.items()}
    for node, near in nodes.near.items():
        if (
            set(nodes.near[image[node]]) != {image[other] for other in near}
            or nodes.label[node] != nodes.label[image[node]]
        ):
            raise BadRequest("shifting the copies changes links or labels", parameter="nodes")
    return {node: row for node, (row, _) in nodes.place.items()}
