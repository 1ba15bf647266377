"""What this room offers by name; written by tools/stubs.py."""

from sfumato.hierarchies.dates import Dates as Dates
from sfumato.hierarchies.declared import DeclaredTree as DeclaredTree
from sfumato.hierarchies.declared import type_of as type_of
from sfumato.hierarchies.demographic_counts import DemographicCounts as DemographicCounts
from sfumato.hierarchies.frequency import Frequency as Frequency
from sfumato.hierarchies.intervals import Intervals as Intervals
from sfumato.hierarchies.ordered import Ordered as Ordered
from sfumato.hierarchies.proposals import propose as propose
from sfumato.hierarchies.redaction import Redaction as Redaction
from sfumato.hierarchies.taxonomy import Taxonomy as Taxonomy
from sfumato.hierarchies.taxonomy import level_rows as level_rows
