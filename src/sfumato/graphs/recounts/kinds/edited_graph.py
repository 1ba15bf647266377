"""Edited graph, recounted: the links of each written node."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from sfumato.errors import BadRequest
from sfumato.recounts import Counted, Part, Text

__all__ = ["counted"]


def counted(parts: Mapping[str, Part], labels: Collection[str], copies: bool) -> Counted:
    """Take the nodes by number, place among copies and labels, and for each the nodes that it is linked with."""
    columns = ["node", *(("row", "copy") if copies else ()), *labels]
    nodes: dict[Text, tuple[Text, ...]] = {}
    for texts, count in parts["nodes"].counts(columns).items():
        if count > 1 or texts[0] in nodes:
            raise BadRequest("a node is listed twice", parameter="nodes")
        nodes[texts[0]] = texts[:1] + (texts[1:3] if copies else (None, None)) + texts[3 if copies else 1 :]
    near: dict[Text, list[str]] = {node: [] for node in nodes}
    for (one, other), count in parts["edges"].counts(["from", "to"]).items():
        if one not in near or other not in near or one is None or other is None or one == other or count > 1:
            raise BadRequest("a link is that of a node that is not listed, or is there twice", parameter="edges")
        near[one].append(other)
        near[other].append(one)
    if any(len(set(held)) < len(held) for held in near.values()):
        raise BadRequest("a link is there twice", parameter="edges")
    return Counted({nodes[node]: {tuple(sorted(held)): 1} for node, held in near.items()})
