"""What this room offers by name; written by tools/stubs.py."""

from sfumato.sequels.releases.counterfeited_table import CounterfeitedTable as CounterfeitedTable
from sfumato.sequels.releases.recoded_table import RecodedTable as RecodedTable
from sfumato.sequels.releases.recoded_table import labels_above as labels_above
from sfumato.sequels.releases.whole_series import WholeSeries as WholeSeries
