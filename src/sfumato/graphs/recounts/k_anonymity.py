"""k-anonymity of nodes, recounted: how many written nodes have the same quasi-identifiers."""

from __future__ import annotations

from sfumato.graphs.recounts._nodes import sized
from sfumato.recounts import Groups, Level

__all__ = ["level"]


def level(groups: Groups, *, k: int, tolerated: float = 0.0) -> Level:
    """Judge the nodes with the same values."""
    return sized(groups, k, tolerated, lambda nodes: nodes.label)
