"""What this room offers by name; written by tools/stubs.py."""

from sfumato.trajectories.attacks.mob_attack_graph import AttackedRegions as AttackedRegions
from sfumato.trajectories.attacks.mob_attack_graph import MobAttackGraph as MobAttackGraph
from sfumato.trajectories.attacks.mvs_generator import Generated as Generated
from sfumato.trajectories.attacks.mvs_generator import MVSGenerator as MVSGenerator
from sfumato.trajectories.attacks.mvs_generator import MVSLevel as MVSLevel
from sfumato.trajectories.attacks.trajectory_linkage_attack import Linked as Linked
from sfumato.trajectories.attacks.trajectory_linkage_attack import TrajectoryLinkageAttack as TrajectoryLinkageAttack
