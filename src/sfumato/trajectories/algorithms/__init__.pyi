"""What this room offers by name; written by tools/stubs.py."""

from sfumato.trajectories.algorithms.local_pair_suppression import LocalPairSuppression as LocalPairSuppression
from sfumato.trajectories.algorithms.path_suppression import PathSuppression as PathSuppression
from sfumato.trajectories.algorithms.trajectory_anonymizer import Score as Score
from sfumato.trajectories.algorithms.trajectory_anonymizer import TrajectoryAnonymizer as TrajectoryAnonymizer
from sfumato.trajectories.algorithms.trajectory_anonymizer import Turn as Turn
