"""What this room offers by name; written by tools/stubs.py."""

from sfumato.trajectories.recodings.mob_qid import MobQid as MobQid
from sfumato.trajectories.recodings.rfid_preprocessing import RFIDPreprocessing as RFIDPreprocessing
