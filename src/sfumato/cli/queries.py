"""``sfumato queries``: how well count queries are answered from a release."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.arguments import AsJson, Data, EngineName
from sfumato.cli.main import app
from sfumato.cli.sources import reads
from sfumato.cli.texts import show

if TYPE_CHECKING:
    from sfumato.contracts.engine import Table
    from sfumato.tables.policy import Policy
    from sfumato.utility.queries import Counter

__all__ = ["queries"]


@app.command()
@reads
def queries(
    raw: Data,
    release: Annotated[Path, typer.Argument(help="A release folder (or its public part), or a file of recoded rows.")],
    policy: Annotated[
        Path | None, typer.Option("--policy", "-p", help="The policy; the one in the release folder if not given.")
    ] = None,
    size: Annotated[int, typer.Option("--size", min=1, help="Number of queries.")] = 1000,
    dimensions: Annotated[
        int | None, typer.Option("--dimensions", min=1, help="Quasi-identifiers per query; half of them if not given.")
    ] = None,
    selectivity: Annotated[float, typer.Option("--selectivity", help="Share of records a query aims at.")] = 0.05,
    sensitive: Annotated[
        str | None, typer.Option("--sensitive", help="Column asked about in every query; that of the policy.")
    ] = None,
    threshold: Annotated[float, typer.Option("--threshold", help="Errors above this are counted.")] = 0.5,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the workload.")] = 0,
    engine: EngineName = None,
    json_form: AsJson = False,
) -> None:
    """Ask count queries of the raw table and of a release: draw them, and show how far the answers lie apart."""
    import numpy as np

    from sfumato.cli.progress import under_way
    from sfumato.data.schema import Role
    from sfumato.reports.text import print_table
    from sfumato.tables.open import open_table
    from sfumato.tables.policy import Policy
    from sfumato.utility.queries import query_errors, workload

    asked = Policy.load(_policy_file(policy, release))
    qid = list(asked.of_role(Role.QUASI_IDENTIFIER))
    if sensitive is None:
        sensitive = next(iter((*asked.of_role(Role.SENSITIVE), *asked.of_role(Role.TARGET))), None)
    columns = [*qid, *([sensitive] if sensitive is not None else [])]
    count = dimensions or max(1, len(qid) // 2)
    with under_way(quiet=json_form) as run:
        table = open_table(raw, asked, engine, run=run)
        run.stage("drawing questions")
        drawn = workload(table, size, count, selectivity, np.random.default_rng(seed), qid=qid, sensitive=sensitive)
        run.stage("answering")
        found = query_errors(table, _counter(release, table, asked, columns, engine), drawn, threshold=threshold)
    if json_form:
        shown = asdict(found)
        shown["quantiles"] = {str(level): value for level, value in found.quantiles.items()}
        show(json.dumps(shown, indent=1))
        return
    about = f", {sensitive}" if sensitive is not None else ""
    show(f"{found.queries:,} queries on {count} of ({', '.join(qid)}){about}, aimed at {selectivity:.1%} of records")
    if found.median is None:
        show("no query selects a record: there is no relative error; ask for a larger selectivity")
        return
    rows = [[f"{level:.0%} of queries", f"{value:.3f}"] for level, value in found.quantiles.items()]
    print_table("", ["relative error at most", ""], [*rows, ["mean", f"{found.mean:.3f}"]])
    show(f"above {threshold:g}: {found.above:.1%} of queries; select no record: {found.undefined:,}")


def _policy_file(policy: Path | None, release: Path) -> Path:
    from sfumato.errors import BadRequest

    if policy is not None:
        return policy
    kept = release / "private" / "policy.yaml"
    if not kept.is_file():
        raise BadRequest("give the policy: the release has none beside it", parameter="--policy")
    return kept


def _counter(release: Path, raw: Table, policy: Policy, columns: list[str], engine: str | None) -> Counter:
    from sfumato.publishing.published import open_published
    from sfumato.utility.queries import counter_of

    published = open_published(release, engine=engine or "polars")
    recodings = published.recodings or None
    trees, domains = {}, {}
    for name in columns:
        known, builder = raw.dictionary(name), policy.hierarchy(name)
        if builder is not None:
            trees[name] = builder.fitted(known.values, known.counts.tolist()).build(known.values, column=name)
        elif recodings is None or name not in recodings:
            # Which values such a column can have is taken to be known to whoever reads a release.
            domains[name] = known.values
    types = {name: raw.types[name] for name in columns}
    return counter_of(
        published.form, published.tables, recodings, trees=trees, types=types, domains=domains, columns=columns
    )
