"""What this room offers by name; written by tools/stubs.py."""

from sfumato.transactions.metrics.item_loss import ItemLoss as ItemLoss
from sfumato.transactions.metrics.item_ncp import ItemNCP as ItemNCP
from sfumato.transactions.metrics.lost_frequent_itemsets import LostFrequentItemsets as LostFrequentItemsets
from sfumato.transactions.metrics.lost_items import LostItems as LostItems
from sfumato.transactions.metrics.reconstruction_error import Cell as Cell
from sfumato.transactions.metrics.reconstruction_error import ReconstructionError as ReconstructionError
from sfumato.transactions.metrics.value_exclusiveness import ValueExclusiveness as ValueExclusiveness
from sfumato.transactions.metrics.value_exclusiveness import generalized_counts as generalized_counts
from sfumato.transactions.metrics.value_exclusiveness import true_count as true_count
