"""``sfumato attack``: what an outsider with stated knowledge could find in a release."""

from __future__ import annotations

import json
from math import isfinite
from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.cli.main import app

__all__ = ["attack"]

_SHOWN = 50


@app.command()
def attack(
    release: Annotated[str, typer.Argument(help="A whole release folder, or any file with published rows.")],
    attack_text: Annotated[
        str, typer.Option("--with", "-w", help="The attack by its id, with parameters such as 'suda2 max_size=3'.")
    ] = "linking-attack",
    external: Annotated[
        str | None, typer.Option("--external", help="The adversary's table: persons and their quasi-identifiers.")
    ] = None,
    name_column: Annotated[
        str | None, typer.Option("--name-column", help="The column of the external table with names.")
    ] = None,
    policy: Annotated[
        Path | None, typer.Option("--policy", "-p", help="Roles, requirements and hierarchies of a bare table.")
    ] = None,
    qid: Annotated[
        str | None, typer.Option("--qid", help="Columns to link by, separated by commas; those that both have.")
    ] = None,
    sensitive: Annotated[
        str | None, typer.Option("--sensitive", help="The column to learn; the sensitive one of a release.")
    ] = None,
    owners: Annotated[
        str | None, typer.Option("--owners", help="Names, quasi-identifiers and true sensitive values of the owners.")
    ] = None,
    raw: Annotated[
        str | None, typer.Option("--raw", help="The table before masking, for attacks that need it.")
    ] = None,
    control: Annotated[
        str | None, typer.Option("--control", help="A table like the raw one, of persons who are not in the release.")
    ] = None,
    corrupted: Annotated[
        str | None, typer.Option("--corrupted", help="Persons of the release who told their sensitive value.")
    ] = None,
    other: Annotated[str | None, typer.Option("--other", help="A second release about the same persons.")] = None,
    before: Annotated[
        str | None, typer.Option("--before", help="The table before masking, to compare with: the same attack on it.")
    ] = None,
    show_persons: Annotated[
        bool, typer.Option("--show-persons", help="Name the persons at highest risk, for the steward's eyes.")
    ] = False,
    json_form: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Try one attack on a release. Prints counts; names only if asked. Writes nothing. 'audit' tries all of them."""
    from sfumato.catalogue import build
    from sfumato.cli.check import requirement_from_text
    from sfumato.cli.progress import TerminalProgress
    from sfumato.contracts.attack import Attack
    from sfumato.contracts.finding import finite
    from sfumato.errors import BadRequest
    from sfumato.tables.seen import by_groups, open_scene, open_shown

    try:
        asked = requirement_from_text(attack_text)
    except BadRequest as error:
        raise BadRequest(error.rule, parameter="--with", value=error.value) from None
    made: Attack = build(asked, "attack")
    with TerminalProgress(quiet=json_form) as progress:
        options: dict[str, Any] = {
            "external": external,
            "name": name_column,
            "qid": [name.strip() for name in qid.split(",")] if qid else None,
            "sensitive": sensitive,
            "owners": owners,
            "raw": raw,
            "control": control,
            "corrupted": corrupted,
            "other": other,
            "progress": progress,
            "learns": made.traits.learns,
        }
        published = open_shown(release, policy)
        scene = open_scene(published, **options)
        after = made.run(by_groups(made, scene, published))
        found = {"release": after}
        if before is not None:
            # The same columns as on the release: a bare table does not tell which of its columns are known to outsiders.
            options |= {"qid": list(scene.qids), "sensitive": scene.sensitive, "models": scene.models}
            found = {"before": made.run(open_scene(before, **options)), **found}
    persons = getattr(after, "names", None)
    if show_persons and persons is None:
        raise BadRequest(f"{made.id} counts records and names nobody", parameter="--show-persons")
    if json_form:
        shown: dict[str, Any] = {
            "attack": after.attack,
            "linked_by": list(scene.qids),
            **{name: _summary(risk) for name, risk in found.items()},
        }
        if show_persons:
            shown["persons"] = [{"name": str(name), "risk": risk} for name, risk in _persons(after)]
        typer.echo(json.dumps(finite(shown), indent=1, default=str))
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
    shown = [word for word in words if isinstance(words[word], (int, float))]
    rows = [[word.replace("_", " "), *(_number(summary.get(word)) for summary in summaries.values())] for word in shown]
    typer.echo(f"linked by {', '.join(qids)}")
    print_table("", ["", *summaries], rows)
    for name, summary in summaries.items():
        typer.echo(summary["reading"] if len(summaries) == 1 else f"{name}: {summary['reading']}")
        for warning in summary["warnings"]:
            typer.echo(f"{name}: {warning}", err=True)


def _summary(risk: Any) -> dict[str, Any]:
    return {
        **risk.details,
        "highest_risk": risk.highest,
        "mean_risk": risk.mean,
        "reading": risk.reading,
        "warnings": list(risk.warnings),
    }


def _number(value: Any) -> str:
    if not isinstance(value, (int, float)):
        return "–"
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}" if isfinite(value) else str(value)


def _persons(risk: Any) -> list[tuple[object, float]]:
    """Return the persons at any risk, highest first."""
    both = [(name, value) for name, value in zip(risk.names(), risk.per_victim.tolist(), strict=True) if value > 0]
    return sorted(both, key=lambda pair: -pair[1])
