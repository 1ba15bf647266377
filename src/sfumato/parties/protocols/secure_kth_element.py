"""The k-th smallest value of all holders together: halving a public domain, one question a round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from sfumato.contracts.thing import param
from sfumato.errors import BadRequest
from sfumato.parties.blocks.counting import COUNTING, Counting, Mode
from sfumato.parties.blocks.halving import Halving
from sfumato.parties.conversation.message import Body
from sfumato.parties.conversation.party import Seat, Talk
from sfumato.parties.conversation.protocol import Protocol

__all__ = ["SecureKthElement"]


class SecureKthElement(Protocol[Sequence[int], int]):
    """Find the k-th smallest of the values of all holders, in a public range of whole numbers.

    The guess is ``g = floor((low + high) / 2)``; every holder counts its values up to g. If the counts of all add up to at
    least k, the element is at most g, else above. After at most ``ceil(log2(high - low + 1))`` rounds one number is left.
    k = 1 is the minimum, k = n the maximum, ``ceil(n / 2)`` the lower median. Decimals are multiplied by a scale first.

    In ``sum`` mode the first holder learns the count at each guess, a coarse histogram; it needs three holders. In ``bits``
    mode all learn whether k is reached, which follows from the result; two are enough. How many values there are together is
    asked first in the same way: a k that is larger is refused.

    Examples
    --------
    >>> from sfumato.parties.protocols import SecureKthElement
    >>> ages = {"north": [30, 33], "south": [45, 56], "west": [30, 53]}
    >>> SecureKthElement(k=3, low=0, high=127).simulate(ages).results["south"]
    33

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 12.3.
    Aggarwal, Mishra, Pinkas, "Secure computation of the k-th ranked element", 2004, doi:10.1007/978-3-540-24676-3_3.
    """

    id: ClassVar[str] = "secure-kth-element"
    bodies: ClassVar[Sequence[type[Body]]] = COUNTING

    k: int = param(ge=1, doc="the rank: 1 is the smallest")
    low: int = param(doc="smallest value that there can be")
    high: int = param(doc="largest value that there can be")
    mode: Mode = param(default="bits", choices=("sum", "bits"), doc="whether the first holder learns counts, or nobody")
    largest: int = param(default=1 << 20, ge=1, lt=1 << 40, doc="largest number of values that a holder may bring")

    def validate(self) -> None:
        """Refuse a range without a number."""
        if self.low > self.high:
            raise BadRequest("must not lie above high", parameter=f"{self.id}.low", value=self.low)

    @property
    def rounds(self) -> int:
        """Return how many halvings there are at most."""
        return Halving(self.low, self.high).rounds

    def talk(self, seat: Seat, own: Sequence[int]) -> Talk[int]:
        """Return the element; every holder learns it."""
        values = np.sort(np.asarray(own, np.int64))
        if len(values) and (values[0] < self.low or values[-1] > self.high):
            raise BadRequest("holds values outside the range that all agreed on", parameter=f"{self.id}.values")
        counting = Counting(seat, self.mode, self.largest)
        yield from counting.prepare()
        (enough,) = yield from counting.reached([len(values)], [self.k], [0])
        if not enough:
            raise BadRequest(
                "is larger than the number of values of all holders", parameter=f"{self.id}.k", value=self.k
            )
        search = Halving(self.low, self.high)
        while not search.done:
            seat.round += 1
            up_to = int(np.searchsorted(values, search.guess, side="right"))
            (bit,) = yield from counting.reached([up_to], [self.k], [0])
            search = search.told(bit)
        return search.low
