"""``sfumato tabulate``: counts and sums by cell, with the cells left empty that would tell too much."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.arguments import AsJson, Data, EngineName, IfThere, OutputFormat, Quiet, ReleaseFolder
from sfumato.cli.documents import show_release
from sfumato.cli.files import refuse_release
from sfumato.cli.main import app, said
from sfumato.cli.sources import reads
from sfumato.cli.texts import names

__all__ = ["tabulate"]


@app.command()
@reads
def tabulate(
    data: Data,
    by: Annotated[str, typer.Option("--by", help="Columns whose combinations are the cells, separated by commas.")],
    out: ReleaseFolder,
    sum_: Annotated[str | None, typer.Option("--sum", help="Column that is summed; only counts if not given.")] = None,
    dominance: Annotated[
        str, typer.Option(help="N,K: a sum is left out if its N largest contributions exceed K percent of it; or none.")
    ] = "2,80",
    min_size: Annotated[
        int | None, typer.Option(min=1, help="Fewest records of a cell, and that a cell may leave out of all.")
    ] = None,
    overlap: Annotated[
        int | None,
        typer.Option(min=0, help="Most records that a cell may share with one of an earlier table; needs --log."),
    ] = None,
    log: Annotated[
        Path | None, typer.Option(help="File that keeps which records earlier tables were about; must stay private.")
    ] = None,
    complement: Annotated[
        str, typer.Option(help="warn, or suppress further cells so that no line has exactly one empty cell.")
    ] = "warn",
    output_format: OutputFormat = None,
    engine: EngineName = None,
    if_exists: IfThere = "fail",
    quiet: Quiet = False,
    json_form: AsJson = False,
) -> None:
    """Publish a table of counts or sums: verify what was written, and leave OUT/public and OUT/private."""
    from sfumato.cli.progress import under_way
    from sfumato.reports.kind_text import print_kind
    from sfumato.verbs.publish import publish
    from sfumato.verbs.tabulate import tabulate as tabulated

    refuse_release(out, if_exists, json_form=json_form)
    with under_way(quiet=quiet or json_form) as run:
        made = tabulated(
            data,
            names(by) or [],
            sum=sum_,
            dominance=_rule(dominance),
            min_size=min_size,
            overlap=overlap,
            log=log,
            complement=complement,
            engine=engine,
            run=run,
        )
        publish(made, out, format=output_format, input_path=data, if_exists=if_exists, run=run)
    if json_form:
        show_release(made, out)
    elif not quiet:
        print_kind(made, out, said())


def _rule(text: str) -> tuple[int, float] | None:
    """Read ``N,K``.

    >>> _rule("2,80"), _rule("none")
    ((2, 80.0), None)
    """
    from sfumato.errors import BadRequest

    if text.strip().lower() == "none":
        return None
    first, comma, second = text.partition(",")
    try:
        if comma:
            return int(first), float(second)
    except ValueError:
        pass
    raise BadRequest("must be N,K, such as 2,80, or none", parameter="--dominance", value=text)
