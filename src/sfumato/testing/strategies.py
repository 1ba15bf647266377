"""Hypothesis strategies: random taxonomies, and small random tables with a class and a requirement on several QIDs.

Everything is a plain value (tuples, dicts, text and numbers), so the same draw can feed fast code and a naive twin. All
randomness comes from Hypothesis: a seed, a stored example or ``derandomize`` gives the same draws again. Hypothesis is
needed to import this file and nothing else of sfumato imports it.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import count, pairwise
from typing import Any, Literal, TypeAlias

from hypothesis import strategies as st

from sfumato.data.frozen import frozen

__all__ = ["DrawnAttribute", "DrawnTable", "tables", "trees"]

Kind: TypeAlias = Literal["taxonomy", "interval", "suppress"]
Nested: TypeAlias = dict[str, Any]
Requirement: TypeAlias = tuple[tuple[tuple[str, ...], int], ...]

KINDS: tuple[Kind, ...] = ("taxonomy", "interval", "suppress")


@frozen
class DrawnAttribute:
    """How one column is to be masked: a taxonomy with its tree, an interval with its range if any, or suppression."""

    name: str
    kind: Kind
    tree: Nested | None = None
    range: tuple[float, float] | None = None


@frozen
class DrawnTable:
    """A table with what a multi-QID run needs: the masked columns come first, the class is the last column.

    ``requirement`` is not reduced: QIDs may repeat, nest and name their attributes in any order. An attribute may be in no
    QID. No k exceeds the number of rows, so the most masked table always satisfies the requirement.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Hashable, ...], ...]
    attributes: tuple[DrawnAttribute, ...]
    target: str
    requirement: Requirement


@st.composite
def trees(draw: st.DrawFn, max_leaves: int = 6, max_depth: int = 3, prefix: str = "") -> Nested:
    """Draw a taxonomy ``{"value": label, "children": [...]}`` with unique labels; leaves have no ``children``.

    Depth counts edges and is at least 1, so the root is never a leaf. Trees may be unbalanced, have one leaf only, and have
    inner nodes with a single child. The order of the leaves is not their alphabetical order.

    Parameters
    ----------
    max_leaves, max_depth
        Upper bounds, both at least 1.
    prefix
        Put before every label, for several trees with disjoint labels.
    """
    leaves = draw(st.permutations([f"{prefix}v{i}" for i in range(draw(st.integers(1, max_leaves)))]))
    numbers = count()

    def inner(run: Sequence[str], depth: int) -> Nested:
        label = f"{prefix}n{next(numbers)}"
        cuts = draw(st.sets(st.integers(1, len(run) - 1))) if len(run) > 1 else set()
        if depth == 1:
            cuts = set(range(1, len(run)))
        edges = [0, *sorted(cuts), len(run)]
        return {"value": label, "children": [below(run[lo:hi], depth - 1) for lo, hi in pairwise(edges)]}

    def below(run: Sequence[str], depth: int) -> Nested:
        if len(run) == 1 and (depth == 0 or not draw(st.booleans())):
            return {"value": run[0]}
        return inner(run, depth)

    return inner(leaves, max_depth)


@st.composite
def tables(
    draw: st.DrawFn,
    kinds: Sequence[Kind] | None = None,
    *,
    max_attributes: int = 4,
    min_rows: int = 6,
    max_rows: int = 24,
    max_leaves: int = 6,
    max_depth: int = 3,
    max_classes: int = 3,
    max_qids: int = 3,
    max_k: int = 4,
) -> DrawnTable:
    """Draw a small table, a masking kind for each column, a class column, and a requirement on one or more QIDs.

    Parameters
    ----------
    kinds
        One attribute for each entry, in this order. None draws one to ``max_attributes`` attributes of any kind.
    min_rows, max_rows
        Bounds of the number of rows, both at least 1; ``max_rows`` wins if it is the smaller one.
    max_leaves, max_depth, max_classes, max_qids, max_k
        Upper bounds, all at least 1. ``max_leaves`` bounds the distinct values of suppressed and interval columns as well.
    """
    if kinds is None:
        wide = draw(st.integers(1, max_attributes))
        kinds = draw(st.lists(st.sampled_from(KINDS), min_size=wide, max_size=wide))
    names = tuple(f"a{i}" for i in range(len(kinds)))
    domains: list[list[Hashable]] = []
    taxonomies: list[Nested | None] = []
    for name, kind in zip(names, kinds, strict=True):
        tree = draw(trees(max_leaves, max_depth, prefix=f"{name}.")) if kind == "taxonomy" else None
        taxonomies.append(tree)
        domains.append(draw(_numbers(max_leaves)) if kind == "interval" else _domain(tree, name, max_leaves))
    classes = [f"c{i}" for i in range(max_classes)]

    # rows repeat a few records: without copies hardly any group could be refined and keep k
    record = st.tuples(*(st.sampled_from(domain) for domain in domains), st.sampled_from(classes))
    size = draw(st.integers(min(min_rows, max_rows), max_rows))
    kept = draw(st.integers(min(size, 4), size))
    records = draw(st.lists(record, min_size=kept, max_size=kept))
    rows = tuple(draw(st.lists(st.sampled_from(records), min_size=size, max_size=size)))

    attributes = tuple(
        DrawnAttribute(name, kind, tree, draw(_range([row[i] for row in rows])) if kind == "interval" else None)
        for i, (name, kind, tree) in enumerate(zip(names, kinds, taxonomies, strict=True))
    )
    qid = st.lists(st.sampled_from(names), min_size=1, max_size=len(names), unique=True).map(tuple)
    k = st.integers(1, min(max_k, len(rows)))
    requirement = tuple(draw(st.lists(st.tuples(qid, k), min_size=1, max_size=max_qids)))
    return DrawnTable((*names, "class"), rows, attributes, "class", requirement)


def _domain(tree: Nested | None, name: str, size: int) -> list[Hashable]:
    if tree is None:
        return [f"{name}.s{i}" for i in range(size)]
    children = tree.get("children", [])
    return [leaf for child in children for leaf in _domain(child, name, size)] if children else [tree["value"]]


@st.composite
def _numbers(draw: st.DrawFn, size: int) -> list[Hashable]:
    """Draw distinct whole numbers, or halves: both are exact in binary."""
    whole = draw(st.lists(st.integers(-5, 40), min_size=1, max_size=size, unique=True))
    return [number / 2 for number in whole] if draw(st.booleans()) else list(whole)


def _range(values: Sequence[float]) -> st.SearchStrategy[tuple[float, float] | None]:
    """No range, or one that holds every value, with the ends observed or not."""
    lo, hi = min(values), max(values)
    return st.sampled_from([None, (lo, hi), (lo, hi + 1), (lo - 1, hi + 1)])
