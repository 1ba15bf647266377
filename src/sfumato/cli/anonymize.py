"""``sfumato anonymize``: from a raw table and a policy to a verified release folder."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from sfumato.cli.arguments import (
    AsJson,
    BudgetNames,
    Data,
    EngineName,
    ExcelSafe,
    IfThere,
    Language,
    LedgerPlace,
    Master,
    OutputFormat,
    PolicyFile,
    Quiet,
    ReleaseFolder,
    SeriesName,
    ToAddress,
    ToTable,
)
from sfumato.cli.documents import show_release
from sfumato.cli.files import refuse_place, refuse_release
from sfumato.cli.main import app, said
from sfumato.cli.sources import reads
from sfumato.cli.texts import show
from sfumato.data.messages import ENGLISH, refuse_unspoken
from sfumato.errors import BadRequest

if TYPE_CHECKING:
    from sfumato.policy import SharedPolicy

__all__ = ["anonymize", "publish_with_progress"]


@app.command()
@reads
def anonymize(
    data: Data,
    policy: PolicyFile,
    out: ReleaseFolder,
    engine: EngineName = None,
    master: Master = None,
    output_format: OutputFormat = None,
    external: Annotated[
        str | None, typer.Option("--external", help="A population table with the same quasi-identifiers, not recoded.")
    ] = None,
    on_interrupt: Annotated[
        Literal["ask", "keep", "discard"],
        typer.Option(
            help="What Ctrl-C does during an anytime search: publish the best valid state so far, or nothing."
        ),
    ] = "ask",
    thorough: Annotated[
        bool, typer.Option("--thorough", help="Also try attacks that take long, and predict the target, if any.")
    ] = False,
    language: Language = ENGLISH,
    excel_safe: ExcelSafe = False,
    if_exists: IfThere = "fail",
    ledger: LedgerPlace = None,
    series: SeriesName = None,
    budget: BudgetNames = None,
    to: ToAddress = None,
    to_table: ToTable = None,
    quiet: Quiet = False,
    json_form: AsJson = False,
) -> None:
    """Anonymize a table by a policy: verify what was written, leave OUT/public (may go) and OUT/private (must stay)."""
    publish_with_progress(
        data,
        policy,
        out,
        engine,
        output_format,
        on_interrupt,
        quiet,
        external,
        thorough,
        language,
        excel_safe,
        if_exists,
        ledger,
        series,
        json_form,
        budget,
        master,
        to,
        to_table,
    )


def publish_with_progress(
    data: str,
    policy: Path,
    out: Path,
    engine: str | None = None,
    output_format: str | None = None,
    on_interrupt: str = "discard",
    quiet: bool = False,
    external: str | None = None,
    thorough: bool = False,
    language: str = ENGLISH,
    excel_safe: bool = False,
    if_exists: IfThere = "fail",
    ledger: str | None = None,
    series: str | None = None,
    json_form: bool = False,
    budget: list[str] | None = None,
    master: str | None = None,
    to: str | None = None,
    to_table: str | None = None,
) -> None:
    """Run the whole thread with progress bars and print the report."""
    from sfumato.cli.progress import TerminalProgress
    from sfumato.contracts.algorithm import Outcome
    from sfumato.contracts.run import Run
    from sfumato.kernels.compiled import announce_compilation
    from sfumato.policy import SharedPolicy
    from sfumato.publishing.remembered import memory_of
    from sfumato.verbs.anonymize import anonymize as anonymized
    from sfumato.verbs.publish import publish

    refuse_release(out, if_exists, json_form=json_form)
    refuse_unspoken(language)
    refuse_place(to, to_table, if_exists)
    asked = SharedPolicy.load(policy)
    asked = asked.model_copy(update={"engine": _engine(asked, engine, master)})
    asked = _overridden(asked, ledger, series, budget)
    memory = memory_of(asked, ledger, series)
    if memory is not None:
        from sfumato.ledger.ledger import Ledger

        Ledger(str(memory[0])).close()  # what is wrong with it is said before long work
    announce_compilation()
    with TerminalProgress(quiet=quiet or json_form) as progress:

        def accept(outcome: Outcome) -> bool:
            progress.pause()
            done = outcome.facts.done()
            if on_interrupt == "ask" and sys.stdin.isatty():
                return typer.confirm(f"\nstopped after {done}; publish the valid state reached so far?", err=True)
            return on_interrupt == "keep"

        run = Run(progress=progress)
        release = anonymized(data, asked, external=external, run=run, accept_interrupted=accept)
        publish(
            release,
            out,
            format=output_format,
            separator=asked.source.separator,
            input_path=data,
            thorough=thorough,
            language=language,
            excel_safe=excel_safe,
            if_exists=if_exists,
            ledger=ledger,
            series=series,
            to=to,
            to_table=to_table,
            run=run,
        )
    if json_form:
        show_release(release, out)
    elif not quiet:
        from sfumato.publishing.certificate import FILE as CERTIFICATE
        from sfumato.publishing.certificate import open_certificate
        from sfumato.reports.kind_text import print_kind
        from sfumato.reports.text import print_release

        (print_release if release.kind == "recoded-table" else print_kind)(release, out, said())
        seen = open_certificate((out / "public" / CERTIFICATE).read_bytes()).ledger
        if seen is not None:
            show(f"recorded: release {seen.release} of {seen.series}, entry {seen.size} of the ledger")
        if seen is not None and seen.release > 1 and (memory is None or not memory[2]):
            show("note: it was not compared with the releases before it; the policy names no kind of series")
        for found in json.loads((out / "private" / "audit.json").read_bytes()).get("identifiers", ()):
            show(f"column {found['column']} looks like a direct identifier: {found['reason']}", err=True)


def _engine(asked: SharedPolicy, engine: str | None, master: str | None) -> dict[str, object] | str:
    """Return the engine of this run: that of the policy, or the one that was named, with its master."""
    chosen = engine if engine is not None else asked.engine
    spec = {"id": chosen} if isinstance(chosen, str) else chosen
    if master is not None and spec["id"] != "spark":
        raise BadRequest("is for the engine spark", parameter="--master", value=master)
    return chosen if master is None else {**spec, "master": master}


def _overridden(asked: SharedPolicy, ledger: str | None, series: str | None, budget: list[str] | None) -> SharedPolicy:
    """Return the policy with what was named instead of its own ledger, series and budget; a search may read them."""
    named = None if asked.series is None or series is None else asked.series.model_copy(update={"name": series})
    told = {"ledger": ledger, "series": named, "budget": tuple(budget) if budget else None}
    made = asked.model_copy(update={key: value for key, value in told.items() if value is not None})
    made.refuse_unneeded_budget()
    return made
