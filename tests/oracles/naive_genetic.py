"""What the genetic algorithm prices, by the book: apply a cut record by record, leave small groups out, count.

Plain Python on rows of values. A state of a column maps each raw value to a label and to the share of the domain that the
label leaves open. :func:`optimum` tries every combination of states, so tables must be tiny.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import Any

State = Mapping[Any, tuple[str, float]]
Row = tuple[Any, ...]


def tree_states(nested: Mapping[str, Any]) -> list[State]:
    """Return every cut of a tree ``{"value": ..., "children": [...]}``."""

    def leaves(node: Mapping[str, Any]) -> list[str]:
        below = node.get("children", [])
        return [leaf for child in below for leaf in leaves(child)] if below else [node["value"]]

    whole = len(leaves(nested))

    def below(node: Mapping[str, Any]) -> Iterator[dict[Any, tuple[str, float]]]:
        own = leaves(node)
        share = (len(own) - 1) / (whole - 1) if whole > 1 else 0.0
        yield dict.fromkeys(own, (node["value"], share))
        children = node.get("children", [])
        if children:
            for parts in product(*(list(below(child)) for child in children)):
                yield {leaf: shown for part in parts for leaf, shown in part.items()}

    return list(below(nested))


def interval_states(values: Sequence[float], low: float, high: float) -> list[State]:
    """Return every way to cut a range before some of the values that occur, the smallest excepted."""
    out = []
    order = sorted(set(values))
    for count in range(len(order)):
        for starts in combinations(order[1:], count):
            edges = [low, *starts, high]
            state = {}
            for value in order:
                at = max(i for i in range(len(edges) - 1) if value >= edges[i])
                span = (edges[at + 1] - edges[at]) / (high - low) if high > low else 0.0
                state[value] = (f"{edges[at]}..{edges[at + 1]}", span)
            out.append(state)
    return out


def value_states(values: Sequence[Any]) -> list[State]:
    """Return every way to disclose some values and to hide the others behind one symbol."""
    order = sorted(set(values))
    out = []
    for count in range(len(order) + 1):
        for shown in combinations(order, count):
            hidden = len(order) - count
            share = (hidden - 1) / (len(order) - 1) if len(order) > 1 and hidden else 0.0
            out.append({value: (value, 0.0) if value in shown else ("*", share) for value in order})
    return out


def publish(
    rows: Sequence[Row], states: Sequence[State], requirement: Sequence[tuple[Sequence[int], int]]
) -> tuple[list[int], list[Row]]:
    """Return which records are published, and the labels of all: small groups are left out until none is small."""
    shown = [tuple(state[value][0] for state, value in zip(states, row, strict=False)) for row in rows]
    alive = list(range(len(rows)))
    while True:
        before = len(alive)
        for qid, k in requirement:
            counts = Counter(tuple(shown[i][j] for j in qid) for i in alive)
            alive = [i for i in alive if counts[tuple(shown[i][j] for j in qid)] >= k]
        if len(alive) == before:
            return alive, shown


def classification_metric(rows: Sequence[Row], alive: Sequence[int], shown: Sequence[Row]) -> float:
    """Return the share of records that are left out or not of their group's majority; the class is the last value."""
    groups: dict[Row, list[Any]] = defaultdict(list)
    for i in alive:
        groups[shown[i]].append(rows[i][-1])
    wrong = sum(len(classes) - max(Counter(classes).values()) for classes in groups.values())
    return (wrong + len(rows) - len(alive)) / len(rows)


def loss(rows: Sequence[Row], alive: Sequence[int], states: Sequence[State]) -> float:
    """Return the mean share of the domain that a cell leaves open; all of it in a record that is left out."""
    kept = sum(state[value][1] for i in alive for state, value in zip(states, rows[i], strict=False))
    return (kept / len(states) + len(rows) - len(alive)) / len(rows)


def price(
    rows: Sequence[Row],
    states: Sequence[State],
    requirement: Sequence[tuple[Sequence[int], int]],
    metric: str,
) -> tuple[float, int]:
    """Return the metric of a table under some states, and how many records it leaves out."""
    alive, shown = publish(rows, states, requirement)
    cost = classification_metric(rows, alive, shown) if metric != "loss" else loss(rows, alive, states)
    return cost, len(rows) - len(alive)


def optimum(
    rows: Sequence[Row],
    columns: Sequence[Sequence[State]],
    requirement: Sequence[tuple[Sequence[int], int]],
    metric: str,
    budget: int,
) -> float:
    """Return the smallest metric over all states that leave out at most ``budget`` records."""
    found = [price(rows, states, requirement, metric) for states in product(*columns)]
    return min(cost for cost, gone in found if gone <= budget)
