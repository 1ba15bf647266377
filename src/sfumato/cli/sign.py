"""``sfumato sign``: put a name under a certificate."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.arguments import AsJson
from sfumato.cli.documents import show_json
from sfumato.cli.keygen import Locked, passphrase_of
from sfumato.cli.main import app
from sfumato.cli.texts import show

__all__ = ["sign"]


@app.command()
def sign(
    out: Annotated[Path, typer.Argument(help="A release folder, or its public part.")],
    key: Annotated[Path, typer.Option("--key", "-k", help="Your private key, as 'sfumato keygen' wrote it.")],
    passphrase: Locked = False,
    json_form: AsJson = False,
) -> None:
    """Verify a release and sign its certificate; the signature is a new file beside it."""
    from sfumato.cli.progress import under_way
    from sfumato.verbs.sign import sign as signed

    unlocked = passphrase_of(passphrase)
    with under_way(quiet=json_form) as run:
        written = signed(out, key, passphrase=unlocked, run=run)
    if json_form:
        show_json({"signed": written})
    else:
        show(f"signed: {written}")
