"""What this room offers by name; written by tools/stubs.py."""

from sfumato.trajectories.metrics.distance_distortion import DistanceDistortion as DistanceDistortion
from sfumato.trajectories.metrics.distinct_places import DistinctPlaces as DistinctPlaces
from sfumato.trajectories.metrics.flow_divergence import FlowDivergence as FlowDivergence
from sfumato.trajectories.metrics.lost_points import LostPoints as LostPoints
from sfumato.trajectories.metrics.maximal_frequent_sequences import MaximalFrequentSequences as MaximalFrequentSequences
from sfumato.trajectories.metrics.mob_information_loss import MaskedByRegions as MaskedByRegions
from sfumato.trajectories.metrics.mob_information_loss import MobInformationLoss as MobInformationLoss
from sfumato.trajectories.metrics.origin_destination_divergence import OriginDestinationDivergence as OriginDestinationDivergence
from sfumato.trajectories.metrics.pairs_kept import PairsKept as PairsKept
from sfumato.trajectories.metrics.radius_of_gyration import RadiusOfGyration as RadiusOfGyration
from sfumato.trajectories.metrics.range_query_error import RangeQueryError as RangeQueryError
from sfumato.trajectories.metrics.trip_duration import TripDuration as TripDuration
from sfumato.trajectories.metrics.trip_length import TripLength as TripLength
from sfumato.trajectories.metrics.visit_entropy import VisitEntropy as VisitEntropy
from sfumato.trajectories.metrics.visits_by_cell_and_hour import VisitsByCellAndHour as VisitsByCellAndHour
