"""What this room offers by name; written by tools/stubs.py."""

from sfumato.transactions.recodings.band_matrix import Band as Band
from sfumato.transactions.recodings.band_matrix import BandMatrix as BandMatrix
from sfumato.transactions.recodings.band_matrix import BandOrder as BandOrder
from sfumato.transactions.recodings.band_matrix import bandwidth as bandwidth
from sfumato.transactions.recodings.global_item_generalization import GlobalItemGeneralization as GlobalItemGeneralization
from sfumato.transactions.recodings.query_log_as_transactions import LoadedLog as LoadedLog
from sfumato.transactions.recodings.query_log_as_transactions import QueryLogAsTransactions as QueryLogAsTransactions
from sfumato.transactions.recodings.query_secret_sharing import PRIME as PRIME
from sfumato.transactions.recodings.query_secret_sharing import QuerySecretSharing as QuerySecretSharing
from sfumato.transactions.recodings.query_secret_sharing import ShareEntry as ShareEntry
from sfumato.transactions.recodings.query_secret_sharing import SharedLog as SharedLog
from sfumato.transactions.recodings.split_personality import SplitLog as SplitLog
from sfumato.transactions.recodings.split_personality import SplitPersonality as SplitPersonality
from sfumato.transactions.recodings.token_hashing import HashedQueries as HashedQueries
from sfumato.transactions.recodings.token_hashing import TokenHashing as TokenHashing
