"""What this room offers by name; written by tools/stubs.py."""

from sfumato.graphs.algorithms.naive_relabelling import NaiveRelabelling as NaiveRelabelling
from sfumato.graphs.algorithms.random_edge_perturbation import LinkPosterior as LinkPosterior
from sfumato.graphs.algorithms.random_edge_perturbation import RandomEdgePerturbation as RandomEdgePerturbation
from sfumato.graphs.algorithms.random_edge_perturbation import drawn_pairs as drawn_pairs
from sfumato.graphs.algorithms.supergraph_generation import SupergraphGeneration as SupergraphGeneration
from sfumato.graphs.algorithms.supernode_clustering import SupernodeClustering as SupernodeClustering
