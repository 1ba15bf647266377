"""Top-down partitioning: baskets start as the root and become more special together, as long as enough of them are alike."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import ClassVar

from sfumato.contracts.algorithm import Outcome, Search, SearchTraits
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.transactions.baskets import Baskets
from sfumato.transactions.built import BasketFacts, built_baskets
from sfumato.transactions.models.transactional_k_anonymity import TransactionalKAnonymity
from sfumato.transactions.task import BasketTask

__all__ = ["TopDownPartitioning"]

Children = tuple[int, ...]


@frozen(eq=False)
class _Part:
    """Baskets that show the same nodes; ``whole`` nodes are not tried any more."""

    members: tuple[int, ...]
    nodes: frozenset[int]
    whole: frozenset[int] = frozenset()


@frozen(eq=False)
class _Split:
    """What becomes of a part if a node is expanded: parts by the children that they show, and those that keep the node.

    ``gain`` is what the loss falls by, times the number of leaves; 0 if every part was dissolved.
    """

    parts: dict[Children, list[int]]
    leftover: list[int]
    gain: int


class TopDownPartitioning(Search[BasketTask]):
    """Specialize groups of baskets node by node, local recoding, so that every set that is shown is shown k times or more.

    All baskets begin as the root. Expanding a node parts a group by the children that baskets hold below it. Parts with fewer
    than k members join a leftover that keeps the node; where that has fewer than k itself, baskets of the largest parts that
    have more than k move there, those with the fewest items below the node first, or else the smallest part is dissolved. The
    node whose expansion lowers the loss ``sum of leaves(v) / |I|`` most is taken, the first in pre-order on ties, until none
    lowers it.

    Examples
    --------
    >>> from sfumato.transactions import Baskets
    >>> tree = {"ALL": [{"A": ["a1", "a2"]}, {"B": ["b1", "b2"]}]}
    >>> baskets = Baskets.of([["a1", "b1"], ["a1", "b1"], ["a2"], ["a2"]], tree=tree)
    >>> found = TopDownPartitioning().run(BasketTask(baskets, [TransactionalKAnonymity(k=2)]), Run())
    >>> [sorted(one) for one in found.built.masked]
    [['a1', 'b1'], ['a1', 'b1'], ['a2'], ['a2']]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 13.5.2, Algorithm 13.5.12.
    He, Naughton, "Anonymization of set-valued data via top-down, local generalization", 2009, doi:10.14778/1687627.1687733.
    """

    id: ClassVar[str] = "top-down-partitioning"
    traits: ClassVar[SearchTraits] = SearchTraits(
        release="locally-recoded-baskets",
        optimal=False,
        deterministic=True,
        truthful=False,
        anytime=False,
        cost="item occurrences x nodes on their paths",
    )

    def run(self, task: BasketTask, run: Run) -> Outcome:
        least = _least(task)
        baskets, tree = task.baskets, task.baskets.tree
        if not baskets.rooted:
            raise Unsupported(
                f"{self.id} begins with everything as one item, which groups forbid",
                thing=self.id,
                alternatives=["apriori-anonymization"],
            )
        if tree is None:
            raise BadRequest("needs a taxonomy of the items", parameter="items.hierarchy")
        leaves = _leaves(baskets, tree)
        empty = [at for at, held in enumerate(leaves) if not held]
        filled = tuple(at for at, held in enumerate(leaves) if held)
        for group in (empty, filled):
            if 0 < len(group) < least:
                what = "hold no public item" if group is empty else "hold a public item"
                raise Infeasible(
                    f"only {len(group):,} baskets {what}, fewer than the {least:,} that must look alike",
                    measured=len(group),
                    bound=f">= {least}",
                )
        shown: list[frozenset[int]] = [frozenset()] * len(baskets)
        waiting = [_Part(filled, frozenset({0}))] if filled else []
        while waiting:
            run.checkpoint()
            part = waiting.pop()
            further = list(_expanded(part, leaves, tree, least))
            waiting += further
            if not further:
                for at in part.members:
                    shown[at] = part.nodes
        masked = _masked(baskets, tree, shown)
        facts = BasketFacts(
            items_before=len(baskets.items) - len(baskets.private), items_after=len(masked.items) - len(masked.private)
        )
        return Outcome(built=built_baskets(masked, local=True), facts=facts)


def _least(task: BasketTask) -> int:
    for model in task.models:
        if not isinstance(model, TransactionalKAnonymity):
            raise Unsupported(
                "top-down-partitioning makes whole baskets alike: it works for transactional-k-anonymity",
                thing=model.id,
                alternatives=["apriori-anonymization", "mole-suppression"],
            )
    return max(model.k for model in task.models if isinstance(model, TransactionalKAnonymity))


def _leaves(baskets: Baskets, tree: Tree) -> list[list[int]]:
    """Return the leaf numbers of the public items of each basket, rising."""
    number = [tree.leaf_number.get(name, -1) for name in baskets.items]
    number = [-1 if name in baskets.private else at for name, at in zip(baskets.items, number, strict=True)]
    codes, starts = baskets.codes.tolist(), baskets.starts.tolist()
    return [
        sorted(number[code] for code in codes[first:last] if number[code] >= 0)
        for first, last in itertools.pairwise(starts)
    ]


def _expanded(part: _Part, leaves: Sequence[Sequence[int]], tree: Tree, least: int) -> Iterator[_Part]:
    """Yield what the best expansion makes of a part; nothing if none lowers the loss."""
    best: tuple[int, _Split] | None = None
    hopeless = set(part.whole)
    for node in sorted(part.nodes - part.whole):
        if not tree.children[node]:
            continue
        split = _split(part.members, node, leaves, tree, least)
        if split is None:
            hopeless.add(node)  # nor will any part of these baskets be large enough
        elif split.gain > 0 and (best is None or split.gain > best[1].gain):
            best = (node, split)
    if best is None:
        return
    node, split = best
    for children, members in split.parts.items():
        yield _Part(tuple(members), (part.nodes - {node}) | set(children), frozenset(hopeless))
    if split.leftover:
        yield _Part(tuple(split.leftover), part.nodes, frozenset(hopeless))


def _split(members: Sequence[int], node: int, leaves: Sequence[Sequence[int]], tree: Tree, least: int) -> _Split | None:
    """Return what expanding a node does to a part, or nothing if no children are shared by enough of its baskets."""
    first, last = int(tree.leaf_first[node]), int(tree.leaf_last[node])
    child_of: dict[int, int] = {}
    for child in tree.children[node]:
        for leaf in range(int(tree.leaf_first[child]), int(tree.leaf_last[child])):
            child_of[leaf] = child
    parts: dict[Children, list[int]] = defaultdict(list)
    below: dict[int, list[int]] = {}
    for at in members:
        held = [child_of[leaf] for leaf in leaves[at] if first <= leaf < last]
        below[at] = held
        parts[tuple(sorted(set(held)))].append(at)
    leftover = sorted(at for group in parts.values() if len(group) < least for at in group)
    kept = {key: group for key, group in sorted(parts.items()) if len(group) >= least}
    if not kept:
        return None
    while leftover and len(leftover) < least and kept:
        large = [key for key, group in kept.items() if len(group) > least]
        if large:
            key = max(large, key=lambda one: len(kept[one]))
            moved = min(kept[key], key=lambda at: (len(below[at]), at))
            kept[key] = [at for at in kept[key] if at != moved]
            leftover.append(moved)
        else:
            leftover += kept.pop(min(kept, key=lambda one: len(kept[one])))
    whole = int(tree.leaf_count[node])
    cost = {child: int(tree.leaf_count[child]) if tree.children[child] else 0 for child in tree.children[node]}
    gain = sum(whole - cost[child] for group in kept.values() for at in group for child in below[at])
    return _Split(kept, sorted(leftover), gain)


def _masked(baskets: Baskets, tree: Tree, shown: Sequence[frozenset[int]]) -> Baskets:
    """Return the baskets with the nodes that their groups show, and their private items as they are."""
    labels = {node: tree.labels[node] for nodes in set(shown) for node in nodes}
    sets = [
        {labels[node] for node in nodes} | (held & baskets.private) for nodes, held in zip(shown, baskets, strict=True)
    ]
    made = Baskets.of(sets)
    return Baskets(made.starts, made.codes, made.items, baskets.private & set(made.items), baskets.persons, tree)
