"""A command line loads the command that it names; the list of all loads none and says the same."""

from __future__ import annotations

import subprocess
import sys

import pytest
import typer.main

from sfumato.cli import commands, main
from sfumato.cli.groups import COMMANDS, summary


def loaded_by(*arguments: str) -> set[str]:
    """Return what is loaded when a command line has ended."""
    code = (
        f"import sys; sys.argv = ['sfumato', *{list(arguments)!r}]\n"
        "from sfumato.cli.main import run\n"
        "try:\n    run()\nexcept SystemExit:\n    pass\n"
        "print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


def test_what_commands_say_of_themselves_is_read_without_loading_them() -> None:
    group = typer.main.get_command(main.app)
    assert isinstance(group, typer.core.TyperGroup)
    assert set(group.commands) == set(COMMANDS) == set(commands.COMMANDS)
    for name, command in group.commands.items():
        assert command.help, name
        assert " ".join(summary(name).split()) == " ".join(command.help.split()), name


@pytest.mark.parametrize("arguments", [(), ("--help",), ("--version",)])
def test_the_list_of_all_loads_none(arguments: tuple[str, ...]) -> None:
    loaded = loaded_by(*arguments)
    assert "sfumato.cli.groups" in loaded
    assert not loaded & {"numpy", "pydantic", "sfumato.cli.anonymize", "sfumato.cli.describe"}


def test_a_command_is_loaded_alone() -> None:
    loaded = loaded_by("--log-format", "json", "verify", "--help")
    assert "sfumato.cli.verify" in loaded
    assert not loaded & {"sfumato.cli.anonymize", "sfumato.cli.describe"}


def test_a_name_that_is_none_is_compared_with_all() -> None:
    assert {"sfumato.cli.anonymize", "sfumato.cli.describe"} <= loaded_by("anonymise")
