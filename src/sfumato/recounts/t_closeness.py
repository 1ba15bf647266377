"""t-closeness, recounted: the least work of turning the table's distribution into that of a group."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from itertools import accumulate

from sfumato.errors import BadRequest
from sfumato.recounts._compared import compared
from sfumato.recounts._level import Groups, Histogram, Level, Number, Text, highest, named, number
from sfumato.recounts._transport import transport
from sfumato.recounts._tree import nodes

__all__ = ["level"]


Distance = Callable[[Histogram], Number]


def level(
    groups: Groups,
    *,
    t: float,
    ground_distance: str,
    values: Sequence[object] | None,
    taxonomy: object,
    matrix: Sequence[Sequence[float]] | None,
    missing: str,
    whole: Histogram | None,
) -> Level:
    """Judge the distance of each group from the table; equal distributions are measured once."""
    held, table = compared(groups, missing, whole)
    table = {text: count for text, count in table.items() if count}
    distance: Distance
    if ground_distance == "equal":
        distance = partial(_equal, table)
    elif ground_distance == "ordered":
        distance = _ordered(table, values)
    elif ground_distance == "hierarchical":
        distance = _hierarchical(table, nodes(taxonomy))
    else:
        distance = partial(transport, table, _costs(table, values or (), matrix or ()))
    known: dict[frozenset[tuple[Text, Number]], Number] = {}
    found = []
    for texts in held:
        shape = frozenset(texts.items())
        if shape not in known:
            known[shape] = distance(texts)
        found.append(known[shape])
    return highest(found, t)


def _equal(table: Histogram, texts: Histogram) -> Number:
    """Half the sum of all differences of shares is the sum of the positive ones."""
    size, records = sum(texts.values()), sum(table.values())
    ahead = [count * records - table[text] * size for text, count in texts.items()]
    return sum(part for part in ahead if part > 0) / (size * records)


def _ordered(table: Histogram, values: Sequence[object] | None) -> Distance:
    """Add up the differences of cumulative shares over the texts of the table in their order."""
    rank = {text: at for at, text in enumerate(_in_order(table, values))}
    records, last = sum(table.values()), len(rank) - 1
    below = list(accumulate(table[text] for text in rank))
    summed = list(accumulate(below, initial=0))

    def distance(texts: Histogram) -> Number:
        size, at = sum(texts.values()), 0
        held: Number = 0
        work: Number = 0
        for until, count in [*sorted((rank[text], count) for text, count in texts.items()), (last, 0)]:
            # Up to here the group has the rows held so far, while those of the table only grow: they meet once at most.
            turn = max(at, min(until, bisect_right(below, held * records // size)))
            work += held * records * (2 * turn - at - until) - size * (2 * summed[turn] - summed[at] - summed[until])
            held, at = held + count, until
        return work / (size * records * last)

    return distance if last > 0 else lambda texts: 0.0


def _in_order(table: Histogram, values: Sequence[object] | None) -> list[Text]:
    if values is not None:
        return [text for text, _ in sorted(_places(table, values).items(), key=lambda entry: entry[1])]
    if all(number(text) is not None for text in table):
        return sorted(table, key=lambda text: number(text) or 0.0)
    return sorted(table, key=str)  # dates are written so that their order is that of their texts


def _places(table: Histogram, values: Sequence[object]) -> dict[Text, int]:
    found = {text: at for at, value in enumerate(values) for text in named(table, [value])}
    if len(found) < len(table):
        raise BadRequest("lacks a value of the column", parameter="t-closeness.values")
    return found


def _hierarchical(table: Histogram, tree: Sequence[tuple[str, int]]) -> Distance:
    """Add up the differences of the shares below each node, weighted by how high a share climbs from it to its parent."""
    height = [0] * len(tree)
    for node in range(len(tree) - 1, 0, -1):
        height[tree[node][1]] = max(height[tree[node][1]], height[node] + 1)
    inner = {above for _, above in tree}
    leaves = {label: node for node, (label, _) in enumerate(tree) if node not in inner}
    if not {text or "" for text in table} <= set(leaves):
        raise BadRequest("lacks a value of the column", parameter="t-closeness.taxonomy")

    def below(texts: Histogram) -> list[Number]:
        out: list[Number] = [0] * len(tree)
        for text, count in texts.items():
            out[leaves[text or ""]] += count
        for node in range(len(tree) - 1, 0, -1):
            out[tree[node][1]] += out[node]
        return out

    everywhere = below(table)

    def distance(texts: Histogram) -> Number:
        here, size, records = below(texts), sum(texts.values()), sum(table.values())
        work = sum(
            (height[above] - height[node]) * abs(here[node] * records - everywhere[node] * size)
            for node, (_, above) in enumerate(tree)
            if node
        )
        return work / (2 * height[0] * size * records)

    return distance if height[0] else lambda texts: 0.0


def _costs(
    table: Histogram, values: Sequence[object], matrix: Sequence[Sequence[float]]
) -> Callable[[Text, Text], Fraction]:
    place = _places(table, values)
    return lambda one, other: Fraction(matrix[place[one]][place[other]])
