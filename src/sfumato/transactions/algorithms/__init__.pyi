"""What this room offers by name; written by tools/stubs.py."""

from sfumato.transactions.algorithms.apriori_anonymization import AprioriAnonymization as AprioriAnonymization
from sfumato.transactions.algorithms.association_rule_hiding import AssociationRuleHiding as AssociationRuleHiding
from sfumato.transactions.algorithms.association_rule_hiding import HiddenRules as HiddenRules
from sfumato.transactions.algorithms.association_rule_hiding import RuleFigures as RuleFigures
from sfumato.transactions.algorithms.association_rule_hiding import rule_figures as rule_figures
from sfumato.transactions.algorithms.cahd import Cahd as Cahd
from sfumato.transactions.algorithms.cahd import CahdFacts as CahdFacts
from sfumato.transactions.algorithms.cahd import CahdGroups as CahdGroups
from sfumato.transactions.algorithms.class_by_class import ClassByClass as ClassByClass
from sfumato.transactions.algorithms.class_by_class import ClassFacts as ClassFacts
from sfumato.transactions.algorithms.direct_anonymization import DirectAnonymization as DirectAnonymization
from sfumato.transactions.algorithms.disassociation import Disassociation as Disassociation
from sfumato.transactions.algorithms.disassociation import DisassociationFacts as DisassociationFacts
from sfumato.transactions.algorithms.item_suppression import ItemSuppression as ItemSuppression
from sfumato.transactions.algorithms.mole_suppression import MoleSuppression as MoleSuppression
from sfumato.transactions.algorithms.nugget_suppression import NuggetSuppression as NuggetSuppression
from sfumato.transactions.algorithms.optimal_anonymization import OptimalAnonymization as OptimalAnonymization
from sfumato.transactions.algorithms.optimal_cohesion import OptimalCohesion as OptimalCohesion
from sfumato.transactions.algorithms.private_query_release import Charge as Charge
from sfumato.transactions.algorithms.private_query_release import PrivateQueryRelease as PrivateQueryRelease
from sfumato.transactions.algorithms.top_down_partitioning import TopDownPartitioning as TopDownPartitioning
