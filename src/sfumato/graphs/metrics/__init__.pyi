"""What this room offers by name; written by tools/stubs.py."""

from sfumato.graphs.metrics.edge_edits import EdgeEdits as EdgeEdits
from sfumato.graphs.metrics.graph_utility_measures import GraphUtilityMeasures as GraphUtilityMeasures
