"""What this room offers by name; written by tools/stubs.py."""

from sfumato.text.algorithms.erase_best_first import EraseBestFirst as EraseBestFirst
from sfumato.text.algorithms.erase_greedy import EraseGreedy as EraseGreedy
from sfumato.text.algorithms.erase_levelwise import EraseLevelwise as EraseLevelwise
from sfumato.text.algorithms.hide_framework import HideFramework as HideFramework
