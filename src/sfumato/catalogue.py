"""Finds things by id by walking the rooms; the only file that knows how discovery works.

Two questions place a thing: its kind names a small room (``models``, ``attacks``), its shape the wing that room lies in.
Tables are the ground floor, their rooms are those at the top; every other shape is a package with a file ``shape.py`` and
the same small rooms inside. Rooms may hold families (``algorithms/lattice``). A file is called like its id, or like the
beginning that its ids share (``models/k_anonymity.py``, ``identifiers/de.py``), so a look-up usually imports one file.
Files whose name begins with an underscore hold no ids. Nothing is registered by hand.

Things of other people join in two ways: a distribution names a module of its own as an entry point ``sfumato.things``, and
its things are found by their ids; or an object is handed to a policy, and is then called ``module:Class``.
"""

from __future__ import annotations

import importlib
import inspect
import logging
import pkgutil
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from sfumato.contracts.shape import AnyShape, Shape
from sfumato.contracts.thing import Thing
from sfumato.errors import BadRequest, NotKnown, Unsupported

__all__ = [
    "TABLE",
    "broken",
    "build",
    "find",
    "home_of",
    "ids",
    "kind_of",
    "known",
    "member",
    "name_of",
    "namesakes",
    "recount",
    "requirement",
    "shape_of",
    "shapes",
    "spec_of",
    "things",
]

TABLE = "table"

# The small room of each kind, in the order in which kinds are listed.
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
    "protocol": "parties.protocols",
}

# What is the same for data of every shape stands on the ground floor only.
SHARED = frozenset({"hierarchy", "identifier", "engine", "experiment", "protocol"})


# ---- where to look -------------------------------------------------------------------------------------------------------


@cache
def _ours() -> tuple[str, ...]:
    """Return the packages of this distribution that have a shape; none of them is loaded."""
    return tuple(f"sfumato.{file.parent.name}" for file in sorted(Path(__file__).parent.glob("*/shape.py")))


@cache
def _wings() -> Mapping[str, str]:
    """Return the package of every shape but the table, by the shape's id; those of other distributions come last."""
    found: dict[str, str] = {}
    for package in (*_ours(), *_named("sfumato.shapes")):
        for shape in _things_of_file(f"{package}.shape"):
            # An id of ours is never shadowed by somebody else's.
            found.setdefault(shape.id, package)
    return {shape: package for shape, package in found.items() if shape != TABLE}


def shapes() -> tuple[str, ...]:
    """Return the ids of all shapes of data, the table first."""
    return (TABLE, *_wings())


def _package(name: str) -> str:
    """Return the package of a shape; one that is called like it, in singular or plural, is found without loading the others."""
    for likely in (f"sfumato.{name}", f"sfumato.{name}s"):
        if likely in _ours() and any(shape.id == name for shape in _things_of_file(f"{likely}.shape")):
            return likely
    if name not in shapes():
        raise NotKnown("is not a shape", parameter="shape", value=name, available=shapes())
    return _wings()[name]


def shape_of(name: str) -> AnyShape:
    """Return the shape with this id."""
    package = _package(name)
    (found,) = (shape for shape in _things_of_file(f"{package}.shape") if issubclass(shape, Shape))
    return found()


def _packages(kind: str | None, shape: str | None) -> Iterator[str]:
    """Yield the packages in which things of a kind and a shape lie; wings are looked for after the ground floor."""
    if kind is not None and kind not in ROOMS:
        raise BadRequest("is not a kind", parameter="kind", value=kind, available=ROOMS)
    kinds = [kind] if kind is not None else list(ROOMS)
    if shape in (None, TABLE):
        yield from (f"sfumato.{ROOMS[one]}" for one in kinds)
    else:
        yield from (f"sfumato.{ROOMS[one]}" for one in kinds if one in SHARED)
    if shape == TABLE or kind in SHARED:
        return
    for package in _wings().values() if shape is None else [_package(shape)]:
        yield from (f"{package}.{ROOMS[one]}" for one in kinds if one not in SHARED)


@cache
def _files(package: str) -> Mapping[str, str]:
    """Return the modules of a room and its families by the beginning of the ids that they hold."""
    return {module.rsplit(".", 1)[-1].rstrip("_").replace("_", "-"): module for module in _walk(package)}


def _walk(package: str) -> Iterator[str]:
    room = _module(package)
    for entry in pkgutil.iter_modules(room.__path__ if room is not None else []):
        name = f"{package}.{entry.name}"
        if entry.name.startswith("_"):
            continue
        if entry.ispkg:
            yield from _walk(name)
        else:
            yield name


# ---- what others bring ---------------------------------------------------------------------------------------------------


_BROKEN: dict[str, str] = {}  # modules of other people that cannot be loaded, with the kind of error


def broken() -> Mapping[str, str]:
    """Return the modules of plug-ins that cannot be loaded, each with the kind of error; what they bring is not known here."""
    _plugged(), _wings()
    return dict(_BROKEN)


def _set_aside(module: str, error: str) -> None:
    """Note a module of somebody else that cannot be loaded, and say so once: it breaks nothing that does not need it."""
    if module not in _BROKEN:
        _BROKEN[module] = error
        told = f"the plug-in {module} cannot be loaded ({error}): what it brings is not known here"
        logging.getLogger("sfumato").warning(told)


def _named(group: str) -> list[str]:
    """Return the modules that other distributions name as entry points, as far as they are there."""
    modules = sorted({point.module for point in entry_points(group=group)})
    for name in modules:
        if _module(name) is None:
            _set_aside(name, "there is no such module")
    return [name for name in modules if name not in _BROKEN]


@cache
def _plugged() -> Mapping[str, type[Thing]]:
    """Return the things of modules that other distributions name as entry points; an id of ours is never shadowed."""
    modules = _named("sfumato.things")
    ours = {thing.id for package in _packages(None, TABLE) for thing in _room(package).values()} if modules else set()
    found: dict[str, type[Thing]] = {}
    for module in modules:
        for thing in _things_of_file(module):
            if thing.id not in ours:
                found.setdefault(thing.id, thing)
    return found


def _brought(kind: str | None, shape: str | None) -> list[type[Thing]]:
    """Return the things of other people that are of a kind; they are things for tables."""
    if shape not in (None, TABLE):
        return []
    return [thing for thing in _plugged().values() if kind in (None, kind_of(thing))]


_OBJECTS: dict[str, type[Thing]] = {}  # classes of things that were handed over as objects, by the name they got


def name_of(cls: type[Thing]) -> str:
    """Return the name by which :func:`find` knows a class: its id, or ``module:Class`` if it is in no room and no plug-in."""
    module = cls.__module__
    if module.startswith("sfumato.") or _plugged().get(cls.id) is cls:
        return cls.id
    if any(f"{module}.".startswith(f"{package}.") for package in _wings().values()):
        return cls.id
    name = f"{module}:{cls.__qualname__}"
    _OBJECTS[name] = cls
    return name


def _object(name: str, kind: str | None) -> type[Thing]:
    """Return the class of an object that was handed over in this process; no name makes us import a module."""
    found = _OBJECTS.get(name)
    if found is None or kind not in (None, kind_of(found)):
        raise Unsupported(
            f"{name} is somebody's own {kind or 'class'} and not known here: hand over the object, or install it as a plug-in",
            thing=name,
        )
    return found


def kind_of(cls: type[Thing]) -> str:
    """Return the kind of a thing as rooms are called by."""
    return "model" if cls.kind == "mechanism model" else cls.kind


# ---- what lies there -----------------------------------------------------------------------------------------------------


def _module(name: str) -> ModuleType | None:
    """Import a module; ``None`` if there is none of that name, or if it is somebody else's and cannot be loaded."""
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        if (
            isinstance(error, ModuleNotFoundError)
            and error.name is not None
            and f"{name}.".startswith(f"{error.name}.")
        ):
            return None
        if name.startswith("sfumato."):
            raise
        _set_aside(name, type(error).__name__)
        return None


@cache
def _things_of_file(name: str) -> tuple[type[Thing], ...]:
    module = _module(name)
    members = [] if module is None else inspect.getmembers(module, inspect.isclass)
    return tuple(
        thing
        for called, thing in members
        if issubclass(thing, Thing) and thing.id and thing.__module__ == name and not called.startswith("_")
    )


@cache
def _room(package: str) -> dict[str, type[Thing]]:
    found = {thing.id: thing for module in _files(package).values() for thing in _things_of_file(module)}
    return dict(sorted(found.items()))


def things(kind: str | None = None, shape: str | None = None) -> list[type[Thing]]:
    """Return every thing of a kind (or of all kinds) and a shape (or of all shapes), ordered by shape, kind and id."""
    return [thing for package in _packages(kind, shape) for thing in _room(package).values()] + _brought(kind, shape)


def ids(kind: str | None = None, shape: str | None = None) -> list[str]:
    """Return the ids of a kind and a shape, or all ids; one that several shapes read in their own way is listed once."""
    return list(dict.fromkeys(thing.id for thing in things(kind, shape)))


def find(name: str, kind: str | None = None, shape: str | None = None) -> type[Thing]:
    """Return the thing with this id; a wrong id is refused with the nearest known ones."""
    for package in _packages(kind, shape):
        files = _files(package)
        # The longest name that the id begins with tells the most; an engine's file says that it is one.
        likely = sorted((stem for stem in files if f"{name}-engine-".startswith(f"{stem}-")), key=len, reverse=True)
        for stem in likely:
            for thing in _things_of_file(files[stem]):
                if thing.id == name:
                    return thing
    if ":" in name:
        return _object(name, kind)
    for thing in things(kind, shape):
        if name in (thing.id, *vars(thing).get("aliases", ())):
            return thing
    raise NotKnown(
        f"is not a known {kind or 'id'}" + (f" for data of the shape {shape}" if shape not in (None, TABLE) else ""),
        parameter=kind or "id",
        value=name,
        available=ids(kind, shape),
    )


def namesakes(name: str) -> list[type[Thing]]:
    """Return every thing of ours with this id: kinds and shapes may read one id in their own ways."""
    return [
        thing
        for package in _packages(None, None)
        for stem, module in _files(package).items()
        if f"{name}-".startswith(f"{stem}-")
        for thing in _things_of_file(module)
        if thing.id == name
    ]


def home_of(thing: type[Thing]) -> str:
    """Return the shape of the data that a thing is for."""
    if thing.__module__.startswith("sfumato.") and not thing.__module__.startswith(tuple(f"{one}." for one in _ours())):
        return TABLE
    lies = (shape for shape, package in _wings().items() if thing.__module__.startswith(f"{package}."))
    return next(lies, TABLE)


def known(name: str, kind: str, shape: str | None = None) -> type[Thing] | None:
    """Return what a certificate names; ``None`` if it is somebody's own and not installed here."""
    try:
        return find(name, kind, shape)
    except (NotKnown, Unsupported):
        return None


def spec_of(thing: Thing) -> dict[str, object]:
    """Return what describes a thing in a policy; refuse one of which parameters alone do not tell everything."""
    spec = thing.spec()
    try:
        told = type(thing).from_spec(spec) == thing
    except (BadRequest, TypeError):
        told = False
    if not told:
        raise BadRequest("cannot be written down: declare all its fields with param() or column()", parameter=thing.id)
    return {**spec}


def build(spec: Mapping[str, object] | str, kind: str, shape: str | None = None) -> Any:
    """Return the thing that ``{"id": ..., parameters}`` (or a bare id) describes."""
    if isinstance(spec, str):
        spec = {"id": spec}
    if "id" not in spec:
        raise BadRequest("needs an id", parameter=kind, available=ids(kind, shape))
    return find(str(spec["id"]), kind, shape).from_spec(spec)


def requirement(name: str, shape: str) -> type[Thing]:
    """Return a model for data of a shape: one of its own, or one of tables, which every public part is."""
    try:
        return find(name, "model", shape)
    except NotKnown as error:
        found = known(name, "model")
        if found is None or found not in things("model", TABLE):
            raise error from None
        return found


def member(package: str, name: str) -> Any:
    """Return what a room offers under a name: what ``from sfumato.models import KAnonymity`` asks for.

    A room offers what its public files declare in ``__all__``: its things, and the functions and results that belong to them.
    """
    if not name.startswith("_"):
        short = name.lower()
        files = _files(package).items()
        # A class is called like its file, so one import usually does.
        for _, file in sorted(files, key=lambda one: not short.startswith(one[0].replace("-", ""))):
            if name in getattr(_module(file), "__all__", ()):
                return getattr(_module(file), name)
    raise AttributeError(f"module {package!r} has no attribute {name!r}")


def recount(thing: type[Thing]) -> ModuleType | None:
    """Return the plain second judgement of a model or a kind of release, if there is one.

    It lies in a room ``recounts`` beside that of the thing and is called like the id; kinds have a folder of their own there.
    """
    house, _, _ = thing.__module__.rpartition(f".{ROOMS.get(thing.kind, '')}.")
    inside = "recounts.kinds" if thing.kind == "release" else "recounts"
    return _module(f"{house}.{inside}.{thing.id.replace('-', '_')}") if house else None
