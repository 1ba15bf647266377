"""``sfumato verify``: repeat the verification of a release from its public files alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.arguments import AsJson
from sfumato.cli.documents import show_json
from sfumato.cli.main import app
from sfumato.cli.texts import show
from sfumato.data.messages import say

__all__ = ["verify"]

# What stayed in texts: only who has the raw ones can count it.
_COUNTED = {
    "parts_of_masked_values_left": say("page.count.parts_of_masked_values_left"),
    "names_in_texts_of_others": say("page.count.names_in_texts_of_others"),
}


@app.command()
def verify(
    out: Annotated[Path, typer.Argument(help="A release folder, or its public part.")],
    engine: Annotated[str, typer.Option("--engine", help="polars, duckdb or spark.")] = "polars",
    external: Annotated[
        str | None,
        typer.Option("--external", help="A population table recoded like the release (sfumato apply does it)."),
    ] = None,
    public_key: Annotated[
        Path | None, typer.Option("--public-key", help="The certificate must be signed with this key.")
    ] = None,
    earlier: Annotated[
        list[Path] | None,
        typer.Option("--earlier", help="The public folder of an earlier release of the series; once for each."),
    ] = None,
    copy: Annotated[
        str | None,
        typer.Option(
            "--copy",
            help="The table exported once more, in any format and order, or a database; it must hold the same rows.",
        ),
    ] = None,
    copy_table: Annotated[
        str | None, typer.Option("--copy-table", help="The name of the table, where --copy is a database.")
    ] = None,
    json_form: AsJson = False,
) -> None:
    """Check a release as a stranger can: hashes, schema and every requirement from public files; any changed byte fails."""
    from sfumato.cli.progress import under_way
    from sfumato.reports.text import verdict_line
    from sfumato.verbs.verify import verify as verified

    with under_way(quiet=json_form) as run:
        result = verified(
            out,
            engine=engine,
            external=external,
            public_key=public_key,
            earlier=earlier or (),
            copy=copy,
            copy_table=copy_table,
            run=run,
        )
    if json_form:
        show_json(result.document())
        raise typer.Exit(0 if result else 1)
    for verdict in result.verdict:
        show(" ".join(verdict_line(verdict).split()))
    repeated = {entry.model: entry for entry in result.certificate.procedures}
    for entry in repeated.values():
        if entry.repeatable:
            show(f"promised: {entry.model}: {entry.measured:g}, needed {entry.needed}; {entry.checked}")
    for left in result.left:
        show(" ".join(f"{left.name}: not checked, {left.why}".split()))  # a name may hold anything
    if result.claims:
        show(f"claimed, not to be seen from the files: {', '.join(result.claims)}")
    statement = result.certificate.statement
    for text in () if statement is None else statement.not_checkable:
        show(f"nobody can see from the files: {text}")
    for name, told in _COUNTED.items():
        if result.certificate.counts is not None and result.certificate.counts.get(name):
            show(f"counted by the publisher: {told}: {result.certificate.counts[name]:,}")
    for name in result.uncovered:
        show(f"{name}: not covered by the certificate")
    files = result.certificate.release.files
    nothing = "what that takes is not here" if result.promised else "nothing is certified but the files"
    but = f", but for {len(result.left)} not checked" if result.left else ""
    done = f"verified{but}" if result.checked else f"nothing was checked, because {nothing}"
    if result.checked and result.open:
        done = f"not verified as a whole, because what it takes to check {', '.join(result.open)} is not here"
    show(f"{done}: " + ", ".join(f"{entry.rows:,} rows, {entry.file}" for entry in files))
    if copy is not None:
        show("the copy holds the same rows")
    seen = result.certificate.ledger
    if seen is not None:
        show(f"release {seen.release} of {seen.series}: ledger {seen.origin}, {seen.size} entries, head {seen.head}")
    if result.signature is not None:
        whose = "the given key" if result.signature.expected else "a key that you must know from elsewhere"
        show(f"signed with {whose}, fingerprint {result.signature.fingerprint}")
    raise typer.Exit(0 if result else 1)
