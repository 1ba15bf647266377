"""Rational participation: what each holder gave and got, and how far that is from what all could accept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest
from sfumato.parties.conversation.protocol import Joint

__all__ = ["Participation", "RationalParticipation"]


@frozen
class Participation:
    """What a holder gave and got, as sums of scores; its share of all that was given; and its gap to a fair part."""

    given: float
    received: float
    share: float
    gap: float


class RationalParticipation(Joint):
    """What each holder gave and got, and how far that is from what all could accept.

    If steps worth ``p`` in all can be taken and n holders are equally able, the outcomes lie on a plane of which only
    ``(p/n, ..., p/n)`` is acceptable to all. Whoever can give more does not: in a group of holders of different ability each
    acts as the least able one does. ``mu`` is the sum of scores of a holder's own steps, ``phi`` that of the steps of all
    others.

    Examples
    --------
    >>> RationalParticipation().of({"bank": (0.75, 0.25), "shop": (0.25, 0.75)})["bank"]
    Participation(given=0.75, received=0.25, share=0.75, gap=0.25)
    >>> RationalParticipation().acts_as({"bank": 1, "shop": 2})
    2

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 11.2.5.1.
    """

    id: ClassVar[str] = "rational-participation"

    def of(self, shares: Mapping[str, tuple[float, float]]) -> dict[str, Participation]:
        """Return the participation of each holder, given ``(mu, phi)``."""
        if len(shares) < 2:
            raise BadRequest("needs at least 2 holders", parameter=self.id, value=len(shares))
        total = sum(given for given, _ in shares.values())
        fair = total / len(shares)
        return {
            name: Participation(given, received, given / total if total else 0.0, given - fair)
            for name, (given, received) in shares.items()
        }

    def acts_as(self, classes: Mapping[str, int]) -> int:
        """Return the class as which everybody acts, 1 being the most able: that of the least able holder."""
        if not classes or min(classes.values()) < 1:
            raise BadRequest("must be a class from 1 on for each holder", parameter=self.id)
        return max(classes.values())
