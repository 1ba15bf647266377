"""Dataclasses that cannot be changed, made without compiling anything: a command makes hundreds, and uses few of each.

``dataclasses`` writes the methods of a class as text and compiles them, six times for a frozen one; that took a fifth of a
short command. A class that is declared ``@frozen`` has the same fields, defaults and methods, and is a dataclass for
everybody who asks (``fields``, ``replace``, ``asdict``, another dataclass that inherits); its methods are those below.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields, make_dataclass
from functools import cache
from operator import attrgetter
from reprlib import recursive_repr
from typing import Any, TypeVar, cast, dataclass_transform, overload

__all__ = ["frozen"]

C = TypeVar("C", bound=type)


@dataclass(frozen=True)
class _Frozen:
    """What a frozen dataclass says of itself."""


@overload
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: C, /) -> C: ...


@overload
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(*, eq: bool = True, repr: bool = True, kw_only: bool = False) -> Callable[[C], C]: ...


def frozen(cls: Any = None, /, *, eq: bool = True, repr: bool = True, kw_only: bool = False) -> Any:  # noqa: A002
    """Make a class a dataclass that cannot be changed, as ``dataclass(frozen=True)`` does, where it is used and not before.

    >>> @frozen
    ... class Point:
    ...     x: int
    ...     y: int = 0
    >>> Point(1) == Point(1, 0), Point(2)
    (True, Point(x=2, y=0))
    """

    def made(cls: Any) -> Any:
        _declare(cls, kw_only)
        own = vars(cls)
        if "__init__" not in own:
            cls.__init__ = _init_of(cls)
        if repr and "__repr__" not in own:
            cls.__repr__ = _written
        if eq:
            if own.get("__hash__") is None:  # so it is where a class says what is equal and nothing of this
                cls.__hash__ = _hashed
            if "__eq__" not in own:
                cls.__eq__ = _equal
        if cls.__setattr__ is not _unchanging:  # what is there by inheritance leaves room for a second declaration
            cls.__setattr__ = cls.__delattr__ = _unchanging
        return cls

    return made if cls is None else made(cls)


def _unchanging(self: object, name: str, *value: object) -> None:
    """Refuse to change a field."""
    raise FrozenInstanceError(f"cannot assign to or delete field {name!r}")


def _declare(cls: Any, kw_only: bool) -> None:
    """Give a class its fields and those of its bases; what a field is follows from a bare class with the same declarations."""
    own, said = vars(cls), inspect.get_annotations(cls)
    bare = type(cls.__name__, (), {name: own[name] for name in said if name in own})
    bare.__annotations__, bare.__module__ = said, cls.__module__  # the module in which types are looked up
    declared = vars(dataclass(init=False, repr=False, eq=False, match_args=False, kw_only=kw_only)(bare))
    for name in said:
        if name in declared:
            setattr(cls, name, declared[name])
        elif name in own:
            delattr(cls, name)  # a field without a default leaves nothing in the class
    held: dict[str, Field[Any]] = {}
    for base in reversed(cls.__mro__[1:]):
        held |= vars(base).get("__dataclass_fields__", {})
    cls.__dataclass_fields__ = held | declared["__dataclass_fields__"]
    cls.__dataclass_params__ = vars(_Frozen)["__dataclass_params__"]
    places = tuple(one.name for one in fields(cls) if one.init and not one.kw_only)
    for name, value in {"__match_args__": places, "__signature__": _Signature()}.items():
        if name not in own:
            setattr(cls, name, value)


def _init_of(cls: Any) -> Callable[..., None]:
    """Return how an object is filled."""
    every = fields(cls)
    places = tuple(one.name for one in every if one.init and not one.kw_only)
    names = frozenset(one.name for one in every if one.init)
    makers = {one.name: one.default_factory for one in every if one.default_factory is not MISSING}
    usual = {one.name: one.default for one in every if one.init and one.default is not MISSING}
    needed = names - makers.keys() - usual.keys()
    order = [one.name for one in every if one.init or one.name in makers]
    settled = hasattr(cls, "__post_init__")

    def __init__(self: Any, *given: object, **named: object) -> None:
        told = {**dict(zip(places, given, strict=False)), **named} if given else named
        if len(told) < len(given) + len(named) or not needed <= told.keys() <= names:
            _compiled(cls)(self, *given, **named)  # says in Python's words what does not fit
        held = self.__dict__
        for name in order:
            held[name] = told[name] if name in told else makers[name]() if name in makers else usual[name]
        if settled:
            self.__post_init__()

    __init__.__qualname__ = f"{cls.__qualname__}.__init__"
    vars(__init__)["fills"] = cls
    return __init__


@cache
def _compiled(cls: Any) -> Callable[..., None]:
    """Return how ``dataclasses`` fills such an object: its signature says what to hand over, its errors what is wrong."""
    told = [
        (one.name, one.type, field(default=one.default, default_factory=one.default_factory, kw_only=one.kw_only))
        for one in fields(cls)
        if one.init
    ]
    made: Any = make_dataclass(cls.__name__, told, repr=False, eq=False)
    init: Callable[..., None] = made.__init__
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    return init


class _Signature:
    """What a class is called with, worked out when somebody asks."""

    def __get__(self, held: object, cls: Any) -> inspect.Signature:
        init = inspect.unwrap(cls.__init__)
        whole = inspect.signature(_compiled(init.fills) if hasattr(init, "fills") else init)
        return whole.replace(parameters=[*whole.parameters.values()][1:])


@recursive_repr("...")
def _written(self: Any) -> str:
    held = ", ".join(f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)
    return f"{type(self).__qualname__}({held})"


@cache
def _compared(kind: Hashable) -> Callable[[object], tuple[object, ...]]:
    """Return how to read what two objects of a class are compared by."""
    names = [one.name for one in fields(cast(Any, kind)) if one.compare]
    return attrgetter(*names) if len(names) > 1 else lambda self: tuple([getattr(self, name) for name in names])


def _equal(self: object, other: object) -> bool:
    if type(other) is not type(self):
        return cast(bool, NotImplemented)
    told = _compared(cast(Hashable, type(self)))
    return told(self) == told(other)


def _hashed(self: object) -> int:
    return hash(_compared(cast(Hashable, type(self)))(self))
