"""What this room offers by name; written by tools/stubs.py."""

from sfumato.interactive.releases.desk_log import COLUMNS as COLUMNS
from sfumato.interactive.releases.desk_log import DeskLog as DeskLog
