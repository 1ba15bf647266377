"""``sfumato keygen``: a pair of keys to sign certificates with."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.arguments import AsJson
from sfumato.cli.documents import show_json
from sfumato.cli.main import app
from sfumato.cli.texts import show

__all__ = ["Locked", "keygen", "passphrase_of"]

VARIABLE = "SFUMATO_KEY_PASSPHRASE"
Locked = Annotated[
    bool, typer.Option("--passphrase", help=f"Lock or unlock the key; read from {VARIABLE} or asked for.")
]


@app.command()
def keygen(
    key: Annotated[Path, typer.Argument(help="The new private key file; KEY.pub is written beside it.")],
    passphrase: Locked = False,
    json_form: AsJson = False,
) -> None:
    """Make a new Ed25519 key pair. KEY must stay with you; KEY.pub is for whoever wants to verify your releases."""
    from sfumato.publishing.signature import new_key

    print_ = new_key(key, passphrase_of(passphrase, confirm=True))
    if json_form:
        show_json({"private": key, "public": f"{key}.pub", "fingerprint": print_})
        return
    show(f"wrote {key} (keep it) and {key}.pub (give it away)")
    show(f"fingerprint {print_}")


def passphrase_of(wanted: bool, *, confirm: bool = False) -> str | None:
    """Return the passphrase from the environment or the terminal, if one is wanted."""
    if not wanted:
        return None
    held = os.environ.get(VARIABLE)
    return held if held else typer.prompt("passphrase", hide_input=True, confirmation_prompt=confirm, err=True)
