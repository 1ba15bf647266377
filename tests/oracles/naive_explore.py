"""Every choice of levels of a small table, recoded row by row: what it leaves out, what it costs, what lies below it.

A group breaks the requirements if it has fewer than k records, or if l times its most frequent class exceeds its size.

    Loss = mean over attributes of mean over records of (|v| - 1) / (|D| - 1), 1 for a record that is left out
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from .naive_groups import full_domain_map, leaf_count, paths

__all__ = ["NaiveChoice", "naive_choices", "naive_minimal"]

Node = tuple[int, ...]


@dataclass(frozen=True)
class NaiveChoice:
    """One choice of levels."""

    node: Node
    satisfied: bool
    score: Fraction
    left_out: int
    groups_left_out: int
    groups_kept: int
    smallest: int


def naive_choices(
    rows: Sequence[Sequence[Any]], trees: Sequence[Mapping[str, Any]], k: int, frequency: int, allowed: int
) -> list[NaiveChoice]:
    """Return every choice; rows end with the class."""
    heights = [max(len(path) - 1 for path in paths(tree)) for tree in trees]
    return [_choice(rows, trees, node, k, frequency, allowed) for node in product(*(range(top + 1) for top in heights))]


def _choice(
    rows: Sequence[Sequence[Any]], trees: Sequence[Mapping[str, Any]], node: Node, k: int, frequency: int, allowed: int
) -> NaiveChoice:
    maps = [full_domain_map(tree, level) for tree, level in zip(trees, node, strict=True)]
    groups: dict[tuple[Any, ...], list[Any]] = defaultdict(list)
    for row in rows:
        groups[tuple(known[value] for known, value in zip(maps, row, strict=False))].append(row[-1])
    bad = {
        key
        for key, classes in groups.items()
        if len(classes) < k or frequency * max(Counter(classes).values()) > len(classes)
    }
    kept = [key for key in groups if key not in bad]
    left_out = sum(len(groups[key]) for key in bad)
    score = Fraction(0)
    for at, tree in enumerate(trees):
        domain = len(list(paths(tree)))
        shares = {key: Fraction(leaf_count(tree, key[at]) - 1, max(domain - 1, 1)) for key in kept}
        score += Fraction(left_out) + sum((shares[key] * len(groups[key]) for key in kept), Fraction(0))
    return NaiveChoice(
        node,
        left_out <= allowed and bool(kept),
        score / len(trees) / len(rows),
        left_out,
        len(bad),
        len(kept),
        min((len(groups[key]) for key in kept), default=0),
    )


def naive_minimal(choices: Sequence[NaiveChoice]) -> set[Node]:
    """Return the satisfying choices with no satisfying choice below them."""
    satisfied = [choice.node for choice in choices if choice.satisfied]
    return {
        node
        for node in satisfied
        if not any(other != node and all(a <= b for a, b in zip(other, node, strict=True)) for other in satisfied)
    }
