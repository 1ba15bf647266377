"""Models that compare distributions, number by number, on plain mappings ``{value: count}`` and exact fractions.

equal         EMD = 1/2 Σ |p - q|
ordered       EMD = 1/(m - 1) Σ_i |Σ_(j <= i) (p_j - q_j)|
hierarchical  EMD = Σ_N height(N)/H min(pos(N), neg(N)) over inner nodes N, pos and neg of the children's surpluses
any           least cost of a transport, found by cheapest paths
gain          (q - p) / p;  cap -ln p;  |log(q / p)|
near          share of a group within epsilon of a centre
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from math import inf, log
from typing import Any

__all__ = [
    "absent",
    "capped_gain",
    "equal_distance",
    "gains",
    "hierarchical_distance",
    "largest_log",
    "leaf_distance",
    "nearest_share",
    "ordered_distance",
    "overall",
    "poisson_tail",
    "shares",
    "transport",
]

Counts = Mapping[Any, int]
Tree = Mapping[str, Any]


def overall(groups: Sequence[Counts]) -> dict[Any, int]:
    """Return the counts of all groups together."""
    total: dict[Any, int] = {}
    for group in groups:
        for value, count in group.items():
            total[value] = total.get(value, 0) + count
    return total


def shares(counts: Counts) -> dict[Any, Fraction]:
    """Return the share of each value that occurs."""
    records = sum(counts.values())
    return {value: Fraction(count, records) for value, count in counts.items() if count}


# ---- distances -----------------------------------------------------------------------------------------------------------


def equal_distance(group: Counts, table: Counts) -> Fraction:
    """Return half the sum of absolute differences."""
    p, q = shares(group), shares(table)
    return sum((abs(p.get(value, Fraction(0)) - q[value]) for value in q), Fraction(0)) / 2


def ordered_distance(group: Counts, table: Counts, order: Sequence[Any] | None = None) -> Fraction:
    """Return the distance on the values of the table in their order."""
    p, q = shares(group), shares(table)
    values = sorted(q) if order is None else [value for value in order if value in q]
    if len(values) == 1:
        return Fraction(0)
    ahead, work = Fraction(0), Fraction(0)
    for value in values:
        ahead += p.get(value, Fraction(0)) - q[value]
        work += abs(ahead)
    return work / (len(values) - 1)


def _height(tree: Tree) -> int:
    return max((1 + _height(child) for child in tree.get("children", [])), default=0)


def hierarchical_distance(group: Counts, table: Counts, tree: Tree) -> Fraction:
    """Return the distance by surpluses that meet at each inner node."""
    p, q = shares(group), shares(table)
    top = _height(tree)
    work = Fraction(0)

    def surplus(node: Tree) -> Fraction:
        nonlocal work
        children = node.get("children", [])
        if not children:
            return p.get(node["value"], Fraction(0)) - q.get(node["value"], Fraction(0))
        parts = [surplus(child) for child in children]
        above = sum((part for part in parts if part > 0), Fraction(0))
        below = -sum((part for part in parts if part < 0), Fraction(0))
        work += Fraction(_height(node), top) * min(above, below)
        return above - below

    surplus(tree)
    return work


def leaf_distance(tree: Tree, one: Any, other: Any) -> Fraction:
    """Return the height of the lowest common ancestor of two leaves over that of the root."""
    top = _height(tree)

    def holds(node: Tree, leaf: Any) -> bool:
        children = node.get("children", [])
        return any(holds(child, leaf) for child in children) if children else bool(node["value"] == leaf)

    node = tree
    while True:
        inside = [child for child in node.get("children", []) if holds(child, one) and holds(child, other)]
        if not inside:
            return Fraction(0) if one == other else Fraction(_height(node), top)
        node = inside[0]


def transport(group: Counts, table: Counts, cost: Callable[[Any, Any], Fraction]) -> Fraction:
    """Return the least cost of turning one distribution into the other: cheapest augmenting paths, exactly."""
    left, right = shares(group), shares(table)
    sources, sinks = list(left), list(right)
    flow: dict[tuple[Any, Any], Fraction] = {(i, j): Fraction(0) for i in sources for j in sinks}
    while any(left.values()):
        # Bellman-Ford from every source with something left; a backward edge gives a share back.
        reach: dict[tuple[str, Any], tuple[Fraction, Any]] = {("s", i): (Fraction(0), None) for i in sources if left[i]}
        changed = True
        while changed:
            changed = False
            for i in sources:
                for j in sinks:
                    d = cost(i, j)
                    if ("s", i) in reach and (("t", j) not in reach or reach["s", i][0] + d < reach["t", j][0]):
                        reach["t", j] = (reach["s", i][0] + d, i)
                        changed = True
                    back = flow[i, j] > 0 and ("t", j) in reach
                    if back and (("s", i) not in reach or reach["t", j][0] - d < reach["s", i][0]):
                        reach["s", i] = (reach["t", j][0] - d, j)
                        changed = True
        end = min((j for j in sinks if right[j] and ("t", j) in reach), key=lambda j: reach["t", j][0])
        path, at = [], end
        while True:
            i = reach["t", at][1]
            path.append((i, at, 1))
            before = reach["s", i][1]
            if before is None:
                break
            path.append((i, before, -1))
            at = before
        start = path[-1][0]
        step = min([left[start], right[end], *(flow[i, j] for i, j, way in path if way < 0)])
        for i, j, way in path:
            flow[i, j] += way * step
        left[start] -= step
        right[end] -= step
    return sum((amount * cost(i, j) for (i, j), amount in flow.items()), Fraction(0))


# ---- gains, logarithms, neighbours ---------------------------------------------------------------------------------------


def gains(group: Counts, table: Counts) -> dict[Any, Fraction]:
    """Return the relative gain of each value of the table, -1 where the group lacks it."""
    p, q = shares(table), shares(group)
    return {value: (q.get(value, Fraction(0)) - p[value]) / p[value] for value in p}


def capped_gain(group: Counts, table: Counts) -> float:
    """Return the largest gain, infinite where one exceeds -ln p."""
    p = shares(table)
    found = gains(group, table)
    if any(gain > -log(p[value]) + 1e-12 for value, gain in found.items()):
        return inf
    return float(max(found.values()))


def absent(group: Counts, table: Counts) -> int:
    """Return how many values of the table the group lacks."""
    return sum(not group.get(value, 0) for value, count in table.items() if count)


def largest_log(group: Counts, table: Counts, base: float) -> float:
    """Return the largest |log(q / p)| over the values of the group."""
    p, q = shares(table), shares(group)
    return max(abs(log(q[value] / p[value]) / log(base)) for value in q)


def nearest_share(group: Counts, centres: Counts, epsilon: Fraction, *, relative: bool = False) -> Fraction:
    """Return the largest share of a group within epsilon of a centre."""
    found = Fraction(0)
    for centre in (Fraction(value) for value, count in centres.items() if count):
        reach = epsilon * abs(centre) if relative else epsilon
        inside = sum(count for value, count in group.items() if abs(Fraction(value) - centre) <= reach)
        found = max(found, Fraction(inside, sum(group.values())))
    return found


def poisson_tail(rate: Fraction, least: int, *, truncated: bool) -> float:
    """Return P(X >= least), given X >= 1 if truncated, with sixty digits."""
    with localcontext() as context:
        context.prec = 60
        mean = Decimal(rate.numerator) / Decimal(rate.denominator)
        term = (-mean).exp()
        zero, left = term, Decimal(1)
        for count in range(least):
            left -= term
            term = term * mean / (count + 1)
        return float(left / (1 - zero) if truncated and least >= 1 else left)
