"""Options for what an adversary may know, made from what a shape of data declares."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from types import NoneType
from typing import Annotated, cast, get_args

import typer

from sfumato.cli.texts import columns_of, value_of
from sfumato.contracts.engine import Table
from sfumato.contracts.knowledge import Knowledge, Names, Piece, Seen, pieces

__all__ = ["asks", "fitting"]


def asks(shape: type[Knowledge], *, learns_one: bool = False) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command an option for everything that can be told in one word; it gets the answers as ``told``.

    What an adversary of another shape of data may know is told by ``--know``. ``learns_one`` says that the command learns one
    column, whose name may hold a comma.
    """

    def asking(command: Callable[..., None]) -> Callable[..., None]:
        asked = {piece.said: piece for piece in pieces(shape) if _type(piece) is not None}
        listed = {
            said for said, one in asked.items() if one.hint == Names and not (learns_one and one.field == "learn")
        }
        options = [*(_option(piece, piece.said in listed) for piece in asked.values()), _KNOW]
        own = inspect.signature(command, eval_str=True)
        parameters = [one for held in own.parameters.values() for one in (options if held.name == "told" else [held])]

        @wraps(command)
        def called(**given: object) -> None:
            answers = {said: given.pop(said) for said in asked}
            told = {
                said: columns_of(str(answer)) if said in listed and answer is not None else answer
                for said, answer in answers.items()
            }
            pairs = cast("Sequence[str]", given.pop("know") or ())
            command(**given, told={**told, **dict(_known(pair) for pair in pairs)})

        vars(called)["__signature__"] = own.replace(parameters=parameters)
        called.__annotations__ = {one.name: one.annotation for one in parameters}
        return called

    return asking


def fitting(told: Mapping[str, object], *shapes: type[Knowledge]) -> dict[str, object]:
    """Return what was told; refuse what nobody can know beside data of this shape."""
    from sfumato.errors import BadRequest

    asked = {piece.said: piece for shape in reversed(shapes) for piece in pieces(shape)}
    rest = next((piece.said for piece in asked.values() if piece.rest), None)
    said: dict[str, object] = {}
    others: dict[str, object] = {}
    for given, value in told.items():
        name = given if given in asked else given.replace("-", "_")
        if value is not None:
            (others if rest is not None and name not in asked else said)[name if name in asked else given] = value
    if rest is not None and others:
        held = said.get(rest)
        said[rest] = {**(held if isinstance(held, Mapping) else {}), **others}
    for name, value in said.items():
        if name not in asked:
            raise BadRequest("is nothing that is known beside such data", parameter=name, available=asked)
        if _type(asked[name]) is int and type(value) is not int:
            raise BadRequest("must be a whole number", parameter=name, value=value)
        if asked[name].hint == Names and isinstance(value, str) and asked[name].field != "learn":
            said[name] = columns_of(value)
    return said


def _known(pair: str) -> tuple[str, object]:
    from sfumato.errors import BadRequest

    name, equals, value = pair.partition("=")
    if not equals:
        raise BadRequest(
            "must be NAME=VALUE, such as points=PLACE@TIME, items=milk,bread or age=34", parameter="--know", value=pair
        )
    return name.strip(), value_of(value, pair, "--know")


_KNOW = inspect.Parameter(
    "know",
    inspect.Parameter.POSITIONAL_OR_KEYWORD,
    default=None,
    annotation=Annotated[
        list[str] | None,
        typer.Option(
            "--know",
            help="What is known beside data of another shape than a table, as NAME=VALUE: points=north@8,@17 (place@time, "
            "place or @time) or age=34 (a column of persons) of paths, items=milk,bread of baskets; repeatable.",
        ),
    ],
)


def _type(piece: Piece) -> type | None:
    """Return what an option holds: a number, or the text of columns, a file or a folder; nothing if no word can tell it."""
    kinds = {Names} if piece.hint == Names else {*get_args(piece.hint)} - {NoneType}
    return int if kinds == {int} else str if kinds <= {Names, Table, Seen, str} else None


def _option(piece: Piece, listed: bool) -> inspect.Parameter:
    several = (
        "" if not listed else ", separated by commas" if piece.field == "known" else "; several separated by commas"
    )
    doc = f"{piece.doc[0].upper()}{piece.doc[1:]}{several}" + (
        f"; if not given, {piece.unsaid}" if piece.unsaid else ""
    )
    option = typer.Option(f"--{piece.flag}", help=f"{doc}.")
    kind = Annotated[int | None, option] if _type(piece) is int else Annotated[str | None, option]
    return inspect.Parameter(piece.said, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None, annotation=kind)
