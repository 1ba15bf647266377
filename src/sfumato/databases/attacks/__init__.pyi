"""What this room offers by name; written by tools/stubs.py."""

from sfumato.databases.attacks.owner_linkage_attack import OwnerLinkageAttack as OwnerLinkageAttack
from sfumato.databases.attacks.owner_linkage_attack import OwnerLinkageDetails as OwnerLinkageDetails
