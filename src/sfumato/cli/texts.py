"""What options say as text: names, numbers, and things with their parameters."""

from __future__ import annotations

import shlex

import typer

__all__ = ["columns_of", "names", "numbers", "requirement_from_text", "show", "thing_from_text", "value_of"]


def show(text: object = "", *, err: bool = False) -> None:
    """Print a line; what a file calls its columns cannot move the cursor or change colours."""
    from sfumato.data.text import printable

    typer.echo(printable(str(text)), err=err)


def names(text: str | None) -> list[str] | None:
    """Read names that are separated by commas.

    >>> names("age, sex")
    ['age', 'sex']
    """
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]


def columns_of(text: str | None) -> list[str] | None:
    """Read columns that are separated by commas; a name that is empty is looked for, and refused by whoever looks.

    >>> columns_of("age, sex"), columns_of("age,"), columns_of("")
    (['age', 'sex'], ['age', ''], None)
    """
    return [name.strip() for name in text.split(",")] if text else None


def numbers(text: str, option: str) -> list[int]:
    """Read whole numbers that are separated by commas.

    >>> numbers("2, 3,5", "--ks")
    [2, 3, 5]
    """
    from sfumato.errors import BadRequest

    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise BadRequest("must be whole numbers separated by commas", parameter=option, value=text) from None


def value_of(text: str, pair: str, option: str) -> object:
    """Read a value as YAML, so that lists and mappings can be written in one line."""
    from ruamel.yaml.error import YAMLError

    from sfumato.data.yaml import yaml_reader
    from sfumato.errors import BadRequest

    try:
        read: object = yaml_reader("safe").load(text)
    except YAMLError:
        raise BadRequest("has a value that cannot be read", parameter=option, value=pair) from None
    return read


def requirement_from_text(text: str, option: str = "--require") -> dict[str, object]:
    """Read ``id key=value key=value``; what is wrong with it is said of the option that it was given by.

    >>> requirement_from_text("k-anonymity k=5 qid=[age,sex]")
    {'id': 'k-anonymity', 'k': 5, 'qid': ['age', 'sex']}
    """
    from sfumato.errors import BadRequest

    try:
        parts = shlex.split(text)
    except ValueError:
        raise BadRequest("has a quotation mark that is not closed", parameter=option, value=text) from None
    if not parts:
        raise BadRequest("must be an id, with key=value after it if need be", parameter=option, value=text)
    name, *pairs = parts
    out: dict[str, object] = {"id": name}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise BadRequest("must be key=value", parameter=option, value=pair)
        out[key] = value_of(value, pair, option)
    return out


def thing_from_text(text: str, option: str) -> dict[str, object]:
    """Read ``id key=value`` of a requirement or a perturbation that must be given.

    >>> thing_from_text("rank-swapping column=age p=5", "--with")
    {'id': 'rank-swapping', 'column': 'age', 'p': 5}
    """
    from sfumato.errors import BadRequest

    if not text.strip():
        raise BadRequest(f"must name a {'requirement' if option == '--require' else 'perturbation'}", parameter=option)
    return requirement_from_text(text, option)
