"""Groups, leaves and losses counted one by one, on plain rows and nested trees ``{"value": label, "children": [...]}``.

Fractions wherever the definition is a ratio, so that a comparison with fast code has one rounding on one side only.

    DM         = Σ_groups |G|², plus |T| for each suppressed record
    LM         = Σ_A mean_r (|v| - 1) / (|D_A| - 1)
    ILoss(v)   = (|v| - 1) / |D_A|, weighted over attributes, summed over records
    MD         = Σ_r Σ_A w_A (depth(raw) - depth(published))
    C_avg      = (n / number of groups) / k

|v| is the number of leaves at or below v, |D_A| that of the root. The suppressed symbol ``*`` counts as the root.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

__all__ = [
    "c_avg",
    "cut_map",
    "depths",
    "discernibility",
    "full_domain_map",
    "group_sizes",
    "iloss",
    "iloss_by_attribute",
    "leaf_count",
    "loss_by_attribute",
    "minimal_distortion",
    "paths",
    "recode",
]

SUPPRESSED = "*"

Tree = Mapping[str, Any]
Rows = Sequence[Sequence[Any]]


# ---- groups --------------------------------------------------------------------------------------------------------------


def group_sizes(rows: Rows, idx: Iterable[int]) -> dict[tuple[Any, ...], int]:
    """Return how many rows share each combination of values on the columns at ``idx``."""
    positions = list(idx)
    return dict(Counter(tuple(row[i] for i in positions) for row in rows))


def discernibility(rows: Rows, idx: Iterable[int], suppressed: int = 0) -> int:
    """Return DM; ``rows`` are the published ones, the ``suppressed`` others pay the whole table each."""
    return sum(size * size for size in group_sizes(rows, idx).values()) + suppressed * (len(rows) + suppressed)


def c_avg(rows: Rows, idx: Iterable[int], k: int) -> Fraction:
    """Return the average group size as a multiple of k."""
    return Fraction(len(rows), len(group_sizes(rows, idx)) * k)


# ---- trees ---------------------------------------------------------------------------------------------------------------


def paths(tree: Tree) -> Iterator[list[Any]]:
    """Yield the labels from the root to each leaf, leaves from left to right."""
    children = tree.get("children")
    if not children:
        yield [tree["value"]]
    for child in children or ():
        for path in paths(child):
            yield [tree["value"], *path]


def leaf_count(tree: Tree, label: Any) -> int:
    """Return |v|, the number of leaves at or below the label."""
    wanted = tree["value"] if label == SUPPRESSED else label
    count = sum(1 for path in paths(tree) if wanted in path)
    if count == 0:
        raise ValueError("label is not in the tree")
    return count


def depths(tree: Tree) -> dict[Any, int]:
    """Return the depth of every node, the root at 0."""
    found = {label: depth for path in paths(tree) for depth, label in enumerate(path)}
    return {SUPPRESSED: 0, **found}


def full_domain_map(tree: Tree, level: int) -> dict[Any, Any]:
    """Return leaf -> label at the level; a leaf above the deepest level repeats itself downwards."""
    height = max(len(path) - 1 for path in paths(tree))
    if not 0 <= level <= height:
        raise ValueError("level is outside the tree")
    return {path[-1]: path[min(height - level, len(path) - 1)] for path in paths(tree)}


def cut_map(tree: Tree, cut: Iterable[Any]) -> dict[Any, Any]:
    """Return leaf -> label for a cut: exactly one of its nodes on every path."""
    nodes = set(cut)
    found: dict[Any, Any] = {}
    for path in paths(tree):
        on_path = [label for label in path if label in nodes]
        if len(on_path) != 1:
            raise ValueError("a cut has exactly one node on every path")
        found[path[-1]] = on_path[0]
    return found


def recode(rows: Rows, columns: Sequence[str], maps: Mapping[str, Mapping[Any, Any]]) -> list[tuple[Any, ...]]:
    """Return the rows with each mapped column replaced by its labels; other columns stay."""
    return [
        tuple(maps[name][value] if name in maps else value for name, value in zip(columns, row, strict=True))
        for row in rows
    ]


# ---- losses --------------------------------------------------------------------------------------------------------------


def loss_by_attribute(published: Rows, columns: Sequence[str], trees: Mapping[str, Tree]) -> dict[str, Fraction]:
    """Return the mean of (|v| - 1) / (|D_A| - 1) per attribute; 0 where the tree has one leaf. LM is the sum."""
    losses: dict[str, Fraction] = {}
    for name, tree in trees.items():
        domain = leaf_count(tree, tree["value"])
        extra = sum(leaf_count(tree, row[columns.index(name)]) - 1 for row in published)
        losses[name] = Fraction(extra, len(published) * (domain - 1)) if domain > 1 else Fraction(0)
    return losses


def iloss(tree: Tree, label: Any) -> Fraction:
    """Return ILoss of one value."""
    return Fraction(leaf_count(tree, label) - 1, leaf_count(tree, tree["value"]))


def iloss_by_attribute(
    published: Rows,
    columns: Sequence[str],
    trees: Mapping[str, Tree],
    weights: Mapping[str, int | Fraction] | None = None,
) -> dict[str, Fraction]:
    """Return the weighted sum of ILoss over the records, per attribute; the table's ILoss is the sum."""
    return {
        name: Fraction(weights[name] if weights else 1)
        * sum((iloss(tree, row[columns.index(name)]) for row in published), Fraction(0))
        for name, tree in trees.items()
    }


def minimal_distortion(
    rows: Rows,
    columns: Sequence[str],
    trees: Mapping[str, Tree],
    maps: Mapping[str, Mapping[Any, Any]],
    weights: Mapping[str, int | Fraction] | None = None,
) -> Fraction:
    """Return MD of recoding ``rows`` by leaf -> label maps: one unit for each value instance and level climbed."""
    total = Fraction(0)
    for name, mapping in maps.items():
        depth = depths(trees[name])
        climbed = sum(depth[row[columns.index(name)]] - depth[mapping[row[columns.index(name)]]] for row in rows)
        total += Fraction(weights[name] if weights else 1) * climbed
    return total
