"""What this room offers by name; written by tools/stubs.py."""

from sfumato.parties.protocols.ppmashup import PPMashupBeyondK as PPMashupBeyondK
from sfumato.parties.protocols.ppmashup import PPMashupRational as PPMashupRational
from sfumato.parties.protocols.ppmashup import PPMashupSemiHonest as PPMashupSemiHonest
from sfumato.parties.protocols.ppmashup import Share as Share
from sfumato.parties.protocols.ppmashup import Turn as Turn
from sfumato.parties.protocols.qid_reachability import QidReachability as QidReachability
from sfumato.parties.protocols.qid_reachability import Reachability as Reachability
