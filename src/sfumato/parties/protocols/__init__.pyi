"""What this room offers by name; written by tools/stubs.py."""

from sfumato.parties.protocols.commutative_encryption import Cipher as Cipher
from sfumato.parties.protocols.commutative_encryption import CommutativeEncryption as CommutativeEncryption
from sfumato.parties.protocols.commutative_encryption import Curve as Curve
from sfumato.parties.protocols.commutative_encryption import PohligHellman as PohligHellman
from sfumato.parties.protocols.minimal_information_sharing import Keyed as Keyed
from sfumato.parties.protocols.minimal_information_sharing import MinimalInformationSharing as MinimalInformationSharing
from sfumato.parties.protocols.minimal_information_sharing import Shared as Shared
from sfumato.parties.protocols.ppmashup import PPMashupBeyondK as PPMashupBeyondK
from sfumato.parties.protocols.ppmashup import PPMashupRational as PPMashupRational
from sfumato.parties.protocols.ppmashup import PPMashupSemiHonest as PPMashupSemiHonest
from sfumato.parties.protocols.ppmashup import Share as Share
from sfumato.parties.protocols.ppmashup import Turn as Turn
from sfumato.parties.protocols.qid_reachability import QidReachability as QidReachability
from sfumato.parties.protocols.qid_reachability import Reachability as Reachability
from sfumato.parties.protocols.secure_kth_element import SecureKthElement as SecureKthElement
from sfumato.parties.protocols.secure_max import SecureMax as SecureMax
from sfumato.parties.protocols.secure_max import exceeds as exceeds
from sfumato.parties.protocols.secure_max import one_encoding as one_encoding
from sfumato.parties.protocols.secure_max import zero_encoding as zero_encoding
from sfumato.parties.protocols.secure_sum import SecureSum as SecureSum
from sfumato.parties.protocols.secure_sum import mask as mask
from sfumato.parties.protocols.secure_sum import masked as masked
from sfumato.parties.protocols.secure_sum import ring_messages as ring_messages
from sfumato.parties.protocols.secure_sum import ring_sum as ring_sum
from sfumato.parties.protocols.secure_sum import shared_seed as shared_seed
from sfumato.parties.protocols.secure_sum import unmasked_sum as unmasked_sum
