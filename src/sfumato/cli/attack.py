"""``sfumato attack``: what an outsider with stated knowledge could find in a release."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.arguments import AsJson
from sfumato.cli.knowledge import asks, fitting
from sfumato.cli.main import app
from sfumato.cli.texts import requirement_from_text, show
from sfumato.contracts.knowledge import Names, TableKnowledge, Told

if TYPE_CHECKING:
    from sfumato.contracts.attack import Risk

__all__ = ["attack"]

_SHOWN = 50


@app.command()
@asks(TableKnowledge, learns_one=True)
def attack(
    release: Annotated[str, typer.Argument(help="A whole release folder, or any file with published rows.")],
    told: Told,
    attack_text: Annotated[
        str | None,
        typer.Option(
            "--with",
            "-w",
            help="The attack by its id, with parameters such as 'suda2 max_size=3'; linking-attack on a table.",
        ),
    ] = None,
    policy: Annotated[
        Path | None, typer.Option("--policy", "-p", help="Roles, requirements and hierarchies of a bare table.")
    ] = None,
    before: Annotated[
        str | None, typer.Option("--before", help="The table before masking, to compare with: the same attack on it.")
    ] = None,
    show_persons: Annotated[
        bool, typer.Option("--show-persons", help="Name the persons at highest risk, for the steward's eyes.")
    ] = False,
    json_form: AsJson = False,
) -> None:
    """Try one attack on a release. Prints counts; names only if asked. Writes nothing. 'audit' tries all of them."""
    from sfumato.catalogue import TABLE, ids, shape_of
    from sfumato.cli.progress import under_way
    from sfumato.contracts.finding import finite
    from sfumato.errors import BadRequest
    from sfumato.publishing.aim import aimed, knowledge_kinds
    from sfumato.publishing.published import open_published

    with under_way(quiet=json_form, lasting=True) as run:
        published = open_published(release, policy)
        shape = shape_of(published.shape)
        if attack_text is None and shape.id != TABLE:
            raise BadRequest("say which attack", parameter="--with", available=ids("attack", shape.id))
        named = requirement_from_text("linking-attack" if attack_text is None else attack_text, "--with")
        said = fitting(told, *knowledge_kinds(published))
        made, seen, known = aimed(published, named, said, run)
        after = made.run(made.view(seen, known), known, run)
        found = {"release": after}
        if before is not None:
            # The same columns as on the release: a bare table does not tell which of its columns are known to outsiders.
            if isinstance(known, TableKnowledge):
                said |= {"qid": known.known, "sensitive": known.sensitive, "models": known.models}
            unmasked = shape.see(open_published(before), said, learns=made.traits.learns)
            found = {"before": made.run(*unmasked, run), **found}
    names: Callable[[], Sequence[object]] | None = getattr(after, "names", None)
    if show_persons and names is None:
        raise BadRequest(f"{made.id} counts records and names nobody", parameter="--show-persons")
    persons = _persons(names(), after) if show_persons and names is not None else []
    if json_form:
        shown: dict[str, object] = {
            "attack": after.attack,
            "linked_by": list(known.linked_by),
            **{name: _summary(risk) for name, risk in found.items()},
        }
        if show_persons:
            shown["persons"] = [{"name": str(name), "risk": risk} for name, risk in persons]
        show(json.dumps(finite(shown), indent=1, default=str))
        return
    _print(found, known.linked_by)
    if show_persons:
        show("")
        for name, risk in persons[:_SHOWN]:
            show(f"{name}: {risk:.4g}")
        show("these names stay in the house", err=True)


def _print(found: Mapping[str, Risk], columns: Names) -> None:
    from sfumato.reports.text import print_table

    summaries = {name: _summary(risk) for name, risk in found.items()}
    words = next(iter(summaries.values()))
    shown = [word for word in words if isinstance(words[word], (int, float))]
    rows = [[word.replace("_", " "), *(_number(summary.get(word)) for summary in summaries.values())] for word in shown]
    if columns:
        show(f"linked by {', '.join(columns)}")
    print_table("", ["", *summaries], rows)
    for name, risk in found.items():
        show(risk.reading if len(found) == 1 else f"{name}: {risk.reading}")
        for warning in risk.warnings:
            show(f"{name}: {warning}", err=True)


def _summary(risk: Risk) -> dict[str, object]:
    return {
        **risk.details,
        "highest_risk": risk.highest,
        "mean_risk": risk.mean,
        "reading": risk.reading,
        "warnings": list(risk.warnings),
    }


def _number(value: object) -> str:
    if not isinstance(value, (int, float)):
        return "–"
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}" if isfinite(value) else str(value)


def _persons(names: Sequence[object], risk: Risk) -> list[tuple[object, float]]:
    """Return the persons at any risk, highest first."""
    both = [(name, value) for name, value in zip(names, risk.per_victim.tolist(), strict=True) if value > 0]
    return sorted(both, key=lambda pair: -pair[1])
