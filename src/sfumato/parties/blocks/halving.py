"""Halving a public domain until one element is left: each guess is one question to all parties."""

from __future__ import annotations

from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest

__all__ = ["Halving"]


@frozen
class Halving:
    """The element lies between ``low`` and ``high``; the next question is whether it is at most :attr:`guess`.

    >>> Halving(0, 127).rounds
    7
    >>> search = Halving(0, 7).told(True).told(False)
    >>> search.low, search.high
    (2, 3)
    """

    low: int
    high: int

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise BadRequest("the domain has no element", parameter="domain", value=(self.low, self.high))

    @property
    def done(self) -> bool:
        """Tell whether one element is left."""
        return self.low == self.high

    @property
    def guess(self) -> int:
        """Return the middle, ``floor((low + high) / 2)``."""
        return (self.low + self.high) // 2

    @property
    def rounds(self) -> int:
        """Return how many questions are left at most, ``ceil(log2(high - low + 1))``."""
        return (self.high - self.low).bit_length()

    def told(self, reached: bool) -> Halving:
        """Return what is left after an answer: whether enough lies up to the guess."""
        return Halving(self.low, self.guess) if reached else Halving(self.guess + 1, self.high)
