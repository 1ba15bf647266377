"""``sfumato ask``: a question to a desk, answered under audit or with noise, and remembered before the answer leaves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.arguments import AsJson, Data, Language, LedgerKey, PolicyFile
from sfumato.cli.documents import show_json
from sfumato.cli.files import refuse_existing, refuse_nowhere, write_text
from sfumato.cli.main import app
from sfumato.cli.sources import reads
from sfumato.cli.texts import show

if TYPE_CHECKING:
    from sfumato.interactive.answer import Answer, Explanation

__all__ = ["ask", "show_answer"]


@app.command()
@reads
def ask(
    data: Data,
    question: Annotated[
        str | None,
        typer.Argument(help="Such as: count where age >= 30 and diagnosis = 'flu' group by sex.", show_default=False),
    ] = None,
    policy: PolicyFile = Path("policy.yaml"),
    ledger: Annotated[
        str | None, typer.Option("--ledger", help="The ledger of the desk; that of the policy if not given.")
    ] = None,
    key: LedgerKey = None,
    asker: Annotated[str, typer.Option("--asker", help="Who asks; pays where each asker has a budget.")] = "",
    epsilon: Annotated[
        float | None,
        typer.Option("--epsilon", "-e", help="What each aggregate may cost; that of the policy if not given."),
    ] = None,
    confidence: Annotated[float, typer.Option("--confidence", help="Confidence of the stated errors.")] = 0.95,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say what it would cost and how far answers may be off; ask nothing.")
    ] = False,
    practice: Annotated[
        bool, typer.Option("--practice", help="Ask an invented table of the same columns: free, and about nobody.")
    ] = False,
    report: Annotated[
        Path | None, typer.Option("--report", help="Also write a page about the desk: questions, decisions, budgets.")
    ] = None,
    language: Language = "en",
    json_form: AsJson = False,
) -> None:
    """Ask a question about a table that is not published. Every aggregate is charged and shown; repeats are free."""
    from sfumato.cli.progress import under_way
    from sfumato.data.messages import refuse_unspoken, speaking
    from sfumato.errors import BadRequest
    from sfumato.interactive.desk import Desk

    if question is None and report is None:
        raise BadRequest("give a question, or a page to be written (--report)", parameter="QUESTION")
    if explain and practice:
        raise BadRequest("is asked either way, not both", parameter="--explain")
    if practice and report is not None:
        raise BadRequest("a page tells what was asked, and practice is not remembered", parameter="--report")
    refuse_existing(report, "--report")
    refuse_nowhere(report, "--report")
    refuse_unspoken(language)
    refused = False
    with (
        speaking(language),
        under_way(quiet=True) as run,
        Desk(data, policy, None if practice else ledger, key=key, run=run) as desk,
    ):
        if question is not None and explain:
            _explained(desk.explain(question, asker=asker, epsilon=epsilon, confidence=confidence), json_form)
        elif question is not None:
            if practice:
                answer = desk.practice(question, epsilon=epsilon, confidence=confidence)
            else:
                answer = desk.ask(question, asker=asker, epsilon=epsilon, confidence=confidence)
            if json_form:
                show_json({**answer.document(), **({"practice": True} if practice else {})})
            else:
                show_answer(answer, practice=practice)
            refused = answer.refused
        if report is not None:
            from sfumato.reports.desk_page import desk_page

            write_text(report, desk_page(desk, language), "--report")
    if refused:
        raise typer.Exit(1)


def _explained(found: Explanation, json_form: bool) -> None:
    from sfumato.data.messages import tell

    if json_form:
        show_json(found.document())
        return
    show(tell("page.ask.groups", question=str(found.question), groups=found.groups))
    for name, cost, error in found.parts:
        paid = tell("page.ask.known") if name in found.known else tell("page.ask.costs", cost=f"{cost:g}")
        off = _off(name, error, found.confidence) if error else tell("page.ask.exact")
        show(tell("page.ask.part", name=name, paid=paid, off=off))
    for quote in found.budgets:
        show(quote)


def show_answer(answer: Answer, *, practice: bool = False) -> None:
    """Print the numbers, what is refused and why, what was charged, and how far numbers may be off."""
    from sfumato.data.messages import tell, worded
    from sfumato.data.text import number_text, to_text
    from sfumato.reports.text import print_table

    if practice:
        show(tell("page.ask.practice"))
    by = len(answer.question.by)
    rows = [
        [
            *(to_text(value) for value in row[:by]),
            *("–" if value is None else number_text(round(float(str(value)), 6)) for value in row[by:]),
        ]
        for row in answer.rows()
    ]
    print_table("", [*answer.question.by, *map(str, answer.question.aggregates)], rows)
    for part in answer.parts:
        for why in dict.fromkeys(part.refused):
            if why is not None:
                show(tell("page.ask.refused", name=part.aggregate, why=worded(why)), err=True)
        if answer.mode == "noisy":
            paid = tell("page.ask.repeated") if part.repeated else tell("page.ask.paid", cost=f"{part.epsilon:g}")
            off = _off(part.aggregate, part.error, answer.confidence)
            show(tell("page.ask.line", name=part.aggregate, paid=paid, off=off))
        elif answer.mode == "cell-key":
            show(tell("page.ask.moved", name=part.aggregate, most=f"{part.error:g}"))
    if answer.uncounted:
        show(tell("page.ask.uncounted", names=answer.uncounted))


def _off(aggregate: str, error: float, confidence: float) -> str:
    """Say how far a number may be off; what is chosen among candidates is off by records, not by its unit."""
    from sfumato.data.messages import tell

    ranked = aggregate.startswith(("median", "min", "max"))
    told = {"error": f"{error:g}", "confidence": f"{confidence:.0%}"}
    return tell("page.ask.off_ranks", **told) if ranked else tell("page.ask.off", **told)
