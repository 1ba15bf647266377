"""``sfumato ledger``: what has left the house, kept in one file that only grows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.arguments import AsJson, LedgerFile, LedgerKey
from sfumato.cli.budget import budget
from sfumato.cli.documents import show_json
from sfumato.cli.files import refuse_existing, write_text
from sfumato.cli.groups import HELP
from sfumato.cli.main import app
from sfumato.cli.texts import show

if TYPE_CHECKING:
    from sfumato.ledger.entry import Entry
    from sfumato.ledger.verification import Witness

__all__ = ["ledger"]

ledger = typer.Typer(
    name="ledger",
    help=HELP["ledger"],
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(ledger)
ledger.add_typer(budget)

Series = Annotated[str | None, typer.Option("--series", help="Only this series.")]


@ledger.command()
def init(
    place: LedgerFile,
    key: LedgerKey = None,
    signature: Annotated[
        str | None, typer.Option("--signature", help="ed25519 (the default with sfumato[sign]) or hmac-sha256.")
    ] = None,
    json_form: AsJson = False,
) -> None:
    """Make a new ledger and, if there is none yet, its key; keep that where you keep passwords."""
    from sfumato.ledger.ledger import Ledger

    with Ledger.create(place, key=key, signature=signature) as made:
        origin = made.origin
    if json_form:
        show_json({"origin": origin})
    else:
        show(f"ledger {origin}: keep its key, nobody can go on without it")


@ledger.command()
def add(
    place: LedgerFile,
    out: Annotated[Path, typer.Argument(help="A release folder that was published without this ledger.")],
    series: Annotated[str, typer.Option("--series", help="The series that the release is one of.")],
    key: LedgerKey = None,
    json_form: AsJson = False,
) -> None:
    """Verify a release folder and record it as the next release of a series."""
    from sfumato.cli.progress import under_way
    from sfumato.errors import BadRequest
    from sfumato.ledger.ledger import Ledger
    from sfumato.verbs.verify import verify

    with Ledger(place, key=key) as opened:
        with under_way(quiet=json_form) as run:
            if not verify(out, run=run):
                raise BadRequest("does not hold what it certifies", parameter="release", value=str(out))
        entry = opened.add(out, series).document()
    if json_form:
        show_json(entry)
    else:
        show(f"recorded: release {entry['release']} of {series}, entry {entry['number']} of the ledger")


@ledger.command(name="list")
def list_(place: LedgerFile, series: Series = None, key: LedgerKey = None, json_form: AsJson = False) -> None:
    """List the entries, one in each line."""
    from sfumato.ledger.ledger import Ledger

    with Ledger(place, key=key) as opened:
        entries = list(opened.entries(series))
    if json_form:
        show_json([entry.document() for entry in entries])
        return
    for entry in entries:
        show(_line(entry))


@ledger.command(name="show")
def show_(
    place: LedgerFile,
    entry: Annotated[int | None, typer.Argument(help="Number of an entry; the whole ledger if not given.")] = None,
    key: LedgerKey = None,
    json_form: AsJson = False,
) -> None:
    """Show one entry, or what the ledger holds: series, budgets, and how far it goes. Private bodies are never shown."""
    from sfumato.ledger.ledger import Ledger

    with Ledger(place, key=key) as opened:
        if entry is not None:
            found, body = opened.entry(entry), opened.body(entry)
            held = {} if body is None else {"body": {"kind": body.kind, "bytes": len(body.content)}}
            document: dict[str, object] = {**found.document(), "head": found.head.hex(), **held}
        else:
            document = dict(opened.document())
    if json_form:
        show_json(document)
        return
    for name, value in document.items():
        for part in value if isinstance(value, list) else [value]:
            show(f"{name}: {json.dumps(part, ensure_ascii=False) if isinstance(part, dict) else part}")


@ledger.command()
def verify(
    place: LedgerFile,
    against: Annotated[
        list[Path] | None,
        typer.Option(
            "--against", help="A certificate, or the folder of a release, that saw the ledger; may be repeated."
        ),
    ] = None,
    repair: Annotated[
        bool,
        typer.Option("--repair", help="Settle releases that were begun and not ended, by digests of their folders."),
    ] = False,
    key: LedgerKey = None,
    json_form: AsJson = False,
) -> None:
    """Check chain, signatures and sums; certificates show whether entries were deleted or written anew."""
    from sfumato.ledger.ledger import Ledger

    witnesses = _witnesses(against or ())
    with Ledger(place, key=key) as opened:
        found = opened.verify(witnesses)
        settled = opened.repair() if repair and found else ()
        found = opened.verify(witnesses) if settled else found
    if json_form:
        show_json({**found.document(), "settled": [asdict(one) for one in settled]})
        raise typer.Exit(0 if found else 1)
    for one in settled:
        show(f"release {one.release} of {one.series} (entry {one.entry}): {one.outcome}")
        if one.ready and one.outcome == "cancelled":
            show("note: it was ready; if its folder was moved since, record it with sfumato ledger add")
    for text in [*(problem.text for problem in found.problems), *(shown.text for shown in found.witnesses)]:
        show(text)
    for entry in found.open:
        show(f"entry {entry.number}: a release of {entry.series} was begun and not ended")
    if found.erased:
        show(f"erased bodies: {', '.join(str(number) for number in found.erased)}")
    if found and found.checkpoint is not None:
        show(f"verified: {found.checkpoint.size} entries, head {found.checkpoint.head.hex()}")
    raise typer.Exit(0 if found else 1)


@ledger.command()
def export(
    place: LedgerFile,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="A new file; printed if not given.")] = None,
    key: LedgerKey = None,
) -> None:
    """Write every entry as a line of JSON, without private bodies: enough to follow the chain."""
    from sfumato.ledger.ledger import Ledger

    refuse_existing(out)
    with Ledger(place, key=key) as opened:
        text = "".join(f"{line}\n" for line in opened.export())
    if out is None:
        typer.echo(text, nl=False)
    else:
        write_text(out, text)


def _line(entry: Entry) -> str:
    about = f" of entry {entry.about}" if entry.about else ""
    series = f" {entry.series}" if entry.series else ""
    return f"{entry.number:>5}  {entry.time:%Y-%m-%d %H:%M:%S}  {entry.kind}{about}{series}"


def _witnesses(places: Sequence[Path]) -> list[Witness]:
    from sfumato.ledger.verification import witnesses_of
    from sfumato.publishing.certificate import FILE, open_certificate, sha256
    from sfumato.publishing.published import file_bytes, public_folder

    out: list[Witness] = []
    for place in places:
        data = file_bytes(public_folder(place) / FILE if place.is_dir() else place)
        out += witnesses_of(open_certificate(data), str(place), sha256(data))
    return out
