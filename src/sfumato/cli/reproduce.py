"""``sfumato reproduce``: run a paper's experiment again, the printed figures beside ours."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.arguments import AsJson
from sfumato.cli.documents import show_json
from sfumato.cli.files import refuse_existing
from sfumato.cli.main import app
from sfumato.cli.texts import show

__all__ = ["reproduce"]


@app.command()
def reproduce(
    name: Annotated[str | None, typer.Argument(help="Which experiment; without it, they are listed.")] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Folder for table, plot and summary.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer and smaller tables, for a look in seconds.")] = False,
    json_form: AsJson = False,
) -> None:
    """Run an experiment of a paper and print its figures beside ours; writes a table and a plot.

    What is measured is told at once, and kept in partial.txt until the run is over.
    """
    from sfumato.catalogue import build
    from sfumato.cli.progress import Journal, under_way
    from sfumato.contracts.run import Run
    from sfumato.errors import Cancelled
    from sfumato.reports.text import print_table
    from sfumato.verbs.describe import describe

    if name is None and json_form:
        show_json([{"id": one.id, "summary": one.summary} for one in describe(kind="experiment")])
        return
    if name is None:
        print_table("", ["experiment", "what it is"], [[e.id, e.summary] for e in describe(kind="experiment")])
        return
    folder = out or Path(f"reproduce-{name}")
    refuse_existing(folder)
    experiment = build(name, "experiment")
    with under_way(quiet=json_form, lasting=True, compiling=True) as run:
        journal = Journal(run.progress, folder / "partial.txt")
        try:
            result = experiment.run(progress=Run(progress=journal), quick=quick)
        except (KeyboardInterrupt, Cancelled):
            if not journal.file.exists():
                raise
            raise Cancelled(kept=f"what was measured is in {journal.file}") from None
    result.save(folder)
    journal.file.unlink(missing_ok=True)
    if json_form:
        show_json({"out": folder, **result.document()})
        return
    show(result.to_text())
    show(f"wrote {folder}")
