"""The least cost of turning one distribution into another, exactly: cheapest paths, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from sfumato.recounts._level import Histogram, Text

__all__ = ["transport"]


Cost = Callable[[Text, Text], Fraction]


def transport(table: Histogram, cost: Cost, texts: Histogram) -> float:
    """Return the least cost of turning the shares of the one into those of the other."""
    left, right = _shares(texts), _shares(table)
    flow = {(one, other): Fraction(0) for one in left for other in right}
    while any(left.values()):
        end, path = _cheapest(left, right, flow, cost)
        start = path[-1][0]
        step = min([left[start], right[end], *(flow[one, other] for one, other, way in path if way < 0)])
        for one, other, way in path:
            flow[one, other] += way * step
        left[start] -= step
        right[end] -= step
    return float(sum((amount * cost(one, other) for (one, other), amount in flow.items()), Fraction(0)))


def _shares(texts: Histogram) -> dict[Text, Fraction]:
    size = sum(map(Fraction, texts.values()))
    return {text: Fraction(count) / size for text, count in texts.items()}


def _cheapest(
    left: Mapping[Text, Fraction],
    right: Mapping[Text, Fraction],
    flow: Mapping[tuple[Text, Text], Fraction],
    cost: Cost,
) -> tuple[Text, list[tuple[Text, Text, int]]]:
    """Return where the cheapest way from something left to something wanted ends, and its steps; some take flow back."""
    leaving: dict[Text, tuple[Fraction, Text]] = {text: (Fraction(0), None) for text in left if left[text]}
    starts, arriving = set(leaving), dict[Text, tuple[Fraction, Text]]()
    changed = True
    while changed:
        changed = False
        for (one, other), amount in flow.items():
            price = cost(one, other)
            if one in leaving and (other not in arriving or leaving[one][0] + price < arriving[other][0]):
                arriving[other], changed = (leaving[one][0] + price, one), True
            back = amount > 0 and other in arriving
            if back and (one not in leaving or arriving[other][0] - price < leaving[one][0]):
                leaving[one], changed = (arriving[other][0] - price, other), True
                starts.discard(one)
    end = min((text for text in arriving if right[text]), key=lambda text: arriving[text][0])
    path, at = [], end
    while True:
        one = arriving[at][1]
        path.append((one, at, 1))
        if one in starts:
            return end, path
        at = leaving[one][1]
        path.append((one, at, -1))
