"""What this room offers by name; written by tools/stubs.py."""

from sfumato.graphs.attacks.degree_attack import DegreeAttack as DegreeAttack
from sfumato.graphs.attacks.link_recovery import Bribed as Bribed
from sfumato.graphs.attacks.link_recovery import LinkRecovery as LinkRecovery
from sfumato.graphs.attacks.link_recovery import LinksKnown as LinksKnown
from sfumato.graphs.attacks.structural_queries import StructuralQueries as StructuralQueries
