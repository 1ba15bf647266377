"""What this room offers by name; written by tools/stubs.py."""

from sfumato.text.recodings.date_shift import DateShift as DateShift
from sfumato.text.recodings.hipaa_safe_harbor import HipaaSafeHarbor as HipaaSafeHarbor
from sfumato.text.recodings.surrogates import LIKE as LIKE
from sfumato.text.recodings.surrogates import Surrogates as Surrogates
from sfumato.text.recodings.surrogates import identities as identities
