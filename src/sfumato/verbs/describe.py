"""Explain any id from its own declaration: what it is, the formula, the adversary, parameters, traits, references."""

from __future__ import annotations

import dataclasses
import inspect
import re
from dataclasses import MISSING
from typing import overload

from sfumato.catalogue import TABLE, find, home_of, things
from sfumato.contracts.thing import Thing, parameters
from sfumato.data.frozen import frozen
from sfumato.verbs._other_tools import ELSEWHERE

__all__ = ["Description", "Parameter", "describe"]


@frozen
class Parameter:
    """One parameter as a reader needs it."""

    name: str
    type: str
    default: str
    accepts: str
    doc: str


@frozen
class Description:
    """A thing in words and data, from its own fields and docstring."""

    id: str
    kind: str
    name: str
    module: str
    summary: str
    text: str
    adversary: str
    parameters: tuple[Parameter, ...]
    traits: dict[str, object]
    example: str
    references: str
    shape: str
    comparison: tuple[tuple[str, ...], ...] = ()
    """The names of columns, then rows: those that compare it with others of its shape, or all that it compares."""
    elsewhere: tuple[tuple[str, str], ...] = ()
    """Other tools, each with what it calls the same thing."""


@overload
def describe(name: str | Thing | type[Thing], kind: str | None = None, shape: str | None = None) -> Description: ...
@overload
def describe(name: None = None, kind: str | None = None, shape: str | None = None) -> list[Description]: ...
def describe(
    name: str | Thing | type[Thing] | None = None, kind: str | None = None, shape: str | None = None
) -> Description | list[Description]:
    """Return the description of one id, class or thing, or of every id of a kind; an id of several shapes is that of tables.

    >>> describe("k-anonymity").parameters[-1].name
    'k'
    """
    if isinstance(name, Thing):
        return _describe(type(name))
    if isinstance(name, type):
        return _describe(name)
    if name is not None:
        return _describe(find(name, kind, shape))
    return [_describe(thing) for thing in things(kind, shape)]


def _describe(thing: type[Thing]) -> Description:
    doc = inspect.getdoc(thing) or ""
    body, sections = _sections(doc)
    summary, _, text = body.partition("\n\n")
    traits = getattr(thing, "traits", None)
    return Description(
        id=thing.id,
        kind=thing.kind,
        name=thing.__name__,
        module=thing.__module__,
        summary=summary.replace("\n", " "),
        text=text.strip(),
        adversary=getattr(thing, "adversary", ""),
        parameters=tuple(
            Parameter(
                declared.name,
                _type_text(hint),
                "required" if declared.default is MISSING else repr(declared.default),
                rule.range_text(),
                rule.doc,
            )
            for declared, rule, hint in parameters(thing)
        ),
        traits={} if traits is None else {f.name: _trait(getattr(traits, f.name)) for f in dataclasses.fields(traits)},
        example=sections.get("Examples", ""),
        references=sections.get("References", ""),
        shape=home_of(thing),
        comparison=_comparison(thing),
        elsewhere=tuple((tool, ids[thing.id]) for tool, ids in ELSEWHERE.items() if thing.id in ids)
        if home_of(thing) == TABLE
        else (),
    )


def _comparison(thing: type[Thing]) -> tuple[tuple[str, ...], ...]:
    """Return the rows of a thing in a comparison of its shape, below their head; all rows of a comparison itself."""
    rows = thing.comparison()
    if not rows and thing.kind == "algorithm" and home_of(thing) != TABLE:
        for other in things("operation", home_of(thing)):
            head, *held = other.comparison() or [()]
            own = [row for row in held if row[0] == thing.id]
            rows = [head, *own] if own else rows
    return tuple(tuple(row) for row in rows)


def _sections(doc: str) -> tuple[str, dict[str, str]]:
    pieces = re.split(r"(?m)^([A-Z][a-z]+)\n-{3,}\n", doc)
    return pieces[0].strip(), {pieces[i]: pieces[i + 1].strip() for i in range(1, len(pieces) - 1, 2)}


def _trait(value: object) -> object:
    return sorted(value) if isinstance(value, frozenset) else list(value) if isinstance(value, tuple) else value


def _type_text(hint: object) -> str:
    text = hint.__name__ if isinstance(hint, type) and not hasattr(hint, "__args__") else str(hint)
    return text.replace("typing.", "").replace("collections.abc.", "")
