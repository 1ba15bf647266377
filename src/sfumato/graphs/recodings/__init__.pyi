"""What this room offers by name; written by tools/stubs.py."""

from sfumato.graphs.recodings.degree_sequence_dp import DegreeSequenceDP as DegreeSequenceDP
from sfumato.graphs.recodings.graph_data_model import GraphDataModel as GraphDataModel
from sfumato.graphs.recodings.interactive_graph_queries import GraphAnswer as GraphAnswer
from sfumato.graphs.recodings.interactive_graph_queries import GraphSession as GraphSession
from sfumato.graphs.recodings.interactive_graph_queries import InteractiveGraphQueries as InteractiveGraphQueries
