"""``sfumato report``: make the page of a release folder again, for inside or outside the house."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from sfumato.cli.arguments import AsJson, Language, Quiet
from sfumato.cli.documents import show_json
from sfumato.cli.main import app
from sfumato.cli.texts import show
from sfumato.data.messages import ENGLISH

__all__ = ["report"]


@app.command()
def report(
    releases: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="RELEASE",
            help="A release folder; for the public edition its public part is enough.",
            show_default=False,
        ),
    ] = None,
    series: Annotated[
        Path | None,
        typer.Option("--series", help="Make the page of a whole series: its folders, one after the other."),
    ] = None,
    desk: Annotated[
        Path | None,
        typer.Option("--desk", help="Make the page of a desk: its ledger; with its policy and, by --raw, its table."),
    ] = None,
    policy: Annotated[Path | None, typer.Option("--policy", "-p", help="The policy of the desk.")] = None,
    edition: Annotated[
        Literal["internal", "public"],
        typer.Option("--edition", help="internal must stay in the house; public is made from the public files alone."),
    ] = "internal",
    raw: Annotated[
        str | None,
        typer.Option("--raw", help="The table before masking: try every attack again, and measure predictions."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Where to write the page; its place in the folder if not given.")
    ] = None,
    pdf: Annotated[Path | None, typer.Option("--pdf", help="Also write the page as PDF to this file.")] = None,
    appendix: Annotated[
        bool, typer.Option("--appendix", help="Print what is folded on the page, too: each column, each attack.")
    ] = False,
    language: Language = ENGLISH,
    quiet: Quiet = False,
    json_form: AsJson = False,
) -> None:
    """Make the report of a release again: what was asked and done, who could be found, what it cost, how to repeat it."""
    from sfumato.cli.progress import under_way
    from sfumato.errors import BadRequest
    from sfumato.verbs.report import report as reported

    given = releases or []
    if desk is not None:
        if given or series is not None or edition != "internal" or pdf is not None:
            raise BadRequest("is reported alone, inside the house, as one page", parameter="--desk")
        _desk(desk, policy, raw, out, language)
        if json_form:
            show_json({"page": out, "pdf": None})
        elif not quiet:
            show(f"open: {out}")
        return
    if policy is not None:
        raise BadRequest("is for the page of a desk; a release has its own", parameter="--policy")
    if series is None and len(given) != 1:
        raise BadRequest("give one release, or the folders of a series after --series", parameter="RELEASE")
    release: Path | list[Path] = given[0] if series is None else [series, *given]

    with under_way(quiet=quiet or json_form, lasting=True, compiling=raw is not None) as run:
        written = reported(
            release, edition=edition, raw=raw, file=out, pdf=pdf, appendix=appendix, language=language, run=run
        )
    if json_form:
        show_json({"page": written, "pdf": pdf})
    elif not quiet:
        show(f"open: {written}")
        if pdf is not None:
            show(f"printed: {pdf}")


def _desk(ledger: Path, policy: Path | None, raw: str | None, out: Path | None, language: str) -> None:
    """Write the page of a desk: what was asked and answered, what is left of its budgets, what askers learn together."""
    from sfumato.cli.files import refuse_existing, write_text
    from sfumato.data.messages import refuse_unspoken
    from sfumato.errors import BadRequest
    from sfumato.interactive.desk import Desk
    from sfumato.reports.desk_page import desk_page

    if policy is None or raw is None or out is None:
        missing = [name for name, held in (("--policy", policy), ("--raw", raw), ("--out", out)) if held is None]
        raise BadRequest("is required for the page of a desk", parameter=missing[0])
    refuse_existing(out, "--out")
    refuse_unspoken(language)
    with Desk(raw, policy, ledger) as desk:
        write_text(out, desk_page(desk, language), "--out")
