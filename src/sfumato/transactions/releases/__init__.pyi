"""What this room offers by name; written by tools/stubs.py."""

from sfumato.transactions.releases.disassociated_baskets import DisassociatedBaskets as DisassociatedBaskets
from sfumato.transactions.releases.grouped_baskets import GroupedBaskets as GroupedBaskets
from sfumato.transactions.releases.locally_recoded_baskets import LocallyRecodedBaskets as LocallyRecodedBaskets
from sfumato.transactions.releases.noisy_queries import NoisyQueries as NoisyQueries
from sfumato.transactions.releases.recoded_baskets import RecodedBaskets as RecodedBaskets
