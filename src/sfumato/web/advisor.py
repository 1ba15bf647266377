"""Suggestions by who gets the data, as the verb gives them, and promises to begin with."""

from __future__ import annotations

from dataclasses import MISSING

from sfumato.catalogue import find
from sfumato.contracts.thing import parameters
from sfumato.data.json import Json
from sfumato.verbs.advise import AUDIENCES, Suggestion, fitting, suggestion
from sfumato.web.project import Spec

__all__ = ["AUDIENCES", "Suggestion", "begun", "fitting", "suggestion"]


def begun(model: str, sensitive: str | None) -> Spec:
    """Return a promise to begin with: each required number at its lowest safe value, the secret where one is asked for."""
    kind, spec = find(model, "model", "table"), Spec({"id": model})
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
