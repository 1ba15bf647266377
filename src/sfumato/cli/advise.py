"""``sfumato advise``: from answers about who gets the data, and what for, to requirements and limits, with reasons."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Literal

import typer

from sfumato.cli.arguments import AsJson, Language
from sfumato.cli.documents import show_json
from sfumato.cli.main import app
from sfumato.cli.texts import show
from sfumato.data.messages import ENGLISH

__all__ = ["advise"]


@app.command()
def advise(
    recipients: Annotated[
        Literal["anyone", "contract", "house"],
        typer.Argument(help="Who gets the data: anyone, those who signed a contract, people of the own house."),
    ],
    know_who: Annotated[
        bool,
        typer.Option("--know-who/--not-who", help="Whether a recipient may know that a person is in the table."),
    ] = True,
    population: Annotated[
        bool, typer.Option("--population", help="A table of the population is at hand, to count groups in.")
    ] = False,
    sensitive: Annotated[
        list[str] | None, typer.Option("--sensitive", help="A column that nobody may learn of a person; repeatable.")
    ] = None,
    purpose: Annotated[str | None, typer.Option("--purpose", help="What the data is for, in words.")] = None,
    use: Annotated[
        Literal["predict", "count", "link", "test"] | None,
        typer.Option("--use", help="What is done with it: predict a column, count, link rows, test programs."),
    ] = None,
    column: Annotated[
        str | None, typer.Option("--column", help="The column that is predicted, or by which rows are linked.")
    ] = None,
    k: Annotated[int | None, typer.Option("--k", help="Another k than the customary one.")] = None,
    because: Annotated[str | None, typer.Option("--because", help="Why another k.")] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Keep answers and proposals in this file, for the dossier.")
    ] = None,
    language: Language = ENGLISH,
    json_form: AsJson = False,
) -> None:
    """Answer who gets the data and what for, and be told what to ask of it: requirements, limits and a search, with reasons."""
    from sfumato.cli.files import refuse_existing, write_text
    from sfumato.data.commented_yaml import commented_yaml
    from sfumato.data.messages import refuse_unspoken, speaking
    from sfumato.verbs.advise import advise as advised

    refuse_unspoken(language)
    if out is not None:
        refuse_existing(out, "--out")
    with speaking(language):
        proposal = advised(
            recipients,
            know_who=know_who,
            population=population,
            sensitive=sensitive or (),
            purpose=purpose,
            use=use,
            column=column,
            k=k,
            because=because,
        )
        if out is not None:
            write_text(out, json.dumps(proposal.document(), ensure_ascii=False, indent=2) + "\n", "--out")
        if json_form:
            show_json(proposal.document())
            return
        for sentence in proposal.sentences():
            show(sentence)
        show("")
        show(commented_yaml(proposal.policy(), {}).rstrip())
