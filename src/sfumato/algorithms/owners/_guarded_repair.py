"""Repair of one group: sensitive values climb until nobody's guarded node is too likely.

What a group tells about a node depends only on how many records show which value, so that groups are repaired as counts, and
groups with equal counts and guards once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil, floor

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.data.tree import Tree
from sfumato.kernels.arrays import Ints

__all__ = ["GuardedRepair", "Repaired", "ranked"]

_SLACK = 5e-10  # half of what the check forgives
_EVEN = 1e-9  # how near to a whole number of records two breaches count as meeting there


def ranked(score: float) -> int:
    """Return a score in whole steps, so that every machine ranks alike."""
    return floor(score * 2**40 + 0.5)


@frozen
class Repaired:
    """How the records of a group are published: for each leaf, which nodes how many of its records show; the cost; the breach.

    ``shown`` lists (leaf, node, records). ``raised`` is the sum of ``(leaves(node) - 1) / leaves(root)`` over the records.
    """

    shown: tuple[tuple[int, int, int], ...]
    raised: float
    breach: float


@dataclass(eq=False)
class GuardedRepair:
    """Repairs groups for one bound on the breach; remembers what it has seen.

    With ``per_leaf`` a guarded node stands for each of its leaves, otherwise for the chance of any of them.
    """

    tree: Tree
    bound: float
    per_leaf: bool = False
    known: dict[tuple[bytes, tuple[int, ...]], Repaired | None] = field(default_factory=dict)

    def repair(self, counts: Ints, guards: Sequence[int]) -> Repaired | None:
        """Return how a group with so many records of each leaf is published; ``None`` if the steps lead nowhere.

        ``guards`` are the nodes that somebody in the group guards.
        """
        asked = self._asked(guards)
        key = (counts.tobytes(), asked)
        if key not in self.known:
            self.known[key] = self._repair(counts, asked)
        return self.known[key]

    def least_breach(self, counts: Ints, guard: int) -> float:
        """Return a breach that no generalization of a group can go below: every record that may tell shows the root."""
        return max(self._share(guard, counts, node) for node in self._asked([guard]))

    def _share(self, guard: int, counts: Ints, node: int) -> float:
        first, last = int(self.tree.leaf_first[node]), int(self.tree.leaf_last[node])
        return float(counts[first:last].sum() / counts.sum() * (last - first) / len(self.tree.leaves))

    def _asked(self, guards: Sequence[int]) -> tuple[int, ...]:
        if not self.per_leaf:
            return tuple(sorted(set(guards)))
        leaves = {
            int(self.tree.leaf_nodes[leaf])
            for guard in guards
            for leaf in range(int(self.tree.leaf_first[guard]), int(self.tree.leaf_last[guard]))
        }
        return tuple(sorted(leaves))

    def _told(self, node: int, guard: int) -> float:
        """Return the chance of a leaf below the guard, if a leaf below the node is drawn."""
        tree = self.tree
        inside = min(tree.leaf_last[node], tree.leaf_last[guard]) - max(tree.leaf_first[node], tree.leaf_first[guard])
        return max(int(inside), 0) / int(tree.leaf_count[node])

    def _climb(self, node: int, guard: int) -> int:
        """Return the lowest node above that tells less of the guard; -1 if there is none."""
        told, above = self._told(node, guard), int(self.tree.parent[node])
        while above >= 0 and self._told(above, guard) >= told:
            above = int(self.tree.parent[above])
        return above

    def _repair(self, counts: Ints, guards: tuple[int, ...]) -> Repaired | None:
        tree, size = self.tree, int(counts.sum())
        held: dict[int, dict[int, int]] = {
            int(tree.leaf_nodes[leaf]): {int(leaf): int(counts[leaf])} for leaf in np.flatnonzero(counts)
        }
        limit = self.bound * (1 + _SLACK)
        breach = {guard: self._breach(held, guard, size) for guard in guards}
        while guards:
            # Of equally bad nodes the first in order, so that the way is the same everywhere.
            worst = min(guards, key=lambda guard: (-ranked(breach[guard]), guard))
            if breach[worst] <= limit:
                break
            step = self._step(held, worst)
            if step is None:
                return None
            node, above = step
            moved = self._moved(held, (node, above), worst, breach, size)
            self._move(held, node, above, moved)
            breach = {guard: self._breach(held, guard, size) for guard in guards}
        cost = sum(
            (int(tree.leaf_count[node]) - 1) / len(tree.leaves) * sum(leaves.values()) for node, leaves in held.items()
        )
        shown = sorted((leaf, node, count) for node, leaves in held.items() for leaf, count in leaves.items())
        return Repaired(tuple(shown), cost, max(breach.values(), default=0.0))

    def _breach(self, held: dict[int, dict[int, int]], guard: int, size: int) -> float:
        return sum(self._told(node, guard) * sum(leaves.values()) for node, leaves in sorted(held.items())) / size

    def _step(self, held: dict[int, dict[int, int]], guard: int) -> tuple[int, int] | None:
        """Return the cheapest climb that lowers a breach; of equal ones the one that lowers it most, then the first."""
        known = [entry for node in held if (entry := self._entry(node, guard)) is not None]
        return min(known)[2:] if known else None

    def _entry(self, node: int, guard: int) -> tuple[int, int, int, int] | None:
        """Return cost, gain, node and the node above of the next climb, as they are ranked; ``None`` if no climb helps."""
        told = self._told(node, guard)
        above = self._climb(node, guard) if told > 0 else -1
        if above < 0:
            return None
        cost = int(self.tree.leaf_count[above] - self.tree.leaf_count[node])
        return cost, -ranked(told - self._told(above, guard)), node, above

    def _moved(
        self,
        held: dict[int, dict[int, int]],
        step: tuple[int, int],
        worst: int,
        breach: dict[int, float],
        size: int,
    ) -> int:
        """Return how many records make the same climb before another one would be chosen: what one at a time would do."""
        node, above = step
        onward, now = self._entry(above, worst), self._entry(node, worst)
        if above not in held and onward is not None and now is not None and onward < now:
            return 1  # the record that has just climbed goes on, at less than what the next one would cost
        down = (self._told(node, worst) - self._told(above, worst)) / size
        most = min(sum(held[node].values()), ceil((breach[worst] - self.bound * (1 + _SLACK)) / down))
        for guard, value in breach.items():
            up = (self._told(above, guard) - self._told(node, guard)) / size
            if guard != worst and up + down > 0:
                # Where the two are equally bad, the first of them in order is the worst.
                until = (breach[worst] - value) / (up + down)
                even = round(until)
                tied = abs(until - even) < _EVEN
                most = min(most, (even if guard < worst else even + 1) if tied else floor(until) + 1)
        return max(most, 1)

    def _move(self, held: dict[int, dict[int, int]], node: int, above: int, count: int) -> None:
        source, target = held[node], held.setdefault(above, {})
        for leaf in sorted(source):
            taken = min(count, source[leaf])
            if taken:
                target[leaf] = target.get(leaf, 0) + taken
                source[leaf] -= taken
                count -= taken
        held[node] = {leaf: left for leaf, left in source.items() if left}
        if not held[node]:
            del held[node]
