"""``sfumato release``: every kind of release that is built from a grouping, from declared boxes, or from noise."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.arguments import AsJson, Data, EngineName, ExcelSafe, IfThere, OutputFormat, Quiet, ReleaseFolder
from sfumato.cli.documents import show_release
from sfumato.cli.files import refuse_release
from sfumato.cli.main import app, said
from sfumato.cli.sources import reads
from sfumato.cli.texts import names, thing_from_text, value_of

__all__ = ["release"]

# What the verb takes besides the parameters of a kind, and how the command takes it.
_OPTIONS = {
    "source": "DATA",
    "kind": "--kind",
    "groups": "--groups",
    "qid": "--qid",
    "sensitive": "--sensitive",
    "requirements": "--require",
    "policy": "--policy",
    "seed": "--seed",
    "engine": "--engine",
    "run": "the command",
}


@app.command()
@reads
def release(
    data: Data,
    kind: Annotated[str, typer.Option("--kind", "-k", help="Id of the kind, such as anatomy-pair.")],
    out: ReleaseFolder,
    groups: Annotated[
        str | None, typer.Option("--groups", "-g", help="Column that holds the group of each record; not published.")
    ] = None,
    qid: Annotated[
        str | None, typer.Option("--qid", help="Published columns an adversary may know, separated by commas.")
    ] = None,
    sensitive: Annotated[
        str | None, typer.Option("--sensitive", help="Published columns to protect, separated by commas.")
    ] = None,
    require: Annotated[
        list[str] | None,
        typer.Option(
            "--require", "-r", help="A requirement, such as 'l-diversity-distinct l=2 sensitive=c'; may be repeated."
        ),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", help="A parameter of the kind as key=value, the value as YAML; may be repeated."),
    ] = None,
    policy: Annotated[
        Path | None, typer.Option("--policy", "-p", help="A policy that gives roles and requirements.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, help="Repeats the run; keep it: who knows it can undo shuffles.")
    ] = None,
    output_format: OutputFormat = None,
    engine: EngineName = None,
    excel_safe: ExcelSafe = False,
    if_exists: IfThere = "fail",
    quiet: Quiet = False,
    json_form: AsJson = False,
) -> None:
    """Build a release of another kind than a recoded table: verify what was written, and leave OUT/public and OUT/private.

    Kinds: anatomy-pair, permuted-table, cluster-release and histogram-release from groups; perturbed-table,
    synthetic-table and noisy-answers from noise. `sfumato describe KIND` says what each of them is.
    """
    from sfumato.cli.progress import under_way
    from sfumato.reports.kind_text import print_kind
    from sfumato.tables.policy import Policy
    from sfumato.verbs.publish import publish
    from sfumato.verbs.release import release as made_of

    refuse_release(out, if_exists, json_form=json_form)
    asked = None if policy is None else Policy.load(policy)
    with under_way(quiet=quiet or json_form) as run:
        made = made_of(
            data,
            kind,
            groups=groups,
            qid=names(qid),
            sensitive=names(sensitive),
            requirements=[thing_from_text(text, "--require") for text in require or ()] or None,
            policy=asked,
            seed=seed,
            engine=engine,
            run=run,
            **_parameters(set_ or ()),
        )
        publish(
            made,
            out,
            format=output_format,
            separator=None if asked is None else asked.source.separator,
            input_path=data,
            excel_safe=excel_safe,
            if_exists=if_exists,
            run=run,
        )
    if json_form:
        show_release(made, out)
    elif not quiet:
        print_kind(made, out, said())


def _parameters(pairs: Iterable[str]) -> dict[str, object]:
    """Read ``key=value``; a perturbation may be written like a requirement, ``id key=value``."""
    from sfumato.errors import BadRequest

    out: dict[str, object] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key.isidentifier():
            raise BadRequest("must be key=value", parameter="--set", value=pair)
        if key in out or key in _OPTIONS:
            said = f"is given by {_OPTIONS[key]}" if key in _OPTIONS else "is given twice"
            raise BadRequest(said, parameter="--set", value=key)
        if key == "perturbation" and not value.lstrip().startswith(("{", "[")):
            out[key] = thing_from_text(value, "--set")
            continue
        out[key] = value_of(value, pair, "--set")
    return out
