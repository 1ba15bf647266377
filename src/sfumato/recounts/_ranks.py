"""Recursive diversity: what the most frequent sensitive value of a group is outweighed by."""

from __future__ import annotations

from collections.abc import Collection
from math import inf

from sfumato.recounts._level import Histogram, Number, Text

__all__ = ["needed_c"]


def needed_c(texts: Histogram, l: int, tolerated: Collection[Text] = ()) -> Number:
    """Return the c that a group needs: whatever l - 2 other texts are excluded, no text may outweigh the rest c times.

    It is worst to exclude the most frequent ones. Texts that are tolerated may be learnt.
    """
    worst: Number = 0.0
    for text, count in texts.items():
        if l > 1 and text not in tolerated:
            others = sorted((other for name, other in texts.items() if name != text), reverse=True)
            left = sum(others[l - 2 :])
            worst = max(worst, count / left if left else inf)
    return worst
