"""What this room offers by name; written by tools/stubs.py."""

from sfumato.trajectories.algorithms.trajectory_anonymizer import Score as Score
from sfumato.trajectories.algorithms.trajectory_anonymizer import TrajectoryAnonymizer as TrajectoryAnonymizer
from sfumato.trajectories.algorithms.trajectory_anonymizer import Turn as Turn
