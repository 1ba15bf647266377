"""``sfumato measure``: what a release costs."""

from __future__ import annotations

import json
from math import isfinite
from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.arguments import AsJson, Data
from sfumato.cli.main import app
from sfumato.cli.sources import reads
from sfumato.cli.texts import columns_of, requirement_from_text, show

__all__ = ["measure"]


@app.command()
@reads
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
    json_form: AsJson = False,
) -> None:
    """Say what a release costs: every metric in total, between its bounds, and by attribute."""
    from sfumato.cli.progress import under_way
    from sfumato.reports.text import print_table
    from sfumato.tables.policy import Policy
    from sfumato.tables.statistics import measure_all, release_stats
    from sfumato.verbs.measure import certified_metrics, data_metrics
    from sfumato.verbs.measure import measure as measured_by

    asked = [requirement_from_text(text, "--metric") for text in metric or ()]
    certified = certified_metrics(release, asked or None)
    by, columns = None if policy is None or certified is not None else Policy.load(policy), columns_of(qid)
    without: dict[str, str] = {}
    with under_way(quiet=json_form) as run:
        if certified is not None:
            found = list(certified.values())
        elif asked:
            found = list(measured_by(raw, release, asked, policy=by, qid=columns, target=target, run=run).values())
        else:
            run.stage("comparing")
            published = release_stats(raw, release, policy=by, qid=columns, target=target, run=run)
            found = list(measure_all(published, data_metrics(), run).values())
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
                "denominator": one.denominator,
                "by_attribute": dict(one.by_attribute),
            }
            for one in found
        ]
        show(json.dumps({"metrics": shown, "not_measured": without}, indent=1))
        return
    rows = [
        [
            one.metric,
            f"{one.value:.6g}",
            "" if one.normalised is None else f"{one.normalised:.4f}",
            *(["" if one.denominator is None else f"{one.denominator:,}"] if certified is not None else []),
            ", ".join(f"{name} {value:.4g}" for name, value in one.by_attribute.items()),
        ]
        for one in found
    ]
    print_table("", ["metric", "total", "normalised", *(["of"] if certified is not None else []), "by attribute"], rows)
    if certified is not None:
        show(
            "as certified when the release was made: it hides whose parts are whose, so the data were not compared again"
        )
    for name, reason in without.items():
        show(f"not measured: {name} {reason}")


def _finite(value: float | None) -> float | None:
    return value if value is not None and isfinite(value) else None
