"""Metrics counted record by record, on plain rows and nested trees ``{"value": label, "children": [...]}``.

Each record is given three times: its raw values, the labels it has (or would have, if it is suppressed), and whether it is
kept. Formulas are written as other tools define them: n records, S suppressed, m leaves of a tree, share of a label =
leaves below it / m. gF and sF follow from the factor x: gF = 1 for x <= 1/2, else 1 - 2(x - 1/2); sF = 2x for x < 1/2, else 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log2, prod
from typing import Any

from oracles.naive_groups import depths, leaf_count

__all__ = ["Case", "aggregate", "factors"]

Row = tuple[Any, ...]


def factors(x: float) -> tuple[float, float]:
    """Return gF and sF."""
    return (1 if x <= 0.5 else 1 - 2 * (x - 0.5)), (2 * x if x < 0.5 else 1)


def aggregate(values: Sequence[float], how: str) -> Any:
    """Put weighted values together; rank is a list to be compared entry by entry."""
    match how:
        case "sum":
            return sum(values)
        case "mean":
            return sum(values) / len(values)
        case "maximum":
            return max(values)
        case "geometric-mean":
            return prod(value + 1 for value in values) ** (1 / len(values)) - 1
    return sorted(values, reverse=True)


@dataclass
class Case:
    """A table and what became of it; ``trees`` has one tree per column."""

    raw: list[Row]
    shown: list[Row]
    kept: list[bool]
    trees: list[Mapping[str, Any]]
    classes: list[Any]

    @property
    def n(self) -> int:
        return len(self.raw)

    @property
    def suppressed(self) -> int:
        return self.kept.count(False)

    def m(self, at: int) -> int:
        """Return the number of leaves of a tree."""
        return leaf_count(self.trees[at], self.trees[at]["value"])

    def cells(self, at: int) -> list[tuple[Any, Any, bool]]:
        """Return raw value, label and whether the record is kept."""
        return [(raw[at], shown[at], kept) for raw, shown, kept in zip(self.raw, self.shown, self.kept, strict=True)]

    def sizes(self, *, kept: bool) -> dict[Row, int]:
        """Return the sizes of the groups that are kept, or of those that are suppressed."""
        return dict(Counter(shown for shown, stays in zip(self.shown, self.kept, strict=True) if stays == kept))

    # ---- per attribute -----------------------------------------------------------------------------------------------

    def loss(self, at: int, x: float = 0.5) -> float:
        """Return v of one attribute."""
        general, left_out = factors(x)
        m, total = self.m(at), 0.0
        if m == 1 and general == 1:  # one value has nothing to lose; only suppressed records cost
            return self.suppressed / self.n
        for _, label, kept in self.cells(at):
            share = leaf_count(self.trees[at], label) / m
            total += general * share if kept else 1 if left_out == 1 else share + left_out * (1 - share)
        return max(0.0, (total - general * self.n / m) / (self.n - general * self.n / m))

    def precision(self, at: int, x: float = 0.5, *, monotone: bool = False) -> float:
        """Return the mean share of the way to the root; a suppressed record has gone all of it."""
        general, left_out = factors(x)
        depth = depths(self.trees[at])
        climbed = [(depth[raw] - depth[label]) / depth[raw] for raw, label, kept in self.cells(at) if kept]
        if monotone:
            return general * sum(climbed) / len(climbed) if climbed else 0.0
        return (general * sum(climbed) + left_out * self.suppressed) / self.n

    def entropy(self, at: int, variant: str, x: float = 0.5) -> float:
        """Return the bits withheld by one attribute."""
        general, left_out = factors(x)
        raws = Counter(raw for raw, _, _ in self.cells(at))
        labels = Counter(label for _, label, _ in self.cells(at))
        if variant == "literature":
            return sum(
                general * log2(labels[label] / raws[raw]) if kept else left_out * log2(self.n / raws[raw])
                for raw, label, kept in self.cells(at)
            )
        bits = general * sum(log2(labels[label] / raws[raw]) for raw, label, _ in self.cells(at))
        if variant == "arx":
            gone = Counter(label for _, label, kept in self.cells(at) if not kept)
            bits += left_out * sum(a * log2(self.suppressed / a) for a in gone.values())
        return bits

    def most_entropy(self, at: int) -> float:
        """Return the bits that nothing published at all withholds."""
        raws = Counter(raw for raw, _, _ in self.cells(at))
        return sum(log2(self.n / raws[raw]) for raw, _, _ in self.cells(at))

    def ncp(self, at: int) -> float:
        """Return the certainty penalty: |v| / |D| of an inner node, 0 of a leaf, 1 of a suppressed record."""
        total = 0.0
        for _, label, kept in self.cells(at):
            below = leaf_count(self.trees[at], label)
            total += 1 if not kept else below / self.m(at) if below > 1 else 0
        return total

    # ---- of groups ---------------------------------------------------------------------------------------------------

    def discernibility(self, *, monotone: bool = False) -> int:
        """Return DM, or DM* that charges suppressed groups their own size."""
        kept = sum(size**2 for size in self.sizes(kept=True).values())
        gone = self.sizes(kept=False).values()
        return kept + (sum(size**2 for size in gone) if monotone else self.n * self.suppressed)

    def average_class_size(self, x: float = 0.5) -> float:
        """Return n / (K sF + gF if anything is suppressed)."""
        general, left_out = factors(x)
        return self.n / (len(self.sizes(kept=True)) * left_out + (general if self.suppressed else 0))

    def combinations(self, row: Row | None) -> int:
        """Return how many raw records a published one may stand for; ``None`` is a suppressed one."""
        return prod(self.m(at) if row is None else leaf_count(tree, row[at]) for at, tree in enumerate(self.trees))

    def ambiguity(self) -> int:
        """Return the sum of combinations over records."""
        return sum(
            self.combinations(shown if kept else None) for shown, kept in zip(self.shown, self.kept, strict=True)
        )

    def open_bits(self, x: float = 0.5) -> float:
        """Return gF times the sum of log(product of shares) / log(product of m) + 1 over kept records, and sF per other."""
        general, left_out = factors(x)
        m = prod(self.m(at) for at in range(len(self.trees)))
        kept = [shown for shown, stays in zip(self.shown, self.kept, strict=True) if stays]
        bits = sum(log2(self.combinations(row) / m) / log2(m) + 1 for row in kept) if m > 1 else 0.0
        return general * bits + left_out * self.suppressed

    def kl_over_rows(self) -> float:
        """Return the sum over rows of f log2(f / o)."""
        raws, groups = Counter(self.raw), self.sizes(kept=True)
        total = 0.0
        for raw, shown, kept in zip(self.raw, self.shown, self.kept, strict=True):
            f = raws[raw] / self.n
            mass, cells = (
                (groups[shown], self.combinations(shown)) if kept else (self.suppressed, self.combinations(None))
            )
            total += f * log2(f / (mass / self.n / cells))
        return total

    def kl(self) -> float:
        """Return the divergence from the raw distribution to that of evenly spread groups."""
        groups = self.sizes(kept=True)
        became = {raw: shown for raw, shown, kept in zip(self.raw, self.shown, self.kept, strict=True) if kept}
        total = 0.0
        for raw, count in Counter(self.raw).items():
            o = self.suppressed / self.n / self.combinations(None)
            if raw in became:
                o += groups[became[raw]] / self.n / self.combinations(became[raw])
            total += count / self.n * log2(count / self.n / o)
        return total

    def predicted(self, at: int, variant: str, x: float = 0.5) -> float:
        """Return the penalty of records whose published value in a column is not told by those in all others."""
        general, left_out = factors(x) if variant == "arx" else (1.0, 1.0)
        suppressed = x if variant == "arx" else 1.0
        price = max(suppressed, general, left_out)
        raw, shown = ({row[at] for row in rows} for rows in (self.raw, self.shown))
        lost = 1 - (len(shown) - 1) / (len(raw) - 1) if len(raw) > 1 else 0.0
        members: dict[Row, list[Any]] = {}
        for row, kept in zip(self.shown, self.kept, strict=True):
            if kept:
                members.setdefault((*row[:at], *row[at + 1 :]), []).append(row[at])
        total = suppressed * self.suppressed
        for values in members.values():
            counts = sorted(Counter(values).values(), reverse=True)
            if lost == 1:
                total += price * len(values)
            elif variant == "arx" and len(counts) > 1 and counts[0] == counts[1]:
                total += (left_out * (1 - lost) + price * lost) * len(values)
            else:
                total += (general * (1 - lost) + price * lost) * (len(values) - counts[0])
        return total / (price * self.n)

    def classification(self, variant: str, x: float = 0.5) -> float:
        """Return the penalty of records outside the majority of their group."""
        general, left_out = factors(x)
        price = max(x, general, left_out)
        members: dict[Row, list[Any]] = {}
        for shown, kept, value in zip(self.shown, self.kept, self.classes, strict=True):
            if kept:
                members.setdefault(shown, []).append(value)
        total = 0.0
        for values in members.values():
            counts = sorted(Counter(values).values(), reverse=True)
            if variant == "literature":
                total += (len(values) - counts[0]) / self.n
            elif len(counts) > 1 and counts[0] == counts[1]:
                total += len(values) * left_out / (price * self.n)
            else:
                total += (len(values) - counts[0]) * general / (price * self.n)
        return total + self.suppressed * (1 if variant == "literature" else x / price) / self.n
