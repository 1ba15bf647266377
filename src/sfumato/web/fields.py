"""A form for anything with an id, read from its declared parameters: a new thing needs no line here."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import MISSING
from typing import Literal, get_args, get_origin

from sfumato.contracts.thing import Rule, Thing, parameters
from sfumato.data.json import Json
from sfumato.data.messages import called
from sfumato.data.schema import Role
from sfumato.errors import BadRequest
from sfumato.web.elements import box, check, choice, entry, number, slider, text
from sfumato.web.project import Project, Spec

__all__ = ["bounds", "form", "listed", "numeric_parameter", "read_field"]


def form(project: Project, kind: type[Thing], spec: Spec, put: Callable[[Spec], None], *, leave: str = "") -> None:
    """Draw a field for each parameter of a thing; what is entered is put into its spec, an empty field takes it out."""
    for declared, rule, hint in parameters(kind):
        if declared.name == leave:
            continue
        default = None if declared.default is MISSING else declared.default
        _field(
            project,
            declared.name,
            rule,
            hint,
            spec.get(declared.name, default),
            _putting(declared.name, hint, spec, put),
        )


def _putting(name: str, hint: object, spec: Spec, put: Callable[[Spec], None]) -> Callable[[str], None]:
    def putting(given: str) -> None:
        new = {key: value for key, value in spec.items() if key != name}
        read = read_field(name, given, hint)
        put(new if read is None else {**new, name: read})

    return putting


def _kinds(hint: object) -> tuple[object, ...]:
    return get_args(hint) if get_origin(hint) not in (None, Literal) else (hint,)


def _several(hint: object) -> object | None:
    """Return the type of the values in a list, if a list of single values is declared."""
    for one in (hint, *_kinds(hint)):
        if get_origin(one) is tuple and get_args(one)[1:] == (...,):
            inner: object = get_args(one)[0]
            return None if inner is object or get_origin(inner) in (tuple, Mapping) else inner
    return None


def _single(given: str, hint: object) -> Json:
    kinds = _kinds(hint)
    for kind in (int, float):
        if kind in kinds:
            try:
                return kind(given)
            except ValueError:
                continue
    if str in kinds:
        return given
    raise ValueError(given)


def read_field(name: str, given: str, hint: object) -> Json:
    """Return what somebody entered as the type that is declared; several values are parted by commas, or written as JSON."""
    if not given.strip():
        return None
    kinds, inner = _kinds(hint), _several(hint)
    try:
        if inner is not None and given.strip()[0] == "[":
            written: Json = json.loads(given)
            return written
        if inner is not None:
            return [_single(one.strip(), inner) for one in given.split(",") if one.strip()]
        if int in kinds and float not in kinds:
            return int(given)
        if float in kinds:
            return float(given.replace(",", "."))
        if str in kinds or get_origin(hint) is Literal:
            return given
        found: Json = json.loads(given)
        return found
    except ValueError:
        raise BadRequest("cannot be read", parameter=name, value=given) from None


def listed(value: object) -> str:
    """Return a value as it is entered: several ones parted by commas, unless one of them holds a comma."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, list | tuple) and all(isinstance(one, str | int | float) for one in value):
        texts = [str(one) for one in value]
        if not any("," in one or one[:1] in "[{" or one != one.strip() for one in texts):
            return ", ".join(texts)
    return json.dumps(value, ensure_ascii=False, default=str)


def _field(project: Project, name: str, rule: Rule, hint: object, value: object, put: Callable[[str], None]) -> None:
    with box("div", "field"):
        text(f"{name}: {called(f'gist.field.{rule.doc}', rule.doc)}")
        if rule.column_role is not None:
            roles = project.roles()
            fits = [one for one, role in roles.items() if str(role) == rule.column_role] or list(roles)
            several = not (hint is str or str in _kinds(hint))
            if not several:
                options = {one: one for one in fits if not roles[one].hidden}
                choice(options if value else {"": "–", **options}, str(value or ""), put, name)
                return
        if rule.choices is not None:
            choice({str(one): str(one) for one in rule.choices}, str(value), put, name)
        elif bool in _kinds(hint) and isinstance(value, bool):
            check(value, lambda held: put(json.dumps(held)), name)
        elif _several(hint) is None and {int, float} & {*_kinds(hint)} and isinstance(value, int | float):
            low, high, step = bounds(rule, hint, value)
            with box("div", "slide"):
                slider(value, low, high, step, put, name)
                number(value, put, name, min=rule.ge, step="any" if step != 1 else 1)
        else:  # a number that is not given is no place on a slider
            shown = listed(value)
            entry(shown if len(shown) < 2000 else "", put, name, mark=f"field-{name}")


def bounds(rule: Rule, hint: object, value: object) -> tuple[float, float, float]:
    """Return from where to where a slider goes, and its step: the declared range, where there is one."""
    whole = int in _kinds(hint) and float not in _kinds(hint)
    low = rule.ge if rule.ge is not None else rule.gt if rule.gt is not None else 0
    high = rule.le if rule.le is not None else rule.lt
    now = float(value) if isinstance(value, int | float) else float(low)
    if whole:
        return max(low, 1), high if high is not None else max(20, 2 * now), 1
    return low, high if high is not None else max(1.0, 2 * now), 0.01


def numeric_parameter(kind: type[Thing]) -> tuple[str, Rule, object] | None:
    """Return the number that a promise is about, if there is one: its first required one, else its first."""
    found = [
        (declared.default is MISSING, declared.name, rule, hint)
        for declared, rule, hint in parameters(kind)
        if rule.column_role is None and {int, float} & set(_kinds(hint)) and bool not in _kinds(hint)
    ]
    chosen = next((one for one in found if one[0]), found[0] if found else None)
    return None if chosen is None else chosen[1:]


def sensitive_of(project: Project) -> str | None:
    """Return the column that must stay secret, if there is one."""
    return next(iter(project.policy.of_role(Role.SENSITIVE)), None)
