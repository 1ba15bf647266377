"""Every error sfumato raises, with its facts as attributes.

Four families, because four different people must act: :class:`BadRequest` (the caller asked wrongly), :class:`Infeasible`
(the request is fine, no solution exists), :class:`Unsupported` (this part cannot promise that) and :class:`InternalError`
(our bug); :class:`Cancelled` is nobody's mistake. The command line prints the text in one line and exits with
``exit_code``; tests and screens read the attributes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import ClassVar

__all__ = [
    "BadRequest",
    "Cancelled",
    "Contradiction",
    "Infeasible",
    "InternalError",
    "NotKnown",
    "SfumatoError",
    "Taken",
    "TooLittle",
    "Unsupported",
    "misspelt",
    "nearest",
]

_SHOWN = 12


def nearest(value: object, available: Iterable[object], count: int = 3) -> list[str]:
    """Return the known names closest in spelling to ``value``, best first."""
    return get_close_matches(str(value), [str(known) for known in available], n=count, cutoff=0.5)


def misspelt(values: Sequence[object], known: Sequence[object]) -> list[str]:
    """Return the values that misspell a known one, each with the nearest; any other may be somebody's own.

    Digits make dates and numbers of persons, and those are never shown. Only the first few are looked at: looking for
    neighbours is slow, and nobody reads more.

    >>> misspelt(["Lawyr", "1984-03-05", "Jane Doe"], ["Lawyer", "Writer"])
    ['Lawyr (nearest: Lawyer)']
    """
    found = []
    for text in map(str, values[:_SHOWN]):
        close = [] if any(sign.isdigit() for sign in text) else nearest(text, known, 2)
        found += [f"{text} (nearest: {', '.join(close)})"] if close else []
    return found


def _listing(items: Iterable[object]) -> str:
    texts = [str(item) for item in items]
    more = f", ... ({len(texts) - _SHOWN} more)" if len(texts) > _SHOWN else ""
    return ", ".join(texts[:_SHOWN]) + more


class SfumatoError(Exception):
    """Base of all errors; ``facts`` holds what the sentence says, as data."""

    exit_code: ClassVar[int] = 70

    def __init__(self, message: str, **facts: object) -> None:
        super().__init__(message)
        self.message = message
        self.facts: Mapping[str, object] = facts

    def __str__(self) -> str:
        return self.message


class BadRequest(SfumatoError):
    """The caller asked wrongly.

    Names the parameter (or column), the rule it breaks, the offending value where it may be shown, and what was available.
    Values of persons are given as ``values``: who caught the error reads them as ``value``, its text and its facts hold
    ``shown`` alone, so that no terminal and no log has a name or a birth date in it.
    """

    exit_code = 2

    def __init__(
        self,
        rule: str,
        *,
        parameter: str | None = None,
        column: str | None = None,
        value: object = None,
        values: Sequence[object] | None = None,
        shown: Sequence[object] = (),
        available: Iterable[object] | None = None,
        where: str | None = None,
    ) -> None:
        self.rule = rule
        self.parameter = parameter
        self.column = column
        self.available = None if available is None else list(available)
        self.where = where
        subject = [f"column {column!r}"] if column is not None else []
        subject += [str(parameter)] if parameter is not None else []
        text = f"{', '.join(subject)}: {rule}" if subject else rule
        if values is not None:
            value = list(shown) or None
        self.value = value if values is None else list(values)
        if value is not None:
            text += f", got {_listing(value) if isinstance(value, (list, tuple, set)) else repr(value)}"
        if values is not None and len(shown) < len(values):
            text += f"; {len(values) - len(shown)} not shown, may tell of persons"
        if self.available is not None:
            text += f"; available: {_listing(self.available) or 'nothing'}"
            close = [] if value is None or isinstance(value, (list, tuple, set)) else nearest(value, self.available, 1)
            if close and len(self.available) > 1:
                text += f"; did you mean {close[0]!r}?"
        if where is not None:
            text = f"{where}: {text}"
        super().__init__(
            text, rule=rule, parameter=parameter, column=column, value=value, available=self.available, where=where
        )


class Taken(BadRequest):
    """Something is there already under the name that was given."""

    exit_code = 5


class TooLittle(BadRequest):
    """A bound that was given is below what this table needs; nothing else is wrong with the request, or with what was made."""


class NotKnown(BadRequest):
    """An id that nothing here answers to: misspelled, or somebody's own and not installed."""


class Contradiction(BadRequest):
    """A certificate says something else than the public files show: whoever asked whether it is true gets a no."""

    exit_code = 1


class Infeasible(SfumatoError):
    """No release can satisfy the request; carries the measured value and the bound it misses."""

    exit_code = 3

    def __init__(
        self, message: str, *, measured: object = None, bound: object = None, requirement: str | None = None
    ) -> None:
        self.measured = measured
        self.bound = bound
        self.requirement = requirement
        super().__init__(message, measured=measured, bound=bound, requirement=requirement)


class Unsupported(SfumatoError):
    """This part cannot promise what was asked; says which parts can."""

    exit_code = 4

    def __init__(self, message: str, *, thing: str | None = None, alternatives: Iterable[str] = ()) -> None:
        self.thing = thing
        self.alternatives = list(alternatives)
        if self.alternatives:
            message += f"; use instead: {_listing(self.alternatives)}"
        super().__init__(message, thing=thing, alternatives=self.alternatives)


class Cancelled(SfumatoError):
    """Somebody ended the work, or its time was over. ``reason`` says which, ``kept`` what is there: as a rule nothing."""

    exit_code = 130

    def __init__(self, reason: str = "interrupted", *, kept: str = "nothing was written") -> None:
        self.reason = reason
        why = "the time that was given is over" if reason == "deadline" else reason
        super().__init__(f"{why}: {kept}", reason=reason)


class InternalError(SfumatoError):
    """A promise of ours does not hold: a bug in sfumato, never the caller's fault."""

    exit_code = 70
