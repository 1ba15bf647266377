"""``sfumato measure``: what a release of a table costs."""

from __future__ import annotations

import json
from math import isfinite
from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.cli.arguments import Data
from sfumato.cli.main import app

__all__ = ["measure"]


@app.command()
def measure(
    raw: Data,
    release: Annotated[str, typer.Argument(help="A release folder, or a released file with --policy or --qid.")],
    policy: Annotated[
        Path | None, typer.Option("--policy", "-p", help="Roles and hierarchies, YAML or JSON; a folder has its own.")
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric", "-m", help="A metric, such as 'loss aggregate=sum'; may be repeated. All if not given."
        ),
    ] = None,
    qid: Annotated[str | None, typer.Option("--qid", help="Columns that were masked, separated by commas.")] = None,
    target: Annotated[str | None, typer.Option("--target", help="The class column, if the policy names none.")] = None,
    json_form: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say what a release costs: every metric in total, between its bounds, and by attribute."""
    from sfumato.policy import Policy
    from sfumato.reports.text import print_table
    from sfumato.tables.statistics import measure_all, release_stats
    from sfumato.verbs.measure import data_metrics
    from sfumato.verbs.measure import measure as measured_by

    asked = [_metric(text) for text in metric or ()]
    options: dict[str, Any] = {
        "policy": None if policy is None else Policy.load(policy),
        "qid": [name.strip() for name in qid.split(",")] if qid else None,
        "target": target,
    }
    if asked:
        found, without = list(measured_by(raw, release, asked, **options).values()), {}
    else:
        published = release_stats(raw, release, **options)
        found = list(measure_all(published, data_metrics()).values())
        reasons = {known.id: known.applies(published) for known in data_metrics()}
        without = {name: reason for name, reason in reasons.items() if reason is not None}
    if json_form:
        shown = [
            {
                "metric": one.metric,
                "value": _finite(one.value),
                "normalised": _finite(one.normalised),
                "lowest": _finite(one.lowest),
                "highest": _finite(one.highest),
                "by_attribute": dict(one.by_attribute),
            }
            for one in found
        ]
        typer.echo(json.dumps({"metrics": shown, "not_measured": without}, indent=1))
        return
    rows = [
        [
            one.metric,
            f"{one.value:.6g}",
            "" if one.normalised is None else f"{one.normalised:.4f}",
            ", ".join(f"{name} {value:.4g}" for name, value in one.by_attribute.items()),
        ]
        for one in found
    ]
    print_table("", ["metric", "total", "normalised", "by attribute"], rows)
    for name, reason in without.items():
        typer.echo(f"not measured: {name} {reason}")


def _metric(text: str) -> dict[str, Any]:
    from sfumato.cli.check import requirement_from_text
    from sfumato.errors import BadRequest

    try:
        return requirement_from_text(text)
    except BadRequest as error:
        raise BadRequest(error.rule, parameter="--metric", value=error.value) from None


def _finite(value: float | None) -> float | None:
    return value if value is not None and isfinite(value) else None
