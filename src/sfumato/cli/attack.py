"""``sfumato attack``: what an outsider with a table of names could find in a release."""

from __future__ import annotations

import json
from math import isfinite
from typing import Annotated, Any

import typer

from sfumato.cli.main import app

__all__ = ["attack"]

_SHOWN = 50


@app.command()
def attack(
    release: Annotated[str, typer.Argument(help="A whole release folder, or any file with published rows.")],
    external: Annotated[str, typer.Option("--external", help="The adversary's table: names and quasi-identifiers.")],
    name_column: Annotated[str, typer.Option("--name-column", help="The column of the external table with names.")],
    attack_text: Annotated[
        str, typer.Option("--with", "-w", help="The attack, such as 'linking-attack' or 'breach-probability'.")
    ] = "linking-attack",
    qid: Annotated[
        str | None, typer.Option("--qid", help="Columns to link by, separated by commas; those that both have.")
    ] = None,
    sensitive: Annotated[
        str | None, typer.Option("--sensitive", help="The column to learn; the sensitive one of a release.")
    ] = None,
    owners: Annotated[
        str | None, typer.Option("--owners", help="Names, quasi-identifiers and true sensitive values of the owners.")
    ] = None,
    before: Annotated[
        str | None, typer.Option("--before", help="The table before masking, to compare with: the same attack on it.")
    ] = None,
    show_persons: Annotated[
        bool, typer.Option("--show-persons", help="Name the persons at highest risk, for the steward's eyes.")
    ] = False,
    json_form: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say how many persons of a named table could be found in a release. Prints counts; names only if asked. Writes nothing."""
    from sfumato.cli.check import requirement_from_text
    from sfumato.errors import BadRequest
    from sfumato.verbs.attack import attack as attacked

    try:
        asked = requirement_from_text(attack_text)
    except BadRequest as error:
        raise BadRequest(error.rule, parameter="--with", value=error.value) from None
    options: dict[str, Any] = {
        "external": external,
        "name": name_column,
        "qid": [name.strip() for name in qid.split(",")] if qid else None,
        "sensitive": sensitive,
        "owners": owners,
    }
    after = attacked(release, asked, **options)
    scene: Any = getattr(after, "scene", None)
    found = {"release": after}
    if before is not None:
        # The same columns as on the release: a bare table does not tell which of its columns are known to outsiders.
        options |= {"qid": list(scene.qids), "sensitive": scene.sensitive}
        found = {"before": attacked(before, asked, **options), **found}
    if json_form:
        shown: dict[str, Any] = {
            "attack": after.attack,
            "linked_by": list(scene.qids),
            **{name: _summary(risk) for name, risk in found.items()},
        }
        if show_persons:
            shown["persons"] = [{"name": str(name), "risk": risk} for name, risk in _persons(after)]
        typer.echo(json.dumps(shown, indent=1))
        return
    _print(found, scene.qids)
    if show_persons:
        typer.echo("")
        for name, risk in _persons(after)[:_SHOWN]:
            typer.echo(f"{name}: {risk:.4g}")
        typer.echo("these names stay in the house", err=True)


def _print(found: dict[str, Any], qids: tuple[str, ...]) -> None:
    from sfumato.reports.text import print_table

    summaries = {name: _summary(risk) for name, risk in found.items()}
    words = next(iter(summaries.values()))
    rows = [
        [word.replace("_", " "), *(_number(summary[word]) for summary in summaries.values())]
        for word in words
        if word != "warnings"
    ]
    typer.echo(f"linked by {', '.join(qids)}")
    print_table("", ["", *summaries], rows)
    for name, summary in summaries.items():
        for warning in summary["warnings"]:
            typer.echo(f"{name}: {warning}", err=True)


def _summary(risk: Any) -> dict[str, Any]:
    return {
        **risk.details,
        "highest_risk": risk.highest,
        "mean_risk": risk.mean,
        "warnings": list(risk.warnings),
    }


def _number(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}" if isfinite(value) else str(value)


def _persons(risk: Any) -> list[tuple[object, float]]:
    """Return the persons at any risk, highest first."""
    both = [(name, value) for name, value in zip(risk.names(), risk.per_victim.tolist(), strict=True) if value > 0]
    return sorted(both, key=lambda pair: -pair[1])
