"""What this room offers by name; written by tools/stubs.py."""

from sfumato.trajectories.models.lkc_privacy import LKCPrivacy as LKCPrivacy
from sfumato.trajectories.models.path_k_anonymity import PathKAnonymity as PathKAnonymity
