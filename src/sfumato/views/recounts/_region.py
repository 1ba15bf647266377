"""What is left to one column of a record that nobody has seen whole: tests that its value passes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from fractions import Fraction
from operator import eq, ge, gt, le, lt, ne
from typing import Any

from sfumato.recounts import Text

__all__ = ["Region", "Test", "Value", "read"]

Value = Fraction | date | str | None
_SIGNS: Mapping[str, Callable[[Any, Any], Any]] = {"=": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}
_MANY = 10_000  # an interval with more whole values than this counts as endless


def read(text: Text, kind: str) -> Value:
    """Return what a text stands for in a column of some type."""
    if text is None:
        return None
    if kind in ("integer", "number"):
        return Fraction(text)
    if kind == "date":
        return date.fromisoformat(text)
    return datetime.fromisoformat(text) if kind == "datetime" else text.lower() if kind == "boolean" else text


@dataclass(frozen=True)
class Test:
    """A comparison with constants that must hold, or must not; ``is`` is the value itself, which may be missing."""

    sign: str
    constants: tuple[Value, ...]
    holds: bool = True

    def passed(self, value: Value) -> bool:
        """A missing value meets no comparison."""
        if self.sign in ("is", "in"):
            met = value in self.constants and (value is not None or self.sign == "is")
        else:
            met = value is not None and bool(_SIGNS[self.sign](value, self.constants[0]))
        return met == self.holds

    @property
    def choices(self) -> tuple[Value, ...] | None:
        """The values that it leaves, missing aside; nothing where there is no list of them."""
        equal = self.sign in ("is", "in", "=") and self.holds
        return self.constants if equal or (self.sign == "!=" and not self.holds) else None


@dataclass(frozen=True)
class Region:
    """The values of a column of some type that pass all tests; ``gap`` tells whether one may be missing."""

    kind: str = ""
    gap: bool = False
    tests: tuple[Test, ...] = ()

    def with_test(self, test: Test) -> Region:
        """Return what one more test leaves."""
        return replace(self, tests=(*self.tests, test))

    def listed(self) -> set[Value] | None:
        """Return all values that are left; nothing where there is no end of them."""
        lists = [one.choices for one in self.tests if one.choices is not None]
        if lists:
            return self._passing([*lists[0], None] if self.gap or None in lists[0] else lists[0])
        inside = ["false", "true"] if self.kind == "boolean" else self._between()
        return None if inside is None else self._passing([*inside, *([None] if self.gap else [])])

    def _passing(self, values: Iterable[Value]) -> set[Value]:
        return {value for value in values if all(test.passed(value) for test in self.tests)}

    def _between(self) -> list[Value] | None:
        """Return what lies between the bounds; more than enough of it, where bounds are excluded."""
        lows = [test for test in self.tests if (test.sign in (">", ">=")) == test.holds and test.sign[0] in "<>"]
        highs = [test for test in self.tests if (test.sign in ("<", "<=")) == test.holds and test.sign[0] in "<>"]
        if not lows or not highs:
            return None
        low: Value = max(test.constants[0] for test in lows)  # type: ignore[type-var]
        high: Value = min(test.constants[0] for test in highs)  # type: ignore[type-var]
        if self.kind == "integer" and isinstance(low, Fraction) and isinstance(high, Fraction):
            first, last = low.__ceil__() + _open(lows, low), high.__floor__() - _open(highs, high)
            return None if last - first >= _MANY else [Fraction(one) for one in range(first, last + 1)]
        if self.kind == "date" and isinstance(low, date) and isinstance(high, date):
            first, last = low.toordinal() + _open(lows, low), high.toordinal() - _open(highs, high)
            return None if last - first >= _MANY else [date.fromordinal(one) for one in range(first, last + 1)]
        return [low] if low >= high else None  # type: ignore[operator]


def _open(tests: Iterable[Test], bound: Value) -> bool:
    """Tell whether a whole bound is itself left out."""
    return any(not test.passed(bound) for test in tests)
