"""How often guesses about persons in a release come true, and how much of that the release itself adds.

The same guesses are made about a control group, persons like those in the release who are not in it. What succeeds there too
is knowledge about people in general; only what succeeds beyond it is a risk that comes from being in the release.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Literal

from sfumato.data.frozen import frozen
from sfumato.data.messages import say

__all__ = ["Excess", "Rate"]


@frozen
class Rate:
    """How many of some attempts succeeded."""

    successes: int
    attempts: int

    @property
    def share(self) -> float:
        """Successes by attempts; 0 without any attempt."""
        return self.successes / self.attempts if self.attempts else 0.0

    @property
    def text(self) -> str:
        """The counts and the share, to be read."""
        return f"{self.successes:,} of {self.attempts:,} ({self.share:.1%})"

    def interval(self, confidence: float) -> tuple[float, float]:
        """Return Wilson's confidence interval of the share; without any attempt it may be anything.

        >>> low, high = Rate(0, 100).interval(0.95)
        >>> low, round(high, 4)
        (0.0, 0.037)
        """
        if not self.attempts:
            return 0.0, 1.0
        z = NormalDist().inv_cdf((1 + confidence) / 2)
        n, p = self.attempts, self.share
        centre = (p + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        # Rounding must not put the share itself outside.
        return max(0.0, min(p, centre - half)), min(1.0, max(p, centre + half))


@frozen
class Excess:
    """The success of guesses about persons in a release, over that about a control group.

    With the shares ``a`` and ``c`` the risk is ``(a - c) / (1 - c)``, at least 0: of the guesses that fail on the control
    group, the share that the release makes come true. Its interval comes from the two Wilson intervals by the method of
    variance estimates recovery for a ratio, here of the failures ``(1 - a) / (1 - c)``. If the control group leaves no room,
    nothing is known of the risk: the interval goes from 0 to 1.

    The answer is *no* if the interval ends at or below ``negligible``, *yes* if it begins above it, *undecided* otherwise.
    """

    release: Rate
    control: Rate
    confidence: float = 0.95
    negligible: float = 0.1

    @property
    def risk(self) -> float:
        """The share of guesses that the release makes come true."""
        room = 1 - self.control.share
        return max(0.0, (self.release.share - self.control.share) / room) if room > 0 else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The confidence interval of the risk.

        >>> low, high = Excess(Rate(480, 500), Rate(30, 500)).interval
        >>> round(low, 3), round(high, 3)
        (0.935, 0.972)
        """
        if not self.release.attempts or not self.control.attempts:
            return 0.0, 1.0
        failed, missed = 1 - self.release.share, 1 - self.control.share
        failed_low, failed_high = (1 - end for end in reversed(self.release.interval(self.confidence)))
        missed_low, missed_high = (1 - end for end in reversed(self.control.interval(self.confidence)))
        both = failed * missed
        # Both ends solve a x^2 - 2 b x + c = 0; the smaller root is written so that it stands for a <= 0 too.
        a, c = missed_high * (2 * missed - missed_high), failed_low * (2 * failed - failed_low)
        below = both + math.sqrt(max(both * both - a * c, 0.0))
        least = c / below if below > 0 else 0.0
        a, c = missed_low * (2 * missed - missed_low), failed_high * (2 * failed - failed_high)
        most = (both + math.sqrt(max(both * both - a * c, 0.0))) / a if a > 0 else math.inf
        low, high = (min(max(1 - end, 0.0), 1.0) for end in (most, least))
        return min(low, self.risk), max(high, self.risk)

    @property
    def answer(self) -> Literal["yes", "no", "undecided"]:
        """Whether the release adds a risk that counts."""
        low, high = self.interval
        if high <= self.negligible:
            return "no"
        return "yes" if low > self.negligible else "undecided"

    @classmethod
    def pooled(cls, parts: Sequence[Excess]) -> Excess:
        """Put the guesses of several trials together."""
        release, control = (
            Rate(sum(one.successes for one in side), sum(one.attempts for one in side))
            for side in ([part.release for part in parts], [part.control for part in parts])
        )
        return cls(release, control, parts[0].confidence, parts[0].negligible)

    def numbers(self) -> dict[str, object]:
        """Return all figures in a form that JSON takes; rates are shares, not per cent."""
        out: dict[str, object] = {"answer": self.answer, "risk": self.risk}
        out["risk_low"], out["risk_high"] = self.interval
        for name, rate in (("release", self.release), ("control", self.control)):
            low, high = rate.interval(self.confidence)
            out |= {f"{name}_attempts": rate.attempts, f"{name}_successes": rate.successes}
            out |= {f"{name}_rate": rate.share, f"{name}_low": low, f"{name}_high": high}
        return {**out, "confidence": self.confidence, "negligible": self.negligible}

    def sentence(self, can: str, guess: str) -> str:
        """Say it in one sentence; ``can`` is what an outsider could do, ``guess`` what a successful guess does."""
        low, high = self.interval
        head = {
            "yes": say("question.yes", can=can),
            "no": say("question.no", can=can),
            "undecided": say("question.undecided", can=can),
        }[self.answer]
        there, elsewhere = self.release, self.control
        return say(
            "question.answer",
            head=head,
            right=there.successes,
            tried=there.attempts,
            share=there.share,
            guess=guess,
            outside=elsewhere.successes,
            outside_tried=elsewhere.attempts,
            outside_share=elsewhere.share,
            risk=self.risk,
            low=low,
            high=high,
            confidence=100 * self.confidence,
        )
