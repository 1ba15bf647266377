"""``sfumato questions``: does a release by a policy let persons be singled out, linked, or a value be inferred?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.arguments import AsJson, Data, PolicyFile
from sfumato.cli.main import app
from sfumato.cli.sources import reads
from sfumato.cli.texts import columns_of, show

if TYPE_CHECKING:
    from sfumato.verbs.three_questions import Question, ThreeAnswers

__all__ = ["questions"]


@app.command()
@reads
def questions(
    data: Data,
    policy: PolicyFile,
    aux: Annotated[
        str | None,
        typer.Option(
            "--aux", help="Columns that an outsider knows, separated by commas; if not given, the quasi-identifiers."
        ),
    ] = None,
    sensitive: Annotated[
        str | None,
        typer.Option(
            "--sensitive",
            help="Columns to infer, separated by commas; if not given, the sensitive one, or else the target.",
        ),
    ] = None,
    control: Annotated[float, typer.Option("--control", help="The share of records that is held out.")] = 0.5,
    attempts: Annotated[int, typer.Option("--attempts", help="Guesses about each group.")] = 2000,
    neighbours: Annotated[int, typer.Option("--neighbours", help="Nearest records that are looked at.")] = 1,
    confidence: Annotated[float, typer.Option("--confidence", help="Of the intervals.")] = 0.95,
    negligible: Annotated[float, typer.Option("--negligible", help="A risk up to this counts as none.")] = 0.1,
    repetitions: Annotated[int, typer.Option("--repetitions", help="How often records are held out anew.")] = 1,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the two groups and of the attacks.")] = 0,
    keep: Annotated[
        Path | None,
        typer.Option(
            "--keep",
            help="A release by this policy: keep the answers in its private part, where its page finds them when it is "
            "made again; with a yes that its policy does not accept it is not signed.",
        ),
    ] = None,
    json_form: AsJson = False,
) -> None:
    """Ask the three questions of anonymity: hold out some records, release the others, attack both."""
    from sfumato.cli.progress import under_way
    from sfumato.verbs.three_questions import three_questions

    with under_way(quiet=json_form, lasting=True, compiling=not json_form) as run:
        found = three_questions(
            data,
            policy,
            aux=columns_of(aux),
            sensitive=columns_of(sensitive),
            control=control,
            attempts=attempts,
            neighbours=neighbours,
            confidence=confidence,
            negligible=negligible,
            repetitions=repetitions,
            seed=seed,
            keep=keep,
            run=run,
        )
    if json_form:
        show(json.dumps(found.document(), indent=1))
        return
    _print(found)


def _print(found: ThreeAnswers) -> None:
    from sfumato.reports.text import print_table

    times = f", {found.repetitions} times" if found.repetitions > 1 else ""
    show(
        f"{found.released:,} records released, {found.held_out:,} held out as the control group{times}; seed {found.seed}"
    )
    wanted = ", ".join(question.about for question in found.questions if question.about is not None)
    show(f"an outsider knows {', '.join(found.aux)}" + (f" and wants {wanted}" if wanted else ""))
    header = ["question", "success in the release", "in the control group", "risk", "answer"]
    print_table("", header, [_row(question, bool(found.further)) for question in found.questions])
    for question in found.questions:
        show(question.reading)
        for note in question.notes:
            show(f"note: {note}")


def _row(question: Question, named: bool) -> list[str]:
    text = f"{question.text} ({question.about})" if named and question.about is not None else question.text
    if question.excess is None:
        return [text, "", "", "", question.answer]
    low, high = question.excess.interval
    return [
        text,
        question.excess.release.text,
        question.excess.control.text,
        f"{question.excess.risk:.1%} [{low:.1%} to {high:.1%}]",
        question.answer,
    ]
