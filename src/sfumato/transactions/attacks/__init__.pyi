"""What this room offers by name; written by tools/stubs.py."""

from sfumato.transactions.attacks.absence_attack import AbsenceAttack as AbsenceAttack
from sfumato.transactions.attacks.absence_attack import Left as Left
from sfumato.transactions.attacks.minimal_moles import Mined as Mined
from sfumato.transactions.attacks.minimal_moles import MinimalMoles as MinimalMoles
from sfumato.transactions.attacks.token_hash_attack import Inverted as Inverted
from sfumato.transactions.attacks.token_hash_attack import TokenHashAttack as TokenHashAttack
from sfumato.transactions.attacks.token_hash_attack import assigned as assigned
from sfumato.transactions.attacks.token_hash_attack import inseparable as inseparable
from sfumato.transactions.attacks.token_hash_attack import token_frequencies as token_frequencies
from sfumato.transactions.attacks.transaction_linkage_attack import Linked as Linked
from sfumato.transactions.attacks.transaction_linkage_attack import TransactionLinkageAttack as TransactionLinkageAttack
