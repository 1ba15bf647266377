"""A frozen class does what ``dataclasses`` makes of the same declaration: that is its twin."""

from __future__ import annotations

import copy
import inspect
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, asdict, astuple, dataclass, field, fields, is_dataclass, replace
from typing import Any, ClassVar, Generic, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.frozen import frozen

T = TypeVar("T")


@frozen
class Point:
    """Of this module, for pickle."""

    x: int
    y: tuple[int, ...] = ()


def declared(make: Callable[..., Any]) -> dict[str, Any]:
    """Declare the same classes by ``make``."""

    @make()
    class Base(Generic[T]):
        kind: ClassVar[str] = "base"
        first: T
        second: int = 2
        several: list[int] = field(default_factory=list)

    @make(kw_only=True)
    class Child(Base[int]):
        third: float
        second: int = 5
        hidden: str = field(default="x", repr=False, compare=False)

        def __post_init__(self) -> None:
            if self.third < 0:
                raise ValueError("negative")
            object.__setattr__(self, "third", self.third * 2)

    @make(eq=False, repr=False)
    class Own:
        one: int
        made: int = field(init=False, default=7)
        counted: list[int] = field(init=False, default_factory=lambda: [1])

        def __repr__(self) -> str:
            return f"own {self.one}"

    class Grandchild(Child):
        """Not declared once more."""

        def __eq__(self, other: object) -> bool:
            return NotImplemented

        __hash__ = Child.__hash__

    @make()
    class Empty:
        pass

    return {one.__name__: one for one in (Base, Child, Own, Grandchild, Empty)}


OURS = declared(lambda **asked: frozen(**asked))
THEIRS = declared(lambda **asked: dataclass(frozen=True, **asked))
VALUES = st.one_of(st.integers(-3, 3), st.just([1]), st.text(max_size=1))
NAMED = st.dictionaries(
    st.sampled_from(["first", "second", "third", "several", "hidden", "one", "made", "other"]), VALUES, max_size=4
)


def tried(call: Callable[[], object]) -> object:
    """Return what a call gives, or how it is refused."""
    try:
        return call()
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def state(made: object) -> object:
    """Return all that can be told of an object without its class."""
    if isinstance(made, str):
        return made
    assert is_dataclass(made)
    return (
        repr(made),
        vars(made),
        tried(lambda: asdict(made)),
        tried(lambda: astuple(made)),
        [f.name for f in fields(made)],
    )  # type: ignore[arg-type]


@given(name=st.sampled_from(sorted(OURS)), given_=st.lists(VALUES, max_size=4), named=NAMED)
def test_calls_give_or_refuse_the_same(name: str, given_: list[object], named: dict[str, object]) -> None:
    ours, theirs = (tried(lambda kind=kind: kind[name](*given_, **named)) for kind in (OURS, THEIRS))  # type: ignore[misc]
    assert state(ours) == state(theirs)
    if not isinstance(ours, str):
        again = OURS[name](*given_, **named)
        assert (ours == again) == (theirs == THEIRS[name](*given_, **named))
        assert tried(lambda: hash(ours) == hash(again)) == tried(
            lambda: hash(theirs) == hash(THEIRS[name](*given_, **named))
        )
        assert (ours == theirs) is False


@pytest.mark.parametrize("name", sorted(OURS))
def test_classes_say_the_same_of_themselves(name: str) -> None:
    ours, theirs = OURS[name], THEIRS[name]
    assert str(inspect.signature(ours)) == str(inspect.signature(theirs))
    assert ours.__match_args__ == theirs.__match_args__
    assert vars(ours).get("kind") == vars(theirs).get("kind")
    assert [(f.name, f.type, f.default, f.kw_only, f.init, f.repr) for f in fields(ours)] == [
        (f.name, f.type, f.default, f.kw_only, f.init, f.repr) for f in fields(theirs)
    ]
    assert {key for key in ("first", "second", "several", "third", "one", "made") if hasattr(ours, key)} == {
        key for key in ("first", "second", "several", "third", "one", "made") if hasattr(theirs, key)
    }


def test_nothing_changes() -> None:
    point = Point(1, (2,))
    with pytest.raises(FrozenInstanceError, match="'x'"):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError, match="'x'"):
        del point.x
    with pytest.raises(FrozenInstanceError):
        point.z = 2  # type: ignore[attr-defined]
    assert replace(point, x=5) == Point(5, (2,))
    assert pickle.loads(pickle.dumps(point)) == copy.deepcopy(point) == copy.copy(point) == point
    assert {point: 1}[Point(1, (2,))] == 1
    match point:
        case Point(x, y):
            assert (x, y) == (1, (2,))


def test_others_inherit_as_from_any_frozen_dataclass() -> None:
    @dataclass(frozen=True)
    class Theirs(Point):
        z: int = 3

    @frozen
    class Again(Theirs):
        w: int = 4

    @dataclass(frozen=True)
    @frozen
    class Twice(Point):
        v: int = 5

    assert repr(Again(1)).endswith("Again(x=1, y=(), z=3, w=4)")
    assert repr(Twice(1)).endswith("Twice(x=1, y=(), v=5)")
    with pytest.raises(TypeError, match="non-frozen"):

        @dataclass
        class Changing(Point):
            z: int = 3


def test_an_object_that_holds_itself_can_be_shown() -> None:
    held: list[object] = []
    point = Point(1, held)  # type: ignore[arg-type]
    held.append(point)
    assert repr(point) == "Point(x=1, y=[...])"
