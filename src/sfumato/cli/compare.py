"""``sfumato compare``: what several algorithms make of a table, side by side, and which is best."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from sfumato.cli.arguments import AsJson, Data, EngineName, Language, PolicyFile, Quiet
from sfumato.cli.files import refuse_existing, write_text
from sfumato.cli.main import app
from sfumato.cli.texts import names, numbers, requirement_from_text, show
from sfumato.data.messages import ENGLISH, refuse_unspoken

if TYPE_CHECKING:
    from sfumato.verbs.compare import Comparison

__all__ = ["compare"]

_NO_SOLUTION = 3


@app.command()
def compare(
    data: Data,
    policy: PolicyFile,
    algorithms: Annotated[
        list[str] | None,
        typer.Option(
            "--algorithms",
            "-a",
            help="Ids separated by commas, or one id with key=value after it; may be repeated. If not given: the policy's, "
            "and all that publish the same kind of release from counts.",
        ),
    ] = None,
    ks: Annotated[
        str | None, typer.Option("--k", help="Give every requirement that has a k each of these: 2,5,10,20.")
    ] = None,
    ms: Annotated[
        str | None, typer.Option("--m", help="Give every requirement that has an m each of these: 1,2,3.")
    ] = None,
    by: Annotated[
        Literal["loss", "queries", "prediction"], typer.Option("--by", help="What the best one is marked by.")
    ] = "loss",
    seconds: Annotated[float, typer.Option("--seconds", help="How long each search may take.")] = 60.0,
    external: Annotated[
        str | None, typer.Option("--external", help="A population table with the same quasi-identifiers, not recoded.")
    ] = None,
    picture: Annotated[
        Path | None, typer.Option("--picture", help="Draw risk against utility as SVG to a new file.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", help="Write table and picture to a new file, one page of HTML.")
    ] = None,
    language: Language = ENGLISH,
    write_policy: Annotated[
        Path | None, typer.Option("--write-policy", help="Write the policy of the best one to a new file, YAML.")
    ] = None,
    engine: EngineName = None,
    json_form: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Publish a table in several ways in memory: privacy reached, loss, records left, errors, time, and which is best."""
    from sfumato.cli.progress import under_way
    from sfumato.errors import BadRequest
    from sfumato.policy import SharedPolicy
    from sfumato.verbs.compare import compare as compared

    refuse_existing(picture, "--picture")
    refuse_existing(html, "--html")
    refuse_existing(write_policy, "--write-policy")
    refuse_unspoken(language)
    points = [] if ks is None else numbers(ks, "--k")
    powers = [] if ms is None else numbers(ms, "--m")
    if write_policy is not None and max(len(set(points)), len(set(powers))) > 1:
        raise BadRequest(
            "there is a best one for each k and m; give one k, one m", parameter="--write-policy", value=ks or ms
        )
    loaded = SharedPolicy.load(policy)
    asked = loaded if engine is None else loaded.model_copy(update={"engine": engine})
    with under_way(quiet=quiet or json_form, compiling=True) as run:
        found = compared(
            data,
            asked,
            algorithms=_algorithms(algorithms),
            ks=points,
            ms=powers,
            by=by,
            seconds=seconds,
            external=external,
            run=run,
        )
    if json_form:
        show(json.dumps(found.document(), indent=1))
    elif not quiet:
        _print(found)
    if picture is not None:
        write_text(picture, found.picture(), "--picture")
    if html is not None:
        write_text(html, found.page(language), "--html")
    if write_policy is not None and found.best:
        # The engine of this run is nobody's choice for the next one.
        best = SharedPolicy.of(found.best[0].policy).model_copy(update={"engine": loaded.engine})
        write_text(write_policy, best.to_yaml(), "--write-policy")
    if not any(row.reason is None for row in found):
        raise typer.Exit(_NO_SOLUTION)


def _print(found: Comparison) -> None:
    from sfumato.reports.comparison_view import comparison_rows, failures
    from sfumato.reports.text import print_table

    header, rows = comparison_rows(found.rows)
    if rows:
        print_table("", header, rows)
    for line in failures(found.rows):
        show(f"nothing: {line}")


def _algorithms(texts: list[str] | None) -> list[str | dict[str, object]] | None:
    """Read ids that are separated by commas, and single ones with their parameters."""
    if texts is None:
        return None
    out: list[str | dict[str, object]] = []
    for text in texts:
        out += [requirement_from_text(text, "--algorithms")] if "=" in text else names(text) or []
    return out
