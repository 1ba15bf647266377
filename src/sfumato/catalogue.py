"""Finds things by id by walking the rooms; the only file that knows how discovery works.

A thing's file carries its id (``models/k_anonymity.py`` holds ``k-anonymity``), so a look-up usually imports one file;
close variants may share a file, and then the room is walked. Nothing is registered by hand.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Mapping
from functools import cache
from types import ModuleType
from typing import Any

from sfumato.contracts.thing import Thing
from sfumato.errors import BadRequest

__all__ = ["build", "find", "ids", "member", "things"]

ROOMS: Mapping[str, str] = {
    "model": "models",
    "hierarchy": "hierarchies",
    "operation": "recodings",
    "perturbation": "perturbations",
    "release": "releases",
    "metric": "metrics",
    "algorithm": "algorithms",
    "attack": "attacks",
    "identifier": "identifiers",
    "engine": "engines",
    "experiment": "experiments",
}

# The same thing under the name another document gives it.
ALIASES: Mapping[str, str] = {
    "anonymity-requirement-multi-qid": "k-anonymity",
    "discernibility-metric": "discernibility",
    "loss-metric": "loss",
    "c-avg": "average-group-size",
    "tdr-score": "igpl",
}


def _own_things(module: ModuleType) -> list[type[Thing]]:
    return [
        thing
        for name, thing in inspect.getmembers(module, inspect.isclass)
        if issubclass(thing, Thing) and thing.id and thing.__module__ == module.__name__ and not name.startswith("_")
    ]


@cache
def _room(room: str) -> dict[str, type[Thing]]:
    try:
        package = importlib.import_module(f"sfumato.{room}")
    except ModuleNotFoundError:
        return {}
    found: dict[str, type[Thing]] = {}
    for entry in pkgutil.iter_modules(package.__path__):
        for thing in _own_things(importlib.import_module(f"sfumato.{room}.{entry.name}")):
            found[thing.id] = thing
    return dict(sorted(found.items()))


def things(kind: str | None = None) -> list[type[Thing]]:
    """Return every thing of a kind (or of all kinds), ordered by kind and id."""
    if kind is not None and kind not in ROOMS:
        raise BadRequest("is not a kind", parameter="kind", value=kind, available=ROOMS)
    rooms = [ROOMS[kind]] if kind is not None else list(ROOMS.values())
    return [thing for room in rooms for thing in _room(room).values()]


def ids(kind: str | None = None) -> list[str]:
    """Return the ids of a kind, or all ids."""
    return [thing.id for thing in things(kind)]


def find(name: str, kind: str | None = None) -> type[Thing]:
    """Return the thing with this id; a wrong id is refused with the nearest known ones."""
    wanted = ALIASES.get(name, name)
    for room in [ROOMS[kind]] if kind is not None else list(ROOMS.values()):
        try:
            module = importlib.import_module(f"sfumato.{room}.{wanted.replace('-', '_')}")
        except ModuleNotFoundError:
            continue
        for thing in _own_things(module):
            if thing.id == wanted:
                return thing
    for thing in things(kind):
        if thing.id == wanted:
            return thing
    raise BadRequest(f"is not a known {kind or 'id'}", parameter=kind or "id", value=name, available=ids(kind))


def build(spec: Mapping[str, Any] | str, kind: str) -> Any:
    """Return the thing that ``{"id": ..., parameters}`` (or a bare id) describes."""
    if isinstance(spec, str):
        spec = {"id": spec}
    if "id" not in spec:
        raise BadRequest("needs an id", parameter=kind, available=ids(kind))
    return find(str(spec["id"]), kind).from_spec(spec)


def member(package: str, name: str) -> Any:
    """Return a class of a room by its name: what ``from sfumato.models import KAnonymity`` asks for."""
    room = package.rsplit(".", 1)[-1]
    if not name.startswith("_"):
        for thing in _room(room).values():
            if thing.__name__ == name:
                return thing
    raise AttributeError(f"module {package!r} has no attribute {name!r}")
