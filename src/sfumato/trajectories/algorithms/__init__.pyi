"""What this room offers by name; written by tools/stubs.py."""

from sfumato.trajectories.algorithms.class_by_class import ClassByClass as ClassByClass
from sfumato.trajectories.algorithms.class_by_class import ClassFacts as ClassFacts
from sfumato.trajectories.algorithms.flow_count_release import FlowCountRelease as FlowCountRelease
from sfumato.trajectories.algorithms.flow_count_release import FlowFacts as FlowFacts
from sfumato.trajectories.algorithms.local_pair_suppression import LocalPairSuppression as LocalPairSuppression
from sfumato.trajectories.algorithms.mob_extreme_union import MobExtremeUnion as MobExtremeUnion
from sfumato.trajectories.algorithms.mob_symmetric import MobSymmetric as MobSymmetric
from sfumato.trajectories.algorithms.never_walk_alone import Clusters as Clusters
from sfumato.trajectories.algorithms.never_walk_alone import NeverWalkAlone as NeverWalkAlone
from sfumato.trajectories.algorithms.never_walk_alone import Spans as Spans
from sfumato.trajectories.algorithms.never_walk_alone import WalkFacts as WalkFacts
from sfumato.trajectories.algorithms.path_suppression import PathSuppression as PathSuppression
from sfumato.trajectories.algorithms.private_flow_release import PrivateFlowRelease as PrivateFlowRelease
from sfumato.trajectories.algorithms.trajectory_anonymizer import Score as Score
from sfumato.trajectories.algorithms.trajectory_anonymizer import TrajectoryAnonymizer as TrajectoryAnonymizer
from sfumato.trajectories.algorithms.trajectory_anonymizer import Turn as Turn
from sfumato.trajectories.algorithms.trajectory_generalization import GeneralizationFacts as GeneralizationFacts
from sfumato.trajectories.algorithms.trajectory_generalization import TrajectoryGeneralization as TrajectoryGeneralization
