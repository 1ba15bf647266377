"""Things: declared parameters are checked, saved and rebuilt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import FrozenInstanceError
from typing import Any, ClassVar, Literal

import numpy as np
import pytest

from sfumato.contracts.thing import Rule, Thing, column, param, parameters
from sfumato.errors import BadRequest

NAME = f"{__name__}:Sample"  # a class that lies in no room is called by its place


class Sample(Thing):
    """A thing for these tests."""

    id: ClassVar[str] = "sample"

    count: int = param(ge=1, lt=10, doc="a whole number")
    share: float = param(default=0.5, gt=0, le=1, doc="a share")
    flag: bool = param(default=False, doc="yes or no")
    word: str = param(default="a", choices=("a", "b"), doc="a choice")
    kind: Literal["x", "y"] = param(default="x", choices=("x", "y"), doc="a typed choice")
    maybe: int | None = param(default=None, ge=0, doc="a number or nothing")
    either: int | str = param(default=1, doc="a number or a text")
    many: tuple[int, ...] = param(default=(), doc="numbers")
    pair: tuple[int, str] | None = param(default=None, doc="a number and a text")
    table: Mapping[str, Any] | None = param(default=None, doc="anything by name")
    of: str = column("sensitive", default="s", doc="a column")


def test_accepted_values_keep_or_find_their_type() -> None:
    made = Sample(count=np.int64(3), share=1, many=[1, 2], pair=[4, "x"], maybe=0, either="t")
    assert made.count == 3
    assert type(made.count) is int
    assert made.many == (1, 2)
    assert made.pair == (4, "x")
    assert made.spec() == {
        "id": NAME,
        "count": 3,
        "share": 1,
        "many": [1, 2],
        "pair": [4, "x"],
        "maybe": 0,
        "either": "t",
    }
    assert Sample.from_spec(made.spec()) == made


def test_defaults_are_not_written() -> None:
    assert Sample(count=2).spec() == {"id": NAME, "count": 2}


@pytest.mark.parametrize(
    ("name", "value", "rule"),
    [
        ("count", 0, ">= 1 and < 10"),
        ("count", 10, ">= 1 and < 10"),
        ("count", 1.5, "a whole number"),
        ("count", np.float64(1.5), "a whole number"),
        ("count", True, "a whole number"),
        ("count", None, "a whole number"),
        ("share", 0, "> 0 and <= 1"),
        ("share", 1.01, "> 0 and <= 1"),
        ("share", float("nan"), "a number"),
        ("share", "half", "a number"),
        ("flag", 1, "true or false"),
        ("word", "c", "one of the choices"),
        ("word", 3, "a text"),
        ("kind", "z", "one of the choices"),
        ("maybe", -1, ">= 0"),
        ("maybe", "no", "a whole number"),
        ("either", 1.5, "a whole number or a text"),
        ("many", 3, "a list"),
        ("many", "12", "a list"),
        ("many", (1, "x"), "a whole number"),
        ("pair", (1, "x", 2), "a list of 2 entries"),
    ],
)
def test_wrong_values_are_refused_by_name_and_rule(name: str, value: Any, rule: str) -> None:
    with pytest.raises(BadRequest) as caught:
        Sample(**{"count": 2, name: value})
    assert caught.value.parameter == f"sample.{name}"
    assert rule in str(caught.value)


def test_unknown_and_missing_parameters_are_refused_with_the_known_ones() -> None:
    with pytest.raises(BadRequest, match="is not a parameter") as caught:
        Sample.from_spec({"count": 2, "cuont": 3})
    assert caught.value.parameter == "sample.cuont"
    assert "did you mean 'count'" in str(caught.value)
    with pytest.raises(BadRequest, match="required and missing") as caught:
        Sample.from_spec({})
    assert caught.value.parameter == "sample.count"


def test_things_are_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        Sample(count=2).count = 3  # type: ignore[misc]


def test_parameters_are_described_by_their_declaration() -> None:
    rules = {declared.name: rule for declared, rule, _ in parameters(Sample)}
    assert rules["count"].range_text() == ">= 1 and < 10"
    assert rules["word"].range_text() == "one of a, b"
    assert rules["of"] == Rule("a column", column_role="sensitive")
    assert Sample.summary() == "A thing for these tests."


def test_things_inside_things_are_written_as_specs() -> None:
    class Outer(Thing):
        """Holds another one."""

        id: ClassVar[str] = "outer"
        inner: Any = param(doc="a thing")

    assert Outer(inner=Sample(count=4)).spec() == {
        "id": f"{__name__}:{Outer.__qualname__}",
        "inner": {"id": NAME, "count": 4},
    }
