"""What this room offers by name; written by tools/stubs.py."""

from sfumato.graphs.attacks.active_attack import ActiveAttack as ActiveAttack
from sfumato.graphs.attacks.active_attack import PlantedFound as PlantedFound
from sfumato.graphs.attacks.anonymity_cascade import AnonymityCascade as AnonymityCascade
from sfumato.graphs.attacks.anonymity_cascade import Cascade as Cascade
from sfumato.graphs.attacks.degree_attack import DegreeAttack as DegreeAttack
from sfumato.graphs.attacks.graph_attribute_disclosure import AttributeDisclosed as AttributeDisclosed
from sfumato.graphs.attacks.graph_attribute_disclosure import Diversity as Diversity
from sfumato.graphs.attacks.graph_attribute_disclosure import GraphAttributeDisclosure as GraphAttributeDisclosure
from sfumato.graphs.attacks.hub_fingerprint import HubFingerprint as HubFingerprint
from sfumato.graphs.attacks.link_recovery import Bribed as Bribed
from sfumato.graphs.attacks.link_recovery import LinkRecovery as LinkRecovery
from sfumato.graphs.attacks.link_recovery import LinksKnown as LinksKnown
from sfumato.graphs.attacks.neighborhood_attack import NeighborhoodAttack as NeighborhoodAttack
from sfumato.graphs.attacks.neighborhood_counts import NeighborhoodCounts as NeighborhoodCounts
from sfumato.graphs.attacks.passive_collusion_attack import Colluding as Colluding
from sfumato.graphs.attacks.passive_collusion_attack import PassiveCollusionAttack as PassiveCollusionAttack
from sfumato.graphs.attacks.percolation_matching import Matched as Matched
from sfumato.graphs.attacks.percolation_matching import PercolationMatching as PercolationMatching
from sfumato.graphs.attacks.structural_queries import StructuralQueries as StructuralQueries
from sfumato.graphs.attacks.subgraph_knowledge import Found as Found
from sfumato.graphs.attacks.subgraph_knowledge import SubgraphKnowledge as SubgraphKnowledge
from sfumato.graphs.attacks.vertex_refinement import VertexRefinement as VertexRefinement
