"""What this room offers by name; written by tools/stubs.py."""

from sfumato.graphs.models.edge_differential_privacy import EdgeDifferentialPrivacy as EdgeDifferentialPrivacy
from sfumato.graphs.models.k_anonymity import NodeKAnonymity as NodeKAnonymity
from sfumato.graphs.models.k_automorphism import KAutomorphism as KAutomorphism
from sfumato.graphs.models.k_automorphism import Symmetry as Symmetry
from sfumato.graphs.models.k_candidate_anonymity import KCandidateAnonymity as KCandidateAnonymity
from sfumato.graphs.models.k_degree_anonymity import KDegreeAnonymity as KDegreeAnonymity
from sfumato.graphs.models.k_neighborhood_anonymity import KNeighborhoodAnonymity as KNeighborhoodAnonymity
