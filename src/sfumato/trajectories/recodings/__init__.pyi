"""What this room offers by name; written by tools/stubs.py."""

from sfumato.trajectories.recodings.flow_counts import FlowCounts as FlowCounts
from sfumato.trajectories.recodings.flow_counts import Flows as Flows
from sfumato.trajectories.recodings.flow_counts import NoisyFlows as NoisyFlows
from sfumato.trajectories.recodings.mob_qid import MobQid as MobQid
from sfumato.trajectories.recodings.privacy_zones import HiddenZones as HiddenZones
from sfumato.trajectories.recodings.privacy_zones import PrivacyZones as PrivacyZones
from sfumato.trajectories.recodings.rfid_preprocessing import RFIDPreprocessing as RFIDPreprocessing
from sfumato.trajectories.recodings.stay_points import StayPoints as StayPoints
from sfumato.trajectories.recodings.stay_points import Stays as Stays
from sfumato.trajectories.recodings.trajectory_method_matrix import MethodRow as MethodRow
from sfumato.trajectories.recodings.trajectory_method_matrix import TrajectoryMethodMatrix as TrajectoryMethodMatrix
