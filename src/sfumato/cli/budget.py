"""``sfumato ledger budget``: privacy budgets that a ledger remembers, charged before an answer is given."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.arguments import AsJson, LedgerFile, LedgerKey
from sfumato.cli.documents import show_json
from sfumato.cli.texts import show

if TYPE_CHECKING:
    from sfumato.ledger.budgets import Cost, Quote

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
    from sfumato.ledger.ledger import Ledger

    with Ledger(place, key=key) as opened:
        opened.budgets.allot(name, epsilon=epsilon, delta=delta, window=_window(days))
        _tell([opened.budgets.quote(name, epsilon=0)], json_form)


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
    from sfumato.ledger.ledger import Ledger

    with Ledger(place, key=key) as opened:
        opened.budgets.top_up(name, epsilon=epsilon, delta=delta)
        _tell([opened.budgets.quote(name, epsilon=0)], json_form)


@budget.command(name="show")
def show_(
    place: LedgerFile,
    name: Annotated[str | None, typer.Argument(help="The budget; all if not given.")] = None,
    key: LedgerKey = None,
    json_form: AsJson = False,
) -> None:
    """Show what each budget allows, what is spent and what is left."""
    from sfumato.ledger.ledger import Ledger

    with Ledger(place, key=key) as opened:
        names = opened.budgets.names if name is None else (name,)
        _tell([opened.budgets.quote(one, epsilon=0) for one in names], json_form)


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
    from sfumato.ledger.ledger import Ledger

    with Ledger(place, key=key) as opened:
        quotes = [opened.budgets.quote(name, epsilon=epsilon, delta=delta) for name in names]
    _tell(quotes, json_form)
    raise typer.Exit(0 if all(quote.allowed for quote in quotes) else 1)


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
    from sfumato.ledger.ledger import Ledger

    with Ledger(place, key=key) as opened:
        entry = opened.budgets.charge(names, epsilon=epsilon, delta=delta, key=question, purpose=purpose)
        _tell([opened.budgets.quote(name, epsilon=epsilon, delta=delta) for name in names], json_form, entry.number)


@budget.command()
def refund(
    place: LedgerFile,
    question: Annotated[str, typer.Argument(help="The question that was charged and never answered.")],
    reason: Annotated[str, typer.Option("--reason", help="Why, in words.")],
    key: LedgerKey = None,
    json_form: AsJson = False,
) -> None:
    """Take a charge back, because its question was never answered; once."""
    from sfumato.ledger.ledger import Ledger

    with Ledger(place, key=key) as opened:
        entry = opened.budgets.refund(question, reason)
        given = [opened.budgets.quote(name, epsilon=0) for name in opened.budgets.charged_by(question)]
        _tell(given, json_form, entry.number)


def _window(days: float | None) -> timedelta | None:
    from sfumato.errors import BadRequest

    try:
        return None if days is None else timedelta(days=days)
    except (OverflowError, ValueError):
        raise BadRequest("is no span of time", parameter="--days", value=days) from None


def _tell(quotes: Sequence[Quote], json_form: bool, entry: int | None = None) -> None:
    """Print budgets, one in each line; ``entry`` is the number of what was written."""
    if json_form:
        written = {} if entry is None else {"entry": entry}
        show_json({**written, "budgets": [_document(quote) for quote in quotes]})
        return
    for quote in quotes:
        show(quote)
    if entry is not None:
        show(f"entry {entry} of the ledger")


def _document(quote: Quote) -> dict[str, object]:
    asked = quote.times is not None
    return {
        "budget": quote.budget,
        "days": quote.days,
        "limit": _amount(quote.limit),
        "spent": _amount(quote.spent),
        "left": _amount(quote.left),
        **({"asked": _amount(quote.asked), "allowed": quote.allowed, "times": quote.times} if asked else {}),
    }


def _amount(cost: Cost) -> dict[str, float]:
    from sfumato.ledger.budgets import MICRO, NANO

    return {"epsilon": cost.epsilon / MICRO, "delta": cost.delta / NANO}
