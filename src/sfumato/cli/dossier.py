"""``sfumato dossier``: what an expert signs about a release, as PDF."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.arguments import AsJson, Language, Quiet
from sfumato.cli.documents import show_json
from sfumato.cli.main import app
from sfumato.cli.texts import show
from sfumato.data.messages import ENGLISH

__all__ = ["dossier"]


@app.command()
def dossier(
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="A release folder, with its private part.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Where to write it: a file ending in .pdf or .html.")],
    answers: Annotated[Path | None, typer.Option("--answers", help="What sfumato advise --out wrote.")] = None,
    expert: Annotated[str | None, typer.Option("--expert", help="Who determines it; else a line to fill in.")] = None,
    valid_until: Annotated[
        str | None, typer.Option("--valid-until", help="The day from which on it must be looked at again: 2027-11-30.")
    ] = None,
    language: Language = ENGLISH,
    quiet: Quiet = False,
    json_form: AsJson = False,
) -> None:
    """Write the dossier of an expert's determination: answers, adversaries, figures before and after, limits, signature."""
    from sfumato.cli.progress import under_way
    from sfumato.verbs.dossier import dossier as written

    with under_way(quiet=quiet or json_form) as run:
        made = written(
            release, out, answers=answers, expert=expert, valid_until=valid_until, language=language, run=run
        )
    if json_form:
        show_json({"dossier": made})
    elif not quiet:
        show(f"wrote {made}; it holds figures of the table before masking and must stay with those who decide")
