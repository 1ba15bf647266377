"""``sfumato release``: every kind of release that is built from a grouping, from declared boxes, or from noise."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.cli.arguments import Data, EngineName
from sfumato.cli.main import app

__all__ = ["names", "release", "thing_from_text"]

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
}


@app.command()
def release(
    data: Data,
    kind: Annotated[str, typer.Option("--kind", "-k", help="Id of the kind, such as anatomy-pair.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The new release folder.")],
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
    output_format: Annotated[
        str | None, typer.Option("--format", help="Format of the release; the input's if not given.")
    ] = None,
    engine: EngineName = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
) -> None:
    """Build a release of another kind than a recoded table, verify what was written, and leave OUT/public and OUT/private.

    Kinds: anatomy-pair, permuted-table, cluster-release and histogram-release from groups; perturbed-table,
    synthetic-table and noisy-answers from noise. `sfumato describe KIND` says what each of them is.
    """
    from sfumato.errors import BadRequest
    from sfumato.policy import Policy
    from sfumato.reports.kind_text import print_kind
    from sfumato.verbs.publish import publish
    from sfumato.verbs.release import release as made_of

    if out.exists():
        raise BadRequest("exists already; a release never overwrites anything", parameter="--out", value=str(out))
    asked = None if policy is None else Policy.load(policy)
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
        **_parameters(set_ or ()),
    )
    publish(
        made,
        out,
        format=output_format,
        separator=None if asked is None else asked.source.separator,
        input_path=data,
    )
    if not quiet:
        print_kind(made, out)


def names(text: str | None) -> list[str] | None:
    """Read names that are separated by commas.

    >>> names("age, sex")
    ['age', 'sex']
    """
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]


def _parameters(pairs: Any) -> dict[str, Any]:
    """Read ``key=value``; a perturbation may be written like a requirement, ``id key=value``."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    from sfumato.errors import BadRequest

    out: dict[str, Any] = {}
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
        try:
            out[key] = YAML(typ="safe").load(value)
        except YAMLError:
            raise BadRequest("has a value that cannot be read", parameter="--set", value=pair) from None
    return out


def thing_from_text(text: str, option: str) -> dict[str, Any]:
    """Read ``id key=value``; what is wrong with it is said of the option that it was given by.

    >>> thing_from_text("rank-swapping column=age p=5", "--with")
    {'id': 'rank-swapping', 'column': 'age', 'p': 5}
    """
    from sfumato.cli.check import requirement_from_text
    from sfumato.errors import BadRequest

    if not text.strip():
        raise BadRequest(f"must name a {'requirement' if option == '--require' else 'perturbation'}", parameter=option)
    try:
        return requirement_from_text(text)
    except BadRequest as error:
        raise BadRequest(error.rule, parameter=option, value=error.value) from None
