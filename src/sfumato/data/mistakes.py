"""Mistakes in a document, as pydantic finds them, in our words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from sfumato.data.frozen import frozen

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

__all__ = ["Mistake", "mistake"]

Place = tuple[str | int, ...]

# By the beginning of the type of an error.
_RULES: Mapping[str, str] = {
    "missing": "is required and missing",
    "extra_forbidden": "is not a key of a policy",
    "dict_": "must be a mapping of keys",
    "model_": "must be a mapping of keys",
    "mapping_": "must be a mapping of keys",
    "tuple_": "must be a list",
    "list_": "must be a list",
    "int_": "must be a whole number",
    "float_": "must be a number",
    "finite_number": "must be a number that is not infinite",
    "string_": "must be a text",
    "bool_": "must be true or false",
    "enum": "is not one of the choices",
    "literal_error": "is not one of the choices",
    "greater_than_equal": "must be >= {ge:g}",
    "greater_than": "must be > {gt:g}",
    "less_than_equal": "must be <= {le:g}",
    "less_than": "must be < {lt:g}",
    "too_short": "must have at least {min_length:#}",
    "too_long": "must have at most {max_length:#}",
}
_EITHER = "dict[str,any]"  # what a place ends with where an id may stand for a mapping
_SECRET = ("pseudonym", "ledger")  # who misreads the key may have put a secret there


@frozen
class Mistake:
    """What is wrong in one place of a document, what was given there, and what could be; ``unknown`` if the key is."""

    place: Place
    rule: str
    given: str | int | float | None = None
    choices: list[str] | None = None
    unknown: bool = False


def mistake(error: ErrorDetails) -> Mistake:
    """Return what is wrong, in our words; what validators of ours say stays as they say it."""
    kind, facts, given = error["type"], error.get("ctx", {}), error["input"]
    if error["loc"] and error["loc"][-1] == _EITHER:
        return Mistake(error["loc"][:-1], "must be an id, or a mapping with an id and parameters", _shown(given))
    rule = next((rule for start, rule in _RULES.items() if kind.startswith(start)), error["msg"])
    for name, limit in facts.items():
        rule = rule.replace(f"{{{name}:g}}", f"{limit:g}" if isinstance(limit, (int, float)) else str(limit)).replace(
            f"{{{name}:#}}", "1 entry" if limit == 1 else f"{limit} entries"
        )
    if given is None and kind != "missing":
        rule += ", and nothing is given"
    choices = re.findall(r"'([^']*)'", facts["expected"]) or [facts["expected"]] if "expected" in facts else None
    shown = None if kind in _SECRET else _shown(given)
    return Mistake(error["loc"], rule, shown, choices, kind == "extra_forbidden")


def _shown(given: object) -> str | int | float | None:
    return given if isinstance(given, (str, int, float)) else None
