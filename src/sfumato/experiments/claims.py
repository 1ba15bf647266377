"""A claim of a paper beside what we measured: stated, measured, the difference, a verdict in words."""

from __future__ import annotations

from collections.abc import Iterable

from sfumato.data.frozen import frozen
from sfumato.utility.classification import ErrorRate

__all__ = ["OWN_TARGET", "REPRODUCED", "Claim", "bound_claim", "error_claim", "fact_claim", "points_claim"]

REPRODUCED = "reproduced"
NOT_REPRODUCED = "not reproduced"
#: The word in place of a figure number for a bar that is ours, not the paper's.
OWN_TARGET = "own target"
# Per cent points; printed figures have one decimal and come from another tree learner.
TOLERANCE = 0.5


@frozen
class Claim:
    """One line of the comparison; ``difference`` is measured minus stated, where both are numbers."""

    figure: str
    what: str
    stated: str
    measured: str
    difference: float | None
    holds: bool
    verdict: str

    @property
    def difference_text(self) -> str:
        """The difference with its sign, or nothing."""
        return "" if self.difference is None else f"{self.difference:+.2f}"

    @property
    def cells(self) -> tuple[str, ...]:
        """The line as texts, in the order of the fields."""
        return self.figure, self.what, self.stated, self.measured, self.difference_text, self.verdict


def error_claim(figure: str, what: str, stated: float, measured: ErrorRate, *, note: str = "") -> Claim:
    """Compare an error in per cent with a printed one: equal within 0.5 points, or within two standard errors."""
    difference = measured.percent - stated
    error = 100 * measured.standard_error
    if abs(difference) <= TOLERANCE:
        holds, verdict = True, f"{REPRODUCED} within {TOLERANCE} points"
    elif abs(difference) <= 2 * error:
        holds, verdict = True, f"agrees within two standard errors ({2 * error:.1f} points)"
    else:
        holds, verdict = False, NOT_REPRODUCED
    shown = f"{measured.percent:.2f} ± {error:.2f}"
    return Claim(figure, what, f"{stated:g}", shown, difference, holds, f"{verdict}, {note}" if note else verdict)


def points_claim(figure: str, what: str, stated: float, measured: float) -> Claim:
    """Compare a difference of errors with a printed one, in points: equal within 0.5."""
    holds = abs(measured - stated) <= TOLERANCE
    verdict = (
        f"{REPRODUCED} within {TOLERANCE} points" if holds else f"{NOT_REPRODUCED}: off by {abs(measured - stated):.2f}"
    )
    return Claim(figure, what, f"{stated:g}", f"{measured:.2f}", measured - stated, holds, verdict)


def bound_claim(
    figure: str,
    what: str,
    bound: float,
    measured: float,
    *,
    strict: bool = False,
    at_least: bool = False,
    unit: str = "",
) -> Claim:
    """Compare a number with a bound it should stay below (or reach, if ``at_least``)."""
    holds = measured >= bound if at_least else (measured < bound if strict else measured <= bound)
    sign = ">=" if at_least else ("<" if strict else "<=")
    met, missed = ("met", "missed") if figure == OWN_TARGET else (REPRODUCED, NOT_REPRODUCED)
    return Claim(
        figure,
        what,
        f"{sign} {bound:g}{unit}",
        f"{measured:.2f}{unit}",
        measured - bound,
        holds,
        met if holds else f"{missed}: off by {abs(measured - bound):.2f}{unit}",
    )


def fact_claim(figure: str, what: str, stated: str, measured: str | Iterable[str], holds: bool) -> Claim:
    """Compare something that is no number."""
    shown = measured if isinstance(measured, str) else ", ".join(measured)
    return Claim(figure, what, stated, shown or "none", None, holds, REPRODUCED if holds else NOT_REPRODUCED)
