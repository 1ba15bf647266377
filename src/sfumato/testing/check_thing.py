"""What every thing in the catalogue promises, whatever its kind."""

from __future__ import annotations

import inspect
import json
import math
import types
from collections.abc import Iterator, Mapping
from dataclasses import MISSING
from typing import Union, get_args, get_origin

from sfumato.catalogue import find, kind_of, things
from sfumato.contracts.thing import Rule, Thing, parameters
from sfumato.errors import BadRequest
from sfumato.testing.examples import run_example
from sfumato.testing.promises import generators_untouched, promise

__all__ = ["check_docstring", "check_json", "check_parameters", "check_thing"]


def check_thing(thing: Thing) -> None:
    """Check a thing built with sensible parameters: found by its id, self-describing, saved and rebuilt, strict.

    The docstring starts with a sentence; every parameter says what it means; ``from_spec(spec())`` gives the same thing,
    also through JSON; an unknown, missing, ill-typed or out-of-range parameter is refused by name.
    """
    cls = type(thing)
    with generators_untouched(thing):
        # An id may be one of several kinds, or read by several shapes in their own way.
        known = find(cls.id) is cls or cls in things(kind_of(cls))
        promise(known, thing, "the catalogue finds it by its id")
        promise(cls.summary().endswith("."), thing, "the docstring starts with a sentence")
        for declared, rule, _ in parameters(cls):
            promise(rule.doc, thing, f"the parameter {declared.name} says what it means")
        promise(cls.from_spec(thing.spec()) == thing, thing, "from_spec(spec()) gives the same thing")
        check_parameters(thing)


def check_json(thing: Thing) -> None:
    """Check that the saved form survives JSON."""
    saved = json.loads(json.dumps(thing.spec()))
    promise(type(thing).from_spec(saved) == thing, thing, "the saved form survives JSON")


def check_docstring(cls: type[Thing]) -> None:
    """Check that the docstring gives references and an example that runs."""
    text = inspect.getdoc(cls) or ""
    for section in ("Examples", "References"):
        promise(f"\n{section}\n{'-' * len(section)}\n" in text, cls, f"the docstring has a section {section}")
    with generators_untouched(cls):
        problems = run_example(cls)
    promise(not problems, cls, "the example runs:\n" + "".join(problems))


def check_parameters(thing: Thing) -> None:
    """Check that wrong parameters are refused by name, and that the refusal says the rule."""
    cls, spec = type(thing), thing.spec()
    _refused(cls, {**spec, "no such parameter": 1}, "no such parameter")
    for declared, rule, hint in parameters(cls):
        if declared.default is MISSING:
            _refused(cls, {key: value for key, value in spec.items() if key != declared.name}, declared.name)
        for wrong in _wrong_types(hint):
            _refused(cls, {**spec, declared.name: wrong}, declared.name)
        for wrong in _out_of_range(rule, hint):
            error = _refused(cls, {**spec, declared.name: wrong}, declared.name)
            says = rule.range_text() in error.rule or error.available is not None
            promise(says, thing, f"the refusal of {declared.name}={wrong!r} says the range")


def _refused(cls: type[Thing], spec: Mapping[str, object], name: str) -> BadRequest:
    try:
        cls.from_spec(spec)
    except BadRequest as error:
        named = error.parameter == f"{cls.id}.{name}"
        promise(named, cls, f"the refusal of {name}={spec.get(name)!r} names the parameter, not {error.parameter}")
        return error
    except Exception as error:
        raise AssertionError(
            f"{cls.id}: {name}={spec.get(name)!r} is not refused as a bad request but fails with {error!r}"
        ) from error
    raise AssertionError(f"{cls.id}: {name}={spec.get(name)!r} is accepted")


def _options(hint: object) -> list[object]:
    if get_origin(hint) in (Union, types.UnionType):
        return [option for option in get_args(hint) if option is not type(None)]
    return [hint]


def _wrong_types(hint: object) -> Iterator[object]:
    """Yield values that no reading of the type takes; types that take anything yield nothing."""
    options = _options(hint)
    candidates: list[object] = ["three", 5, 1.5, True, float("nan"), object()]
    for wrong in candidates:
        if all(_never(wrong, option) for option in options):
            yield wrong


def _never(value: object, hint: object) -> bool:
    if hint is bool:
        return not isinstance(value, bool)
    if hint is int:
        return isinstance(value, bool) or not isinstance(value, int)
    if hint is float:
        return isinstance(value, bool) or not isinstance(value, (int, float)) or value != value
    if hint is str:
        return not isinstance(value, str)
    return get_origin(hint) in (tuple, dict, Mapping)


def _out_of_range(rule: Rule, hint: object) -> Iterator[object]:
    if rule.choices is not None:
        yield "no such choice"
    if not {int, float} & set(_options(hint)):
        return
    if rule.ge is not None:
        yield math.floor(rule.ge) - 1
    if rule.gt is not None:
        yield math.floor(rule.gt)
    if rule.le is not None:
        yield math.ceil(rule.le) + 1
    if rule.lt is not None:
        yield math.ceil(rule.lt)
