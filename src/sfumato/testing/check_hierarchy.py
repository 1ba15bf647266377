"""What every hierarchy promises: levels that nest, labels that mean one thing, values without a place refused by name."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import pairwise

import numpy as np

from sfumato.contracts.hierarchy import HierarchyBuilder
from sfumato.data.text import parse_interval
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest
from sfumato.testing.check_thing import check_json, check_thing
from sfumato.testing.promises import generators_untouched, promise

__all__ = ["check_hierarchy"]

# At least one of these has no place in any hierarchy.
STRANGE: tuple[Hashable, ...] = ("no such value", -(10**12), None, "*", b"bytes")


def check_hierarchy(builder: HierarchyBuilder, rng: np.random.Generator, *, values: Sequence[Hashable]) -> None:
    """Check a builder on values it has a place for.

    The tree holds every value; the path of a value is its row of the level table; levels nest and a label stands for one
    set of values; a number lies in its interval; the order of the values does not matter; a value without a place is
    refused with the column named; the saved form builds the same tree.
    """
    check_thing(builder)
    check_json(builder)
    known = list(dict.fromkeys(values))
    promise(known, builder, "there are values to check it on")
    with generators_untouched(builder):
        tree = builder.build(known, column="c")
        promise(set(known) <= set(tree.leaves), builder, "the tree holds every value")
        rows = dict(zip(tree.leaves, tree.to_levels(), strict=True))
        for value in known:
            path = builder.path(value)
            row = rows[value]
            promise(row == (path[0],) * (len(row) - len(path)) + path, builder, f"the path of {value!r} is its row")
            for label in path:
                _check_inside(builder, value, label)
        _check_levels(builder, tree)
        turned = builder.build([known[i] for i in rng.permutation(len(known))], column="c")
        same = {leaf: row for leaf, row in zip(turned.leaves, turned.to_levels(), strict=True) if leaf in rows}
        promise(all(same[value] == rows[value] for value in known), builder, "the order of values does not matter")
        again = type(builder).from_spec(builder.spec())
        promise(again.build(known, column="c") == tree, builder, "the saved form builds the same tree")
        _check_strange(builder)


def _check_levels(builder: HierarchyBuilder, tree: Tree) -> None:
    table = tree.level_nodes
    promise(len(set(table[-1].tolist())) == 1, builder, "the highest level is the root")
    for low, high in pairwise(table):
        above: dict[int, int] = {}
        for node, parent in zip(low.tolist(), high.tolist(), strict=True):
            promise(above.setdefault(node, parent) == parent, builder, "levels nest")
    members: dict[str, set[tuple[int, int]]] = {}
    for node, label in enumerate(tree.labels):
        members.setdefault(label, set()).add((int(tree.leaf_first[node]), int(tree.leaf_last[node])))
    promise(all(len(runs) == 1 for runs in members.values()), builder, "a label stands for one set of values")


def _check_inside(builder: HierarchyBuilder, value: Hashable, label: str) -> None:
    interval = parse_interval(label)
    if interval is not None and isinstance(value, (int, float)):
        low, high, closed = interval
        promise(low <= value < high or (closed and value == high), builder, f"{value} lies in {label}")


def _check_strange(builder: HierarchyBuilder) -> None:
    refused = 0
    for value in STRANGE:
        try:
            builder.path(value)
        except KeyError:
            refused += 1
            try:
                builder.build([value], column="c")
            except BadRequest as error:
                promise(error.column == "c", builder, "a value without a place is refused by column")
            else:
                promise(False, builder, f"build refuses {value!r}, which has no path")
    promise(refused, builder, "some value has no place")
