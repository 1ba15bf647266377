"""``sfumato describe``: list and explain every id."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from inspect import getdoc, isfunction
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from sfumato.catalogue import home_of, namesakes
from sfumato.cli.arguments import AsJson
from sfumato.cli.documents import show_json
from sfumato.cli.main import app
from sfumato.errors import NotKnown
from sfumato.reports.text import print_table
from sfumato.verbs.describe import Description
from sfumato.verbs.describe import describe as described

__all__ = ["describe"]


@app.command()
def describe(
    name: Annotated[str | None, typer.Argument(help="An id; without it, all ids are listed.")] = None,
    kind: Annotated[
        str | None, typer.Option("--kind", help="model, metric, algorithm, hierarchy, operation, ...")
    ] = None,
    shape: Annotated[
        str | None, typer.Option("--shape", help="The shape of data that it is for, if several have it.")
    ] = None,
    json_form: AsJson = False,
) -> None:
    """Explain an id: what it is, the formula, the adversary, parameters, traits, references; or list them all."""
    if json_form:
        show_json(
            [asdict(one) for one in described(kind=kind, shape=shape)] if name is None else _one(name, kind, shape)
        )
        return
    if name is not None:
        shown = _one(name, kind, shape)
        _print(shown)
        for other in namesakes(shown.id) if shown.kind != "dataset" else ():
            if (other.__module__, other.__name__) != (shown.module, shown.name):
                Console().print(
                    Text(f"\nalso: sfumato describe {other.id} --kind '{other.kind}' --shape {home_of(other)}")
                )
        return
    print_table(
        "",
        ["id", "kind", "what it is"],
        [[entry.id, entry.kind, entry.summary] for entry in described(kind=kind, shape=shape)],
    )


def _one(name: str, kind: str | None, shape: str | None) -> Description:
    """Describe an id; one that is none may be a dataset, which has no id and is known by its function."""
    try:
        return described(name, kind, shape)
    except NotKnown:
        from sfumato import datasets

        called = name.replace("-", "_")
        made = getattr(datasets, called, None) if called in datasets.__all__ and kind in (None, "dataset") else None
        if not isfunction(made):
            raise
        summary, _, text = (getdoc(made) or "").partition("\n\n")
        text, _, example = text.partition(">>> ")
        text = text.partition("Examples\n---")[0]
        return Description(
            id=name, kind="dataset", name=made.__name__, module=made.__module__, summary=summary.replace("\n", " "),
            text=f"{text.strip()}\n\nsfumato datasets {name}".strip(), adversary="", parameters=(), traits={},
            example=f">>> {example}" if example else "", references="", shape="table",
        )  # fmt: skip


def _print(description: Description) -> None:
    """Print one id in full."""
    console = Console()
    console.print(Text(f"{description.id} ({description.kind})", style="bold"))
    console.print(Text(description.summary))
    if description.text:
        console.print(Text("\n" + description.text))
    if description.adversary:
        console.print(Text(f"\nadversary: {description.adversary}"))
    for tool, called in description.elsewhere:
        console.print(Text(f"\nin {tool}: {called}"))
    if description.parameters:
        console.print()
        print_table(
            "parameters",
            ["name", "type", "default", "accepts", "meaning"],
            [[p.name, p.type, p.default, p.accepts, p.doc] for p in description.parameters],
        )
    if description.traits:
        console.print()
        print_table("traits", ["trait", "value"], [[key, str(value)] for key, value in description.traits.items()])
    if description.comparison:
        console.print()
        _print_comparison(*description.comparison)
    if description.example:
        console.print(Text("\nexample\n" + description.example))
    if description.references:
        console.print(Text("\nreferences\n" + description.references))


def _print_comparison(head: Sequence[str], *rows: Sequence[str]) -> None:
    """Print one thing downwards, several in two tables: what needs words, and what is yes or no."""
    if len(rows) == 1:
        print_table("compared", ["property", "value"], list(zip(head, rows[0], strict=True)))
        return
    marks = [at for at in range(1, len(head)) if all(row[at] in ("yes", "no") for row in rows)]
    for columns in ([at for at in range(1, len(head)) if at not in marks], marks):
        which = (0, *columns)
        print_table("compared", [head[at] for at in which], [[row[at] for at in which] for row in rows])
