"""A second, slow form of QIDB anonymization: rows, label paths and fractions, everything counted anew at every look."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from math import ceil, floor
from typing import Any

Node = tuple[int, ...]


@dataclass
class NaiveTable:
    """Rows of quasi-identifiers with the label path of every value, a sensitive column, weights and flags."""

    rows: Sequence[tuple[Hashable, ...]]
    paths: Sequence[Mapping[Hashable, Sequence[str]]]
    sensitive: Sequence[Hashable]
    weights: Mapping[Hashable, int]
    answers: Sequence[int | None]
    order: Sequence[Hashable]
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.n = len(self.rows)
        self.sw = [self.weights[value] for value in self.sensitive]
        self.sdf = [
            1 if sw == 0 else (0 if answer is None else answer)
            for sw, answer in zip(self.sw, self.answers, strict=True)
        ]
        self.protected = [sw == 1 and sdf == 0 for sw, sdf in zip(self.sw, self.sdf, strict=True)]
        self.whole = Counter(self.sensitive)
        self.share = {value: Fraction(count, self.n) for value, count in self.whole.items()}
        self.values = [value for value in self.order if value in self.whole]
        self.top = tuple(len(next(iter(path.values()))) - 1 for path in self.paths)
        self.th = {
            "th_n": 1,
            "th_iter": sum(self.top) + 1,
            "th_suppr": 0,
            "th_disc": Fraction(1, 5),
            "th_acct": Fraction(1, 10),
            "scope": "all",
            "min_block_size": 1,
            "suppress_scope": "block",
            "dis_source": "counterfeit",
            "on_unresolved": "refuse",
            "chain": None,
            **self.options,
        }

    def shown(self, row: int, node: Node) -> tuple[str, ...]:
        return tuple(path[value][level] for path, value, level in zip(self.paths, self.rows[row], node, strict=True))

    def nodes(self, i: int) -> list[Node]:
        if self.th["chain"] is not None:
            return [tuple(self.th["chain"][i])] if i < len(self.th["chain"]) else []
        every = product(*(range(level + 1) for level in self.top))
        return sorted(node for node in every if sum(node) == i)

    def block(self, seed: int, node: Node) -> list[int]:
        mine = self.shown(seed, node)
        return [row for row in range(self.n) if row not in self.claimed and self.shown(row, node) == mine]

    def counts(self, rows: Sequence[int]) -> Counter[Hashable]:
        return Counter(self.sensitive[row] for row in rows)

    def holds(self, counts: Counter[Hashable], scope: str | None = None) -> bool:
        size = counts.total()
        if size < max(self.th["min_block_size"], 1):
            return False
        asked = self.values if (scope or self.th["scope"]) == "all" else [value for value in counts if counts[value]]
        return all(abs(Fraction(counts[value], size) - self.share[value]) <= self.th["th_acct"] for value in asked)

    def completed(self, counts: Counter[Hashable]) -> dict[Hashable, int]:
        """Return the rows to add: the smallest final size, then row by row to where most is lacking."""
        final = max(counts.total(), self.th["min_block_size"])
        while True:
            low = {
                value: max(counts[value], ceil(final * (self.share[value] - self.th["th_acct"])))
                for value in self.values
            }
            high = {value: floor(final * (self.share[value] + self.th["th_acct"])) for value in self.values}
            if all(low[v] <= high[v] for v in self.values) and sum(low.values()) <= final <= sum(high.values()):
                break
            final += 1
        while sum(low.values()) < final:
            free = [value for value in self.values if low[value] < high[value]]
            most = max(final * self.share[value] - low[value] for value in free)
            low[next(value for value in free if final * self.share[value] - low[value] == most)] += 1
        return {value: low[value] - counts[value] for value in self.values if low[value] > counts[value]}

    def run(self) -> dict[str, Any]:
        self.claimed: set[int] = set()
        out: dict[str, Any] = {"status": "published", "blocks": [], "suppressed": [], "pending": []}
        if self.n < self.th["th_n"]:
            return {**out, "status": "too-few-records"}
        pending = [row for row in range(self.n) if self.protected[row]]
        last: list[Node] = []
        at = -1
        for i in range(self.th["th_iter"]):
            nodes = self.nodes(i)
            if not pending or not nodes:
                break
            last, at = nodes, i
            for seed in pending:
                if seed in self.claimed:
                    continue
                grown = [(self.block(seed, node), node) for node in nodes]
                fits = [(len(rows), node) for rows, node in grown if self.holds(self.counts(rows))]
                if fits:
                    self.accept(out, seed, min(fits)[1], i, "cf")
            pending = [seed for seed in pending if seed not in self.claimed]
        marked = {value for value in self.whole if self.weights[value] == 1}
        for seed in pending:
            if seed in self.claimed:
                continue
            if self.th["th_suppr"] > 0:
                small = []
                for node in last:
                    rows = self.block(seed, node)
                    if all(self.counts(rows)[value] <= self.th["th_suppr"] for value in marked):
                        small.append((len(rows), node))
                if small:
                    rows = self.block(seed, min(small)[1])
                    self.claimed |= set(rows)
                    whole = self.th["suppress_scope"] == "block"
                    out["suppressed"] += [row for row in rows if whole or self.protected[row]]
                    continue
            fit = []
            for node in last:
                counts = self.counts(self.block(seed, node))
                size = counts.total()
                if all(
                    abs(Fraction(counts[value], size) - self.share[value]) <= self.th["th_disc"]
                    for value in marked
                    if counts[value]
                ):
                    added = self.completed(counts)
                    fit.append((sum(added.values()), size + sum(added.values()), node, added))
            if fit:
                _, _, node, added = min(fit, key=lambda entry: entry[:3])
                self.accept(out, seed, node, at, "dis", added)
        pending = [seed for seed in pending if seed not in self.claimed]
        out["pending"] = pending
        if pending and self.th["on_unresolved"] == "refuse":
            out["status"] = "not-published"
        elif pending:
            out["suppressed"] += pending
        out["suppressed"] = sorted(out["suppressed"])
        return out

    def accept(
        self,
        out: dict[str, Any],
        seed: int,
        node: Node,
        iteration: int,
        by: str,
        added: Mapping[Hashable, int] | None = None,
    ) -> None:
        rows = self.block(seed, node)
        self.claimed |= set(rows)
        left = dict(added or {})
        donors = []
        if by == "dis" and self.th["dis_source"] == "donor":
            for value in self.values:
                for _ in range(left.get(value, 0)):
                    free = [
                        (self.join_height(seed, node, row), row)
                        for row in range(self.n)
                        if row not in self.claimed and self.sensitive[row] == value and self.sdf[row] == 1
                    ]
                    if free:
                        row = min(free)[1]
                        donors.append(row)
                        self.claimed.add(row)
                        left[value] -= 1
        out["blocks"].append(
            {
                "seed": seed,
                "node": list(node),
                "value": list(self.shown(seed, node)),
                "members": sorted([*rows, *donors]),
                "added": [value for value in self.values for _ in range(left.get(value, 0))],
                "donors": donors,
                "iteration": iteration,
                "resolved_by": by,
            }
        )

    def join_height(self, seed: int, node: Node, row: int) -> int:
        total = 0
        for path, mine, other, low in zip(self.paths, self.rows[seed], self.rows[row], node, strict=True):
            total += next(level for level in range(low, len(path[mine])) if path[mine][level] == path[other][level])
        return total
