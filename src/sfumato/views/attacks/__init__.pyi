"""What this room offers by name; written by tools/stubs.py."""

from sfumato.views.attacks.version_collusion_attack import VersionCollusionAttack as VersionCollusionAttack
from sfumato.views.attacks.version_collusion_attack import VersionCollusionDetails as VersionCollusionDetails
from sfumato.views.attacks.view_cover_attack import ViewCoverAttack as ViewCoverAttack
from sfumato.views.attacks.view_cover_attack import ViewCoverDetails as ViewCoverDetails
from sfumato.views.attacks.view_join_attack import ViewJoinAttack as ViewJoinAttack
from sfumato.views.attacks.view_join_attack import ViewJoinDetails as ViewJoinDetails
