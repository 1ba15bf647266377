"""All commands; importing this file registers them."""

from __future__ import annotations

from sfumato.cli.groups import COMMANDS, GROUPS, load

__all__ = ["COMMANDS", "GROUPS"]

load()
