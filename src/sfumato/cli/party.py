"""``sfumato party``: several holders, one release."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.arguments import AsJson, ExcelSafe, IfThere, Language, OutputFormat, Quiet, ReleaseFolder
from sfumato.cli.documents import show_release
from sfumato.cli.files import refuse_release
from sfumato.cli.main import app, said
from sfumato.cli.texts import show
from sfumato.data.messages import ENGLISH, refuse_unspoken
from sfumato.errors import BadRequest

if TYPE_CHECKING:
    from sfumato.contracts.published import Release
    from sfumato.parties.contract import Contract

__all__ = ["party"]

party = typer.Typer(
    name="party",
    help="Publish one table that several holders have together: each keeps its rows.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(party)


@party.command()
def simulate(
    files: Annotated[
        list[str],
        typer.Argument(help="The table of each holder, in the order of the contract; or HOLDER=FILE in any order."),
    ],
    contract: Annotated[
        Path, typer.Option("--contract", "-p", help="The contract between the holders (YAML or JSON).")
    ],
    out: ReleaseFolder,
    output_format: OutputFormat = None,
    language: Language = ENGLISH,
    excel_safe: ExcelSafe = False,
    if_exists: IfThere = "fail",
    quiet: Quiet = False,
    json_form: AsJson = False,
) -> None:
    """Run all holders of a contract in this process: a verified release, and what each role learnt on the way."""
    from sfumato.cli.progress import TerminalProgress
    from sfumato.contracts.run import Run
    from sfumato.kernels.compiled import announce_compilation
    from sfumato.parties.contract import Contract
    from sfumato.parties.simulation import simulate as simulated
    from sfumato.reports.text import print_release
    from sfumato.verbs.publish import publish

    refuse_release(out, if_exists, json_form=json_form)
    refuse_unspoken(language)
    asked = Contract.load(contract)
    sources = _by_holder(asked, files)
    announce_compilation()
    with TerminalProgress(quiet=quiet or json_form) as progress:
        run = Run(progress=progress)
        release = simulated(asked, sources, run=run)
        publish(
            release,
            out,
            format=output_format,
            separator=asked.source.separator,
            language=language,
            excel_safe=excel_safe,
            if_exists=if_exists,
            run=run,
        )
    if json_form:
        show_release(release, out)
    elif not quiet:
        print_release(release, out, said())
        _show_ledger(release)


def _by_holder(contract: Contract, files: list[str]) -> dict[str, object]:
    """Return the file of each holder: named, or in the order of the contract."""
    names = list(contract.holders)
    named = [file.partition("=") for file in files]
    if all(equals and holder in names for holder, equals, _ in named):
        found = {holder: file for holder, _, file in named}
        if len(found) != len(files):
            raise BadRequest("is given twice", parameter="FILES", available=names)
    else:
        found = dict(zip(names, files, strict=False)) if len(files) == len(names) else {}
    if set(found) != set(names):
        raise BadRequest(
            "must be one for each holder, in the order of the contract or as HOLDER=FILE",
            parameter="FILES",
            value=files,
            available=names,
        )
    return {name: found[name] for name in names}


def _show_ledger(release: Release) -> None:
    """Print what each role learnt."""
    from sfumato.releases.joint_table import JointTable

    if isinstance(release.form, JointTable):
        show("what each role learnt beyond its own input:")
        for sentence in release.form.learnt:
            show(f"- {sentence}")
