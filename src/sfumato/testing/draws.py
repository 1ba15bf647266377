"""Random partitions, tables and recodings from a NumPy generator, for the common checks."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import pairwise

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.recoding import ColumnRecoding
from sfumato.data.frozen import frozen
from sfumato.data.json import Json
from sfumato.data.tree import Tree
from sfumato.engines import from_rows
from sfumato.groups.published import PublishedStats
from sfumato.groups.stats import GroupStats, Histogram
from sfumato.kernels.arrays import Floats
from sfumato.recodings.discretization import Discretization
from sfumato.recodings.subtree_generalization import SubtreeGeneralization
from sfumato.recodings.value_suppression import ValueSuppression
from sfumato.tables.recode import recode_table
from sfumato.tables.statistics import published_stats

__all__ = ["RandomTable", "random_groups", "random_merge", "random_table", "random_tree"]


def random_groups(
    rng: np.random.Generator,
    needs: Sequence[str] = (),
    *,
    largest: int = 12,
    values: Mapping[str, Sequence[Hashable]] | None = None,
) -> GroupStats:
    """Draw a partition of 1 to 8 groups of up to ``largest`` records, with a histogram of each column in ``needs``.

    ``values`` gives the values of a column; five texts if not given. How alike the groups are is drawn too: from groups
    that have little in common to groups with the very same distribution, so that strict and lax models both find theirs.
    """
    count = int(rng.integers(1, 9))
    sizes = rng.integers(1, largest + 1, count)
    likeness = float(rng.choice([1.0, 10.0, 1000.0, np.inf]))
    histograms: dict[str, Histogram] = {}
    base: dict[str, tuple[list[Hashable], Floats]] = {}
    for name in needs:
        known = list((values or {}).get(name, [f"s{i}" for i in range(5)]))
        base[name] = (known, rng.dirichlet(np.ones(len(known))))
    if likeness == np.inf and needs:
        # Every group repeats the same few records.
        unit = int(rng.integers(1, 6))
        sizes = unit * (1 + sizes // unit)
    for name, (known, shares) in base.items():
        if likeness == np.inf:
            drawn = np.outer(sizes // unit, rng.multinomial(unit, shares))
        else:
            own = rng.dirichlet(np.maximum(shares * likeness, 1e-3), count)
            drawn = np.stack([rng.multinomial(size, share) for size, share in zip(sizes, own, strict=True)])
        group, code = np.nonzero(drawn)
        histograms[name] = Histogram.from_pairs(count, known, group, code, drawn[group, code])
    return GroupStats(("group",), ([f"g{i}" for i in range(count)],), sizes.astype(np.int64), histograms)


def random_merge(rng: np.random.Generator, groups: int) -> list[int]:
    """Draw which groups are merged: a target number per group, numbered without gaps."""
    targets = rng.integers(0, max(1, groups - 1), groups)
    numbers: dict[int, int] = {}
    return [numbers.setdefault(int(target), len(numbers)) for target in targets]


def random_tree(rng: np.random.Generator, leaves: Sequence[str], prefix: str) -> dict[str, Json]:
    """Draw a tree over the leaves, in their order; inner nodes are called ``prefix`` and a number."""
    numbers = iter(range(10**6))

    def above(run: Sequence[str]) -> dict[str, Json]:
        node: dict[str, Json] = {"value": f"{prefix}{next(numbers)}"}
        pieces = min(len(run), int(rng.integers(2, 4)))
        cuts = sorted(rng.choice(np.arange(1, len(run)), pieces - 1, replace=False).tolist()) if pieces > 1 else []
        edges = [0, *cuts, len(run)]
        parts = [run[low:high] for low, high in pairwise(edges)]
        node["children"] = [{"value": part[0]} if len(part) == 1 else above(part) for part in parts]
        return node

    return above(leaves)


@frozen(eq=False)
class RandomTable:
    """A raw table with a tree, a number, a bare text and a class column, and a recoding of each of the first three."""

    table: Table
    trees: Mapping[str, Mapping[str, Json]]
    ranges: Mapping[str, tuple[int, int]]
    recodings: Mapping[str, ColumnRecoding]

    def published(self, recodings: Mapping[str, ColumnRecoding] | None = None) -> PublishedStats:
        """Return what metrics read of the table under some recodings, its own if none are given."""
        chosen = self.recodings if recodings is None else recodings
        groups = recode_table(self.table, chosen).table.groups(list(chosen))
        dictionaries = {name: self.table.dictionary(name) for name in chosen}
        return published_stats(dictionaries, chosen, groups, self.table.rows)

    def untouched(self) -> dict[str, ColumnRecoding]:
        """Return recodings that publish every value as it is."""
        tree = Tree.from_nested(self.trees["tree"])
        domain = self.table.dictionary("bare").values
        return {
            "tree": SubtreeGeneralization(tree=tree, cut=tuple(tree.labels[node] for node in tree.leaf_nodes)),
            "bare": ValueSuppression(suppressed=(), domain=domain),
        }

    def coarser(self, rng: np.random.Generator) -> dict[str, ColumnRecoding]:
        """Return the recodings with one of them a step more general, if any step is left."""
        out = dict(self.recodings)
        for name in rng.permutation(list(out)).tolist():
            step = _coarser(rng, out[name])
            if step is not None:
                out[name] = step
                break
        return out

    def parts(self) -> list[RandomTable]:
        """Return the table cut into one table for each group of the recoded records."""
        masked = recode_table(self.table, self.recodings).table
        names = list(self.recodings)
        at = [masked.columns.index(name) for name in names]
        rows: dict[tuple[Hashable, ...], list[tuple[Hashable, ...]]] = {}
        for raw, shown in zip(self.table.to_rows(), masked.to_rows(), strict=True):
            rows.setdefault(tuple(shown[i] for i in at), []).append(raw)
        return [
            RandomTable(from_rows(self.table.columns, part), self.trees, self.ranges, self.recodings)
            for part in rows.values()
        ]


def random_table(rng: np.random.Generator, *, rows: int = 24) -> RandomTable:
    """Draw a table and a recoding of each of its columns but the class."""
    leaves = [f"v{i}" for i in range(int(rng.integers(2, 8)))]
    nested = random_tree(rng, leaves, "n")
    tree = Tree.from_nested(nested)
    numbers = np.sort(rng.choice(np.arange(50), int(rng.integers(2, 8)), replace=False)).tolist()
    bare = [f"w{i}" for i in range(int(rng.integers(2, 6)))]
    records = [
        (str(rng.choice(leaves)), int(rng.choice(numbers)), str(rng.choice(bare)), f"c{rng.integers(3)}")
        for _ in range(max(rows // 2, 1))
    ]
    drawn = [records[int(rng.integers(len(records)))] for _ in range(rows)]
    table = from_rows(["tree", "number", "bare", "class"], drawn)
    cuts = list(tree.cuts())
    cut = cuts[int(rng.integers(len(cuts)))]
    inner = [edge for edge in numbers[1:] if rng.random() < 0.5]
    domain = table.dictionary("bare").values
    hidden = tuple(value for value in domain if rng.random() < 0.5)
    return RandomTable(
        table,
        {"tree": nested},
        {"number": (0, 50)},
        {
            "tree": SubtreeGeneralization(tree=tree, cut=tuple(tree.labels[node] for node in cut)),
            "number": Discretization(edges=(0, *inner, 50)),
            "bare": ValueSuppression(suppressed=hidden, domain=domain),
        },
    )


def _coarser(rng: np.random.Generator, recoding: ColumnRecoding) -> ColumnRecoding | None:
    if isinstance(recoding, SubtreeGeneralization):
        tree, cut = recoding.tree, set(recoding.cut_nodes())
        first, last = tree.leaf_first, tree.leaf_last
        below = {v: {c for c in cut if first[v] <= first[c] and last[c] <= last[v]} for v in range(len(tree))}
        steps = [
            v
            for v, gone in below.items()
            if gone and v not in gone and all(tree.depth[c] > tree.depth[v] for c in gone)
        ]
        if not steps:
            return None
        node = steps[int(rng.integers(len(steps)))]
        kept = sorted((cut - below[node]) | {node})
        return SubtreeGeneralization(tree=tree, cut=tuple(tree.labels[v] for v in kept))
    if isinstance(recoding, Discretization) and len(recoding.edges) > 2:
        gone = int(rng.integers(1, len(recoding.edges) - 1))
        return Discretization(edges=recoding.edges[:gone] + recoding.edges[gone + 1 :], closed=recoding.closed)
    if isinstance(recoding, ValueSuppression):
        shown = [value for value in recoding.domain or () if not recoding.hides(value)]
        if shown:
            hidden = (*(recoding.suppressed or ()), shown[int(rng.integers(len(shown)))])
            return ValueSuppression(suppressed=hidden, domain=recoding.domain)
    return None
