"""All commands; importing this file registers them, in the order in which help lists them."""

from __future__ import annotations

from importlib import import_module

COMMANDS = (
    "profile",
    "detect",
    "init",
    "anonymize",
    "explore",
    "verify",
    "keygen",
    "sign",
    "check",
    "measure",
    "attack",
    "questions",
    "audit",
    "report",
    "apply",
    "release",
    "tabulate",
    "perturb",
    "pseudonymize",
    "describe",
    "schema",
    "demo",
    "datasets",
    "reproduce",
    "queries",
    "utility",
)

for _name in COMMANDS:
    import_module(f"sfumato.cli.{_name}")
