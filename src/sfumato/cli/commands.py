"""All commands; importing this file registers them, in the groups and the order in which help lists them."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

__all__ = ["COMMANDS", "GROUPS"]

GROUPS: Mapping[str, tuple[str, ...]] = {
    "Look": ("profile", "detect", "describe"),
    "Decide": ("workbench", "serve", "init", "explore", "compare", "schema", "text"),
    "Publish": (
        "anonymize",
        "apply",
        "release",
        "tabulate",
        "marginals",
        "perturb",
        "pseudonymize",
        "sign",
        "keygen",
        "ledger",
        "party",
        "ask",
    ),
    "Judge": ("verify", "check", "measure", "attack", "audit", "questions", "report", "check-results", "withhold"),
    "More": ("demo", "datasets", "reproduce", "queries", "utility"),
}

COMMANDS = tuple(name for group in GROUPS.values() for name in group)

for _name in COMMANDS:
    import_module(f"sfumato.cli.{_name.replace('-', '_')}")
