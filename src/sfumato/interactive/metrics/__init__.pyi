"""What this room offers by name; written by tools/stubs.py."""

from sfumato.interactive.metrics.mining_result_privacy_loss import MinedResult as MinedResult
from sfumato.interactive.metrics.mining_result_privacy_loss import MiningResultPrivacyLoss as MiningResultPrivacyLoss
