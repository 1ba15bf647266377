"""k-degree anonymity, recounted: how many written nodes have as many links."""

from __future__ import annotations

from sfumato.graphs.recounts._nodes import sized
from sfumato.recounts import Groups, Level

__all__ = ["level"]


def level(groups: Groups, *, k: int, tolerated: float = 0.0) -> Level:
    """Judge the nodes of each degree."""
    return sized(groups, k, tolerated, lambda nodes: {node: len(near) for node, near in nodes.near.items()})
