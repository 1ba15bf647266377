"""l+-Optimize by trying everything: every combination of cuts, groups counted row by row."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

__all__ = ["all_cuts", "best_cuts", "cost", "satisfies"]

Nested = Mapping[str, Any]
Cut = tuple[str, ...]


def all_cuts(tree: Nested) -> list[Cut]:
    """List the cuts of ``{"value": label, "children": [...]}``, the root's own first."""
    below = tree.get("children") or ()
    out: list[Cut] = [(tree["value"],)]
    if below:
        combined = product(*(all_cuts(child) for child in below))
        out.extend(tuple(label for part in parts for label in part) for parts in combined)
    return out


def _paths(tree: Nested, above: tuple[str, ...] = ()) -> dict[str, tuple[str, ...]]:
    path = (tree["value"], *above)
    below = tree.get("children") or ()
    if not below:
        return {tree["value"]: path}
    return {leaf: way for child in below for leaf, way in _paths(child, path).items()}


def _published(rows: Sequence[Sequence[str]], trees: Sequence[Nested], cuts: Sequence[Cut]) -> list[tuple[str, ...]]:
    ways = [_paths(tree) for tree in trees]
    return [
        tuple(
            next(label for label in way[row[i]] if label in cut)
            for i, (way, cut) in enumerate(zip(ways, cuts, strict=True))
        )
        for row in rows
    ]


def satisfies(
    rows: Sequence[Sequence[str]],
    trees: Sequence[Nested],
    cuts: Sequence[Cut],
    sensitive: Sequence[str],
    templates: Sequence[tuple[Sequence[int], str, float]],
) -> bool:
    """Tell whether the share of each template's value is at most h in every group on its columns."""
    shown = _published(rows, trees, cuts)
    for columns, value, h in templates:
        groups: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for key, held in zip(shown, sensitive, strict=True):
            groups[tuple(key[c] for c in columns)].append(held)
        if any(group.count(value) > h * len(group) * (1 + 1e-9) for group in groups.values()):
            return False
    return True


def cost(
    rows: Sequence[Sequence[str]], trees: Sequence[Nested], cuts: Sequence[Cut], metric: str, classes: Sequence[str]
) -> float:
    """Return discernibility, minimal distortion, or the classification metric of a combination of cuts."""
    shown = _published(rows, trees, cuts)
    if metric == "minimal-distortion":
        ways = [_paths(tree) for tree in trees]
        return sum(
            way[raw].index(label)
            for row, key in zip(rows, shown, strict=True)
            for way, raw, label in zip(ways, row, key, strict=True)
        )
    if metric == "discernibility":
        return sum(size**2 for size in Counter(shown).values())
    groups: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for key, held in zip(shown, classes, strict=True):
        groups[key].append(held)
    return sum(len(group) - max(Counter(group).values()) for group in groups.values()) / len(rows)


def best_cuts(
    rows: Sequence[Sequence[str]],
    trees: Sequence[Nested],
    sensitive: Sequence[str],
    templates: Sequence[tuple[Sequence[int], str, float]],
    metric: str,
    classes: Sequence[str],
) -> tuple[float, list[tuple[Cut, ...]]] | None:
    """Return the least cost and every combination of cuts that has it, or None if none satisfies the templates."""
    found = [
        (cost(rows, trees, cuts, metric, classes), cuts)
        for cuts in product(*(all_cuts(tree) for tree in trees))
        if satisfies(rows, trees, cuts, sensitive, templates)
    ]
    if not found:
        return None
    least = min(value for value, _ in found)
    return least, [cuts for value, cuts in found if abs(value - least) < 1e-9]
