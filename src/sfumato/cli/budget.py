"""``sfumato ledger budget``: privacy budgets that a ledger remembers, charged before an answer is given."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.arguments import AsJson, LedgerFile, LedgerKey
from sfumato.cli.documents import show_json
from sfumato.cli.texts import show

if TYPE_CHECKING:
    from sfumato.ledger.budgets import Budgets, Quote

__all__ = ["budget"]

budget = typer.Typer(
    name="budget",
    help="Privacy budgets: make one, add to it, ask what a question would cost, charge it, take a charge back.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Name = Annotated[str, typer.Argument(help="The budget.")]
Names = Annotated[list[str], typer.Argument(help="The budget, or several that are all charged.")]
Epsilon = Annotated[float, typer.Option("--epsilon", "-e", help="How much epsilon, kept in millionths.")]
Delta = Annotated[float, typer.Option("--delta", "-d", help="How much delta, kept in billionths.")]


@budget.command(name="set")
def set_(
    place: LedgerFile,
    name: Name,
    epsilon: Epsilon,
    delta: Delta = 0.0,
    days: Annotated[
        float | None, typer.Option("--days", help="Bound what is spent within any so many days; ever if not given.")
    ] = None,
    key: LedgerKey = None,
    json_form: AsJson = False,
) -> None:
    """Make a budget."""
    with _budgets(place, key, json_form) as (budgets, told):
        budgets.allot(name, epsilon=epsilon, delta=delta, window=_window(days))
        told.quotes += [budgets.quote(name, epsilon=0)]


@budget.command(name="top-up")
def top_up(
    place: LedgerFile,
    name: Name,
    epsilon: Epsilon,
    delta: Delta = 0.0,
    key: LedgerKey = None,
    json_form: AsJson = False,
) -> None:
    """Add to a budget."""
    with _budgets(place, key, json_form) as (budgets, told):
        budgets.top_up(name, epsilon=epsilon, delta=delta)
        told.quotes += [budgets.quote(name, epsilon=0)]


@budget.command(name="show")
def show_(
    place: LedgerFile,
    name: Annotated[str | None, typer.Argument(help="The budget; all if not given.")] = None,
    key: LedgerKey = None,
    json_form: AsJson = False,
) -> None:
    """Show what each budget allows, what is spent and what is left."""
    with _budgets(place, key, json_form) as (budgets, told):
        told.quotes += [budgets.quote(one, epsilon=0) for one in (budgets.names if name is None else (name,))]


@budget.command()
def ask(
    place: LedgerFile,
    names: Names,
    epsilon: Epsilon,
    delta: Delta = 0.0,
    key: LedgerKey = None,
    json_form: AsJson = False,
) -> None:
    """Say what a question would cost and how many such questions are left; charge nothing. The answer no has exit code 1."""
    with _budgets(place, key, json_form) as (budgets, told):
        told.quotes += [budgets.quote(name, epsilon=epsilon, delta=delta) for name in names]
    raise typer.Exit(0 if all(quote.allowed for quote in told.quotes) else 1)


@budget.command()
def charge(
    place: LedgerFile,
    names: Names,
    epsilon: Epsilon,
    question: Annotated[
        str, typer.Option("--question", help="Which question, never a person: charged once, however often it comes.")
    ],
    delta: Delta = 0.0,
    purpose: Annotated[str, typer.Option("--purpose", help="What it is asked for, in words.")] = "",
    key: LedgerKey = None,
    json_form: AsJson = False,
) -> None:
    """Charge a question before it is answered; refused with exit code 3 where a budget does not cover it."""
    with _budgets(place, key, json_form) as (budgets, told):
        told.entry = budgets.charge(names, epsilon=epsilon, delta=delta, key=question, purpose=purpose).number
        told.quotes += [budgets.quote(name, epsilon=epsilon, delta=delta) for name in names]


@budget.command()
def refund(
    place: LedgerFile,
    question: Annotated[str, typer.Argument(help="The question that was charged and never answered.")],
    reason: Annotated[str, typer.Option("--reason", help="Why, in words.")],
    key: LedgerKey = None,
    json_form: AsJson = False,
) -> None:
    """Take a charge back, because its question was never answered; once."""
    with _budgets(place, key, json_form) as (budgets, told):
        told.entry = budgets.refund(question, reason).number
        told.quotes += [budgets.quote(name, epsilon=0) for name in budgets.charged_by(question)]


@dataclass
class _Told:
    """What a command says in the end: budgets, and the number of the entry that was written."""

    quotes: list[Quote] = field(default_factory=list)
    entry: int | None = None


@contextmanager
def _budgets(place: str, key: Path | None, json_form: bool) -> Iterator[tuple[Budgets, _Told]]:
    """Open the budgets of a ledger; print what is told of them in the end, one in each line."""
    from sfumato.ledger.ledger import Ledger

    told = _Told()
    with Ledger(place, key=key) as opened:
        yield opened.budgets, told
    if json_form:
        written = {} if told.entry is None else {"entry": told.entry}
        show_json({**written, "budgets": [quote.document() for quote in told.quotes]})
        return
    for quote in told.quotes:
        show(quote)
    if told.entry is not None:
        show(f"entry {told.entry} of the ledger")


def _window(days: float | None) -> timedelta | None:
    from sfumato.errors import BadRequest

    try:
        return None if days is None else timedelta(days=days)
    except (OverflowError, ValueError):
        raise BadRequest("is no span of time", parameter="--days", value=days) from None
