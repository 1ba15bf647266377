"""Suggestions by who gets the data and what for, as the verb gives them, and promises to begin with."""

from __future__ import annotations

from dataclasses import MISSING

from sfumato.catalogue import find
from sfumato.contracts.thing import parameters
from sfumato.data.json import Json
from sfumato.data.schema import Role
from sfumato.verbs.advise import AUDIENCES, USES, Suggestion, fitting, purpose_of, suggestion
from sfumato.web.project import Project, Spec

__all__ = ["AUDIENCES", "Suggestion", "begun", "fitting", "offered", "suggestion", "used", "uses"]


def offered(project: Project, use: str) -> list[str]:
    """Return the columns that a use may name: published as they are to be predicted, numbers of persons to link by.

    What outsiders know is not offered to be predicted, since a target is not masked.
    """
    roles = project.roles()
    if use == "predict":
        return [name for name in project.predictable if roles[name] in (Role.TARGET, Role.PLAIN)]
    return [name for name, role in roles.items() if role is Role.IDENTIFIER] if use == "link" else []


def uses(project: Project) -> list[str]:
    """Return the uses that this table can serve."""
    return [use for use in USES if not purpose_of(use).needs_column or offered(project, use)]


def used(project: Project) -> tuple[str | None, str | None]:
    """Return the use that was told and its column: the one that was chosen, else the target, else the first that is offered."""
    use = project.place.use
    if use not in uses(project):
        return None, None
    names = offered(project, use)
    targets = [name for name in names if project.roles()[name] is Role.TARGET]
    return use, project.place.used if project.place.used in names else next(iter((*targets, *names)), None)


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
