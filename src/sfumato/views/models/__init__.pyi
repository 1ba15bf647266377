"""What this room offers by name; written by tools/stubs.py."""

from sfumato.views.models.fd_view_kanon_check import DependentCovers as DependentCovers
from sfumato.views.models.fd_view_kanon_check import FDViewKAnonymity as FDViewKAnonymity
from sfumato.views.models.fd_view_kanon_check import SafeBySwaps as SafeBySwaps
from sfumato.views.models.marginal_privacy_check import MarginalPrivacyCheck as MarginalPrivacyCheck
from sfumato.views.models.sp_view_kanon_check import CoverCheck as CoverCheck
from sfumato.views.models.sp_view_kanon_check import SPViewKAnonymity as SPViewKAnonymity
