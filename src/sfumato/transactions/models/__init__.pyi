"""What this room offers by name; written by tools/stubs.py."""

from sfumato.transactions.models.approximate_differential_privacy import ApproximateDifferentialPrivacy as ApproximateDifferentialPrivacy
from sfumato.transactions.models.hkp_coherence import HKPCoherence as HKPCoherence
from sfumato.transactions.models.km_anonymity import KMAnonymity as KMAnonymity
from sfumato.transactions.models.lkc_privacy import LKCPrivacy as LKCPrivacy
from sfumato.transactions.models.privacy_degree import PrivacyDegree as PrivacyDegree
from sfumato.transactions.models.rho1_to_rho2 import Rho1ToRho2 as Rho1ToRho2
from sfumato.transactions.models.rho1_to_rho2 import amplification as amplification
from sfumato.transactions.models.rho1_to_rho2 import posterior as posterior
from sfumato.transactions.models.transactional_k_anonymity import TransactionalKAnonymity as TransactionalKAnonymity
