"""What this room offers by name; written by tools/stubs.py."""

from sfumato.databases.releases.recoded_database import RecodedDatabase as RecodedDatabase
