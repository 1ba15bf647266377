"""What this room offers by name; written by tools/stubs.py."""

