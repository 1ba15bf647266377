"""Options for how a source is written, the same on every command that reads one."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated

import typer

__all__ = ["reads"]

_OPTIONS = {
    "separator": Annotated[str | None, typer.Option("--separator", help="Column separator, if not to be detected.")],
    "encoding": Annotated[str | None, typer.Option("--encoding", help="Text encoding, such as cp1252, if not UTF-8.")],
    "missing": Annotated[
        list[str] | None, typer.Option("--missing", help="A text that stands for a missing value; may be repeated.")
    ],
    "sheet": Annotated[str | None, typer.Option("--sheet", help="Sheet of a spreadsheet.")],
    "table": Annotated[str | None, typer.Option("--table", help="Table of a database.")],
    "skip_first": Annotated[
        int | None, typer.Option("--skip-first", min=0, help="Lines above the header that are no part of the table.")
    ],
    "skip_last": Annotated[
        int | None, typer.Option("--skip-last", min=0, help="Lines below the last record, such as totals.")
    ],
    "rename_columns": Annotated[
        bool | None,
        typer.Option("--rename-columns", help="Give columns without a name of their own another one."),
    ],
    "header": Annotated[
        bool | None,
        typer.Option("--header/--no-header", help="Whether names of columns stand above the first record."),
    ],
    "written": Annotated[
        list[str] | None,
        typer.Option(
            "--written", help="How a column is written, as COLUMN=FORMAT, such as born=dd.mm.yyyy; may be repeated."
        ),
    ],
}


def reads(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options; what is said there goes with its DATA and counts before what a policy says."""
    own = inspect.signature(command, eval_str=True)
    place = next(name for name in own.parameters if name in ("data", "raw"))
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
        for name, kind in _OPTIONS.items()
    ]

    @wraps(command)
    def called(**given: object) -> None:
        from sfumato.engines.sources import Described

        said = {name: given.pop(name) for name in _OPTIONS}
        formats = dict(_written(pair) for pair in said.pop("written") or ())  # type: ignore[attr-defined]
        told = {name: value for name, value in said.items() if value not in (None, [])}
        if "missing" in told:
            told["missing"] = ("", *told["missing"])  # type: ignore[misc]
        if told or formats:
            given[place] = Described.of(str(given[place]), {**told, **({"formats": formats} if formats else {})})
        command(**given)

    parameters = [*own.parameters.values(), *added]
    vars(called)["__signature__"] = own.replace(parameters=parameters)
    called.__annotations__ = {one.name: one.annotation for one in parameters}
    return called


def _written(pair: str) -> tuple[str, str]:
    from sfumato.errors import BadRequest

    name, equals, form = pair.rpartition("=")
    if not equals or not name or not form:
        raise BadRequest("must be COLUMN=FORMAT", parameter="--written", value=pair)
    return name, form
