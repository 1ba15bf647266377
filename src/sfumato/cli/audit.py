"""``sfumato audit``: every attack that can be tried on a release, in one table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli.arguments import AsJson
from sfumato.cli.files import refuse_existing, refuse_nowhere, write_text
from sfumato.cli.knowledge import asks, fitting
from sfumato.cli.main import app
from sfumato.cli.texts import show
from sfumato.contracts.knowledge import TableKnowledge, Told

if TYPE_CHECKING:
    from sfumato.contracts.finding import Finding, Findings
    from sfumato.contracts.published import Published

__all__ = ["audit"]


@app.command()
@asks(TableKnowledge)
def audit(
    told: Told,
    releases: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="RELEASE", help="A release folder, or any file with published rows.", show_default=False
        ),
    ] = None,
    series: Annotated[
        str | None,
        typer.Option(
            "--series", help="Attack a series as a whole: its folders, one after the other, or with --ledger its name."
        ),
    ] = None,
    ledger: Annotated[
        str | None, typer.Option("--ledger", help="The ledger that remembers the series, persons by keyed names.")
    ] = None,
    views: Annotated[
        str | None,
        typer.Option(
            "--views", help="Attack views of one table together: their folders or files, one after the other."
        ),
    ] = None,
    desk: Annotated[
        str | None,
        typer.Option(
            "--desk", help="Attack what a desk answered: its ledger; with its policy and, by --raw, its table."
        ),
    ] = None,
    policy: Annotated[
        Path | None, typer.Option("--policy", "-p", help="Roles, requirements and hierarchies of a bare table.")
    ] = None,
    threshold: Annotated[
        float, typer.Option("--threshold", help="A risk above it counts as exposed; 0.2 is one in five.")
    ] = 0.2,
    quick: Annotated[bool, typer.Option("--quick", help="Leave out attacks that take long.")] = False,
    fail_above: Annotated[
        float | None,
        typer.Option(
            "--fail-above", help="Exit with 1 if any risk on the release is above this, or nothing was tried."
        ),
    ] = None,
    write: Annotated[Path | None, typer.Option("--write", help="Also write the findings to this JSON file.")] = None,
    json_form: AsJson = False,
) -> None:
    """Try every attack that the given tables allow. Prints counts and shares, never a value or a name."""
    from sfumato.cli.progress import under_way
    from sfumato.errors import BadRequest
    from sfumato.publishing.aim import knowledge_kinds
    from sfumato.verbs.audit import audit as audited

    refuse_existing(write, "--write")
    refuse_nowhere(write, "--write")
    if fail_above is not None and not 0 <= fail_above <= 1:
        raise BadRequest("must be between 0 and 1", parameter="--fail-above", value=fail_above)
    with under_way(quiet=json_form, lasting=True, compiling=True) as run:
        if desk is not None:
            published = _desk(
                desk, policy, told.get("raw"), [*(releases or []), *filter(None, (series, views, ledger))]
            )
        else:
            published = _opened(releases or [], policy, ledger, series, views)
        said: Any = fitting(told, *knowledge_kinds(published))
        found = audited(published, threshold=threshold, thorough=not quick, run=run, **said)
    if write is not None:
        write_text(write, json.dumps(found.document(), indent=1) + "\n", "--write")
    if json_form:
        show(json.dumps(found.document(), indent=1))
    else:
        _print(found)
    together = views is not None or desk is not None  # given out already: that nothing was tried answers nothing
    if not found.tried and (together or fail_above is not None):
        raise typer.Exit(1)
    if fail_above is not None and any(one.after.highest > fail_above for one in found.tried):
        raise typer.Exit(1)


def _desk(place: str, policy: Path | None, raw: object, others: list[str]) -> Published:
    """Return what a desk answered, as something that can be attacked."""
    from sfumato.errors import BadRequest
    from sfumato.interactive.collected import collected_log

    if policy is None:
        raise BadRequest("is required: the policy of the desk", parameter="--policy")
    if others:
        raise BadRequest("is attacked alone: give no release, series or views", parameter="--desk")
    return collected_log(place, policy, raw)


def _opened(
    releases: list[str], policy: Path | None, ledger: str | None, series: str | None, views: str | None
) -> Published:
    """Return what is to be attacked: one release, several as a series or as views, or a series that a ledger remembers."""
    from sfumato.errors import BadRequest
    from sfumato.publishing.published import open_published
    from sfumato.sequels.collected import collected, recalled

    if views is not None:
        from sfumato.views.collected import collected as put_together

        if series is not None or ledger is not None:
            raise BadRequest("is of one table, and a series is not", parameter="--views")
        return put_together([views, *releases])
    if ledger is not None:
        if series is None or releases:
            raise BadRequest("needs the name of one series, and no folders", parameter="--series")
        return recalled(ledger, series)
    if series is not None:
        return collected([series, *releases])
    if len(releases) != 1:
        raise BadRequest("give one release, or the folders of a series after --series", parameter="RELEASE")
    return open_published(releases[0], policy)


def _print(found: Findings) -> None:
    from sfumato.reports.text import print_table
    from sfumato.reports.words import percent

    before = any(one.before is not None for one in found.tried)
    heads = ["attack", "learns", *(["highest before"] if before else []), "highest", "mean"]
    rows = [
        [
            one.attack,
            one.sensitive or ", ".join(one.aims_at),
            *([] if not before else ["–" if one.before is None else f"{one.before.highest:.3g}"]),
            f"{one.after.highest:.3g}",
            f"{one.after.mean:.3g}",
            f"{one.after.above:,} of {one.after.victims:,} ({percent(one.after.above, one.after.victims)})",
        ]
        for one in found.tried
    ]
    if not rows:
        show("no attack could be tried: that is no sign of safety")
    else:
        print_table("", [*heads, f"{_victims(found.tried)} above {found.threshold:g}"], rows)
    for one in found.tried:
        show(f"{one.attack}: {one.after.reading}")
        for warning in one.after.warnings:
            show(f"{one.attack}: {warning}", err=True)
    if found.untried:
        show("\nnot tried:")
        for left in found.untried:
            show(f"  {left.attack}: {left.reason}")
    for column in found.identifiers:
        show(f"column {column.column} looks like a direct identifier: {column.reason}", err=True)


def _victims(tried: tuple[Finding, ...]) -> str:
    kinds = {one.victims for one in tried}
    return kinds.pop() if len(kinds) == 1 else "victims"
