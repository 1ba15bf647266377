"""Suggestions by who gets the data: numbers with their source, kept in one readable file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from sfumato.catalogue import find
from sfumato.contracts.thing import parameters
from sfumato.data.json import Json
from sfumato.data.messages import ENGLISH, spoken
from sfumato.web.project import Spec

__all__ = ["AUDIENCES", "Suggestion", "fitting", "suggestion"]

AUDIENCES = ("anyone", "contract", "house")


@dataclass(frozen=True)
class Suggestion:
    """What is suggested for one audience."""

    k: int
    l: int
    suppress_at_most: float
    reason: Mapping[str, str]
    source: str

    @property
    def why(self) -> str:
        """The reason in the language that is spoken; in English if nobody has translated it."""
        return self.reason.get(spoken(), self.reason[ENGLISH])


@cache
def _all() -> dict[str, Suggestion]:
    held = tomllib.loads(files("sfumato.web").joinpath("advisor.toml").read_text("utf-8"))
    return {name: Suggestion(**entry) for name, entry in held.items()}


def suggestion(audience: str) -> Suggestion:
    """Return what is suggested for an audience."""
    return _all()[audience]


def fitting(sensitive: str | None, given: Suggestion, distinct: int) -> list[Spec]:
    """Return the promises of a suggestion: a group to hide in, and more than one secret in it where there is a secret."""
    made: list[Spec] = [{"id": "k-anonymity", "k": given.k}]
    if sensitive is not None and distinct > 1:
        made.append({"id": "l-diversity-distinct", "l": min(given.l, distinct), "sensitive": sensitive})
    return made


def begun(model: str, sensitive: str | None) -> Spec:
    """Return a promise to begin with: each required number at its lowest safe value, the secret where one is asked for."""
    kind, spec = find(model, "model", "table"), Spec({"id": model})
    from dataclasses import MISSING

    for declared, rule, hint in parameters(kind):
        if declared.default is not MISSING:
            continue
        value: Json = None
        if rule.column_role is not None:
            value = sensitive
        elif rule.choices is not None:
            value = str(rule.choices[0])
        elif hint is int:
            value = max(2, int(rule.ge or 0))
        elif hint is float:
            low = rule.ge if rule.ge is not None else rule.gt or 0.0
            high = rule.le if rule.le is not None else rule.lt if rule.lt is not None else low + 1
            value = round((low + high) / 2, 3)
        spec[declared.name] = value
    return spec
