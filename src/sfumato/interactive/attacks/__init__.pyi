"""What this room offers by name; written by tools/stubs.py."""

from sfumato.interactive.attacks.averaging_attack import AveragingAttack as AveragingAttack
from sfumato.interactive.attacks.averaging_attack import AveragingDetails as AveragingDetails
from sfumato.interactive.attacks.count_reconstruction import CountReconstruction as CountReconstruction
from sfumato.interactive.attacks.count_reconstruction import CountReconstructionDetails as CountReconstructionDetails
from sfumato.interactive.attacks.interactive_query_attack import InteractiveQueryAttack as InteractiveQueryAttack
from sfumato.interactive.attacks.interactive_query_attack import InteractiveQueryDetails as InteractiveQueryDetails
