"""(epsilon,m)-anonymity, recounted: how many rows of a group lie near one number."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate
from math import floor

from sfumato.recounts._level import Groups, Histogram, Level, Number, lowest
from sfumato.recounts._numbers import numbers_of

__all__ = ["level"]


_ROUNDING = 1e-12
_SLACK = 1e-9


def level(groups: Groups, *, epsilon: float, m: int, relative: bool, centres: str, whole: Histogram | None) -> Level:
    """Judge the largest whole m that each group allows: its size over the rows in its fullest interval."""
    held = numbers_of(groups)
    everywhere = sorted({value for values in held for value, _ in values} | set(map(float, filter(None, whole or ()))))
    found: list[Number] = []
    for values in held:
        places = [value for value, _ in values]
        ahead = list(accumulate((count for _, count in values), initial=0))
        fullest: Number = 0
        for centre in places if centres == "group" else everywhere:
            reach = epsilon * abs(centre) if relative else epsilon
            reach += _ROUNDING * (abs(centre) + epsilon)
            inside = ahead[bisect_right(places, centre + reach)] - ahead[bisect_left(places, centre - reach)]
            fullest = max(fullest, inside)
        whole_numbers = isinstance(fullest, int)
        found.append(ahead[-1] // fullest if whole_numbers else floor(ahead[-1] / fullest * (1 + _SLACK)))
    return lowest(found, m)
