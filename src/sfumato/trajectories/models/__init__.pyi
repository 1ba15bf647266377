"""What this room offers by name; written by tools/stubs.py."""

from sfumato.trajectories.models.approximate_differential_privacy import ApproximateDifferentialPrivacy as ApproximateDifferentialPrivacy
from sfumato.trajectories.models.k_delta_anonymity import KDeltaAnonymity as KDeltaAnonymity
from sfumato.trajectories.models.lkc_privacy import LKCPrivacy as LKCPrivacy
from sfumato.trajectories.models.minimum_count import MinimumCount as MinimumCount
from sfumato.trajectories.models.mob_k_anonymity import MobKAnonymity as MobKAnonymity
from sfumato.trajectories.models.mob_k_anonymity import MobLevels as MobLevels
from sfumato.trajectories.models.path_k_anonymity import PathKAnonymity as PathKAnonymity
