"""What this room offers by name; written by tools/stubs.py."""

from sfumato.graphs.metrics.centrality_overlap import CentralityOverlap as CentralityOverlap
from sfumato.graphs.metrics.community_similarity import CommunitySimilarity as CommunitySimilarity
from sfumato.graphs.metrics.edge_edits import EdgeEdits as EdgeEdits
from sfumato.graphs.metrics.graph_utility_measures import GraphUtilityMeasures as GraphUtilityMeasures
from sfumato.graphs.metrics.nodes_alone import NodesAlone as NodesAlone
from sfumato.graphs.metrics.spectrum_shift import SpectrumShift as SpectrumShift
