"""What this room offers by name; written by tools/stubs.py."""

from sfumato.trajectories.metrics.lost_points import LostPoints as LostPoints
from sfumato.trajectories.metrics.maximal_frequent_sequences import MaximalFrequentSequences as MaximalFrequentSequences
from sfumato.trajectories.metrics.mob_information_loss import MaskedByRegions as MaskedByRegions
from sfumato.trajectories.metrics.mob_information_loss import MobInformationLoss as MobInformationLoss
