"""Networks of people: who is linked with whom, published so that structure alone finds nobody."""

from __future__ import annotations

from sfumato.graphs.graph import Graph

__all__ = ["Graph"]
