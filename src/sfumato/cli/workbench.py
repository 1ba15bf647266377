"""``sfumato workbench``: everything for tables in a browser of this computer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.main import app
from sfumato.cli.texts import show

__all__ = ["workbench"]


@app.command()
def workbench(
    project: Annotated[Path, typer.Argument(help="The folder of the project; it is made if it is not there.")] = Path(
        "sfumato-project"
    ),
    data: Annotated[
        Path | None, typer.Option("--data", help="A table to begin with; it stays where it is.", exists=True)
    ] = None,
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="The port; a free one if not given.")] = 0,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open a browser.")] = True,
) -> None:
    """Open the workbench: pages on this computer that lead from a file to a verified release. Nothing is sent anywhere."""
    import webbrowser
    from contextlib import suppress

    from sfumato.web.app import Workbench
    from sfumato.web.project import Project

    opened = Project(project)
    if data is not None:
        opened.take(str(data.resolve()))
    bench = Workbench(opened, port)
    show(f"open {bench.address}")
    show("end with Ctrl-C")
    if browser:
        webbrowser.open(bench.address)
    with suppress(KeyboardInterrupt):  # that is how it is ended
        bench.serve()
