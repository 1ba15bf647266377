"""The names of all commands, in the groups and the order in which help lists them, and what each does, before any is loaded.

Loading every command takes as long as many of them run. So a command line that names one loads that one, and the list of all
reads their first sentences from compiled files without running them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.abc import InspectLoader
from importlib.util import find_spec
from types import CodeType

__all__ = ["COMMANDS", "GROUPS", "HELP", "load", "load_for", "summary"]

GROUPS: Mapping[str, tuple[str, ...]] = {
    "Look": ("profile", "detect", "describe"),
    "Decide": ("workbench", "serve", "advise", "init", "explore", "compare", "schema", "text"),
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
    "Judge": (
        "verify",
        "check",
        "measure",
        "attack",
        "audit",
        "questions",
        "report",
        "dossier",
        "check-results",
        "withhold",
    ),
    "More": ("demo", "datasets", "reproduce", "queries", "utility"),
}

COMMANDS = tuple(name for group in GROUPS.values() for name in group)

HELP: Mapping[str, str] = {
    "ledger": "Remember what was published: make a ledger, add to it, read it, verify it against certificates.",
    "party": "Publish one table that several holders have together: each keeps its rows.",
    "serve": "Serve the verbs as a REST API: tokens with roles, jobs that survive a restart, loopback or TLS.",
    "text": (
        "Find what texts tell of persons: train a model, tag texts, correct what is doubtful, score against tags of people."
    ),
}
"""What commands with commands of their own do."""

_ALONE = ("--help", "--version")


def load(names: Sequence[str] = COMMANDS) -> None:
    """Register commands."""
    for name in names:
        import_module(_module(name))


def load_for(arguments: Sequence[str]) -> None:
    """Register the command that the arguments name; none for those that need none, and all in doubt."""
    named = [argument for argument in arguments if argument in COMMANDS][:1]
    completing = "_SFUMATO_COMPLETE" in os.environ
    if completing or not (named or all(argument in _ALONE for argument in arguments)):
        load()
    else:
        load(named)


def summary(name: str) -> str:
    """Return what a command says of itself, without loading it."""
    if name in HELP:
        return HELP[name]
    module = _module(name)
    spec = find_spec(module)
    loader = None if spec is None else spec.loader
    code = loader.get_code(module) if isinstance(loader, InspectLoader) else None
    own = module.rpartition(".")[2]
    functions = [one for one in (() if code is None else code.co_consts) if isinstance(one, CodeType)]
    return next((str(one.co_consts[0]) for one in functions if one.co_name == own), "")


def _module(name: str) -> str:
    return f"sfumato.cli.{name.replace('-', '_')}"
