"""What this room offers by name; written by tools/stubs.py."""

from sfumato.trajectories.attacks.home_work_attack import HomeWorkAttack as HomeWorkAttack
from sfumato.trajectories.attacks.location_attack import LocationAttack as LocationAttack
from sfumato.trajectories.attacks.location_frequency_attack import LocationFrequencyAttack as LocationFrequencyAttack
from sfumato.trajectories.attacks.location_probability_attack import LocationProbabilityAttack as LocationProbabilityAttack
from sfumato.trajectories.attacks.location_proportion_attack import LocationProportionAttack as LocationProportionAttack
from sfumato.trajectories.attacks.location_sequence_attack import LocationSequenceAttack as LocationSequenceAttack
from sfumato.trajectories.attacks.location_time_attack import LocationTimeAttack as LocationTimeAttack
from sfumato.trajectories.attacks.mob_attack_graph import AttackedRegions as AttackedRegions
from sfumato.trajectories.attacks.mob_attack_graph import MobAttackGraph as MobAttackGraph
from sfumato.trajectories.attacks.mvs_generator import Generated as Generated
from sfumato.trajectories.attacks.mvs_generator import MVSGenerator as MVSGenerator
from sfumato.trajectories.attacks.mvs_generator import MVSLevel as MVSLevel
from sfumato.trajectories.attacks.trajectory_linkage_attack import Linked as Linked
from sfumato.trajectories.attacks.trajectory_linkage_attack import TrajectoryLinkageAttack as TrajectoryLinkageAttack
from sfumato.trajectories.attacks.unicity_curve import UnicityCurve as UnicityCurve
from sfumato.trajectories.attacks.unicity_curve import UnicityPoint as UnicityPoint
from sfumato.trajectories.attacks.unicity_curve import UnicityShares as UnicityShares
from sfumato.trajectories.attacks.unique_location_attack import UniqueLocationAttack as UniqueLocationAttack
