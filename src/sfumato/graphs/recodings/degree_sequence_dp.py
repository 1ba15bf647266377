"""The nearest degree sequence in which every degree occurs k times."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from sfumato.contracts.thing import Thing, param
from sfumato.graphs.degree_sequences import Sequenced, nearest_sequence, nearest_sequences
from sfumato.kernels.arrays import Ints

__all__ = ["DegreeSequenceDP"]


class DegreeSequenceDP(Thing):
    """Change degrees as little as possible, in the sum of absolute values, so that each occurs k times or more.

    ``D(i) = min D(i - s) + I(i - s + 1 .. i)`` over sizes ``k <= s < 2k`` of the last group of the falling sequence; ``I`` is
    ``sum (max - d)`` where degrees may only rise, else ``sum |median - d|``. ``O(nk)``, and optimal.

    Examples
    --------
    >>> DegreeSequenceDP(k=2).nearest([4, 3, 2, 2, 2, 2, 1]).sequence
    [4, 4, 2, 2, 2, 2, 2]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 15.3.3, Eq. 15.2 and 15.3.
    Liu, Terzi, "Towards identity anonymization on graphs", 2008, doi:10.1145/1376616.1376629.
    """

    id: ClassVar[str] = "degree-sequence-dp"
    kind: ClassVar[str] = "operation"
    truthful: ClassVar[bool] = False

    k: int = param(ge=1, doc="how often each degree must occur")
    direction: str = param(default="increase", choices=("increase", "both"), doc="whether degrees may also fall")

    def nearest(self, degrees: Sequence[int] | Ints) -> Sequenced:
        """Return the nearest degrees, in the order of the given ones."""
        return nearest_sequence(degrees, self.k, "both" if self.direction == "both" else "increase")

    def every(self, degrees: Sequence[int] | Ints) -> tuple[int, list[list[int]]]:
        """Return the smallest cost and all falling sequences that have it; for short sequences."""
        return nearest_sequences(degrees, self.k, "both" if self.direction == "both" else "increase")
