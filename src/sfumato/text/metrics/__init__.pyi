"""What this room offers by name; written by tools/stubs.py."""

from sfumato.text.metrics.lost_words import LostWords as LostWords
