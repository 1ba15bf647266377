"""What this room offers by name; written by tools/stubs.py."""

from sfumato.text.models.hide_deidentification_models import HideDeidentification as HideDeidentification
from sfumato.text.models.k_safety import KSafety as KSafety
