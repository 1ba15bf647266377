"""What this room offers by name; written by tools/stubs.py."""

from sfumato.trajectories.releases.flow_table import FlowTable as FlowTable
from sfumato.trajectories.releases.flow_table import flow_columns as flow_columns
from sfumato.trajectories.releases.flow_table import flow_table as flow_table
from sfumato.trajectories.releases.generalized_trajectories import GeneralizedTrajectories as GeneralizedTrajectories
from sfumato.trajectories.releases.locally_recoded_trajectories import LocallyRecodedTrajectories as LocallyRecodedTrajectories
from sfumato.trajectories.releases.moved_paths import MovedPaths as MovedPaths
from sfumato.trajectories.releases.noisy_flows import NoisyFlows as NoisyFlows
from sfumato.trajectories.releases.recoded_trajectories import RecodedTrajectories as RecodedTrajectories
from sfumato.trajectories.releases.region_paths import RegionPaths as RegionPaths
