"""Ways through the lattice that the literature describes: by height, by subsets of attributes, and down from the top."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, product

from sfumato.algorithms.lattice._search import Found, LatticeSearch
from sfumato.errors import Unsupported
from sfumato.searches.lattice import Node

__all__ = ["lowest_height", "nodes_of_height", "passing_down", "refuse_untaggable", "satisfying_subsets"]

Subset = tuple[int, ...]


def refuse_untaggable(search: LatticeSearch, algorithm: str) -> None:
    """Refuse requirements under which a node above a valid one need not be valid."""
    if search.judge.upward:
        return
    if not search.judge.closed:
        broken = next(model for model in search.task.models if not model.traits.closed_under_merge)
        raise Unsupported(
            f"{algorithm} needs requirements that are kept under merging",
            thing=broken.id,
            alternatives=["optimal", "mingen"],
        )
    broken = next(
        (model for model in search.task.models if not model.traits.violations_shrink_under_merge), search.task.models[0]
    )
    raise Unsupported(
        f"{algorithm} cannot leave records out under {broken.id}: merging may put more records into violating groups; "
        "set limits.suppress_at_most to 0",
        thing=broken.id,
        alternatives=["optimal", "mingen"],
    )


def nodes_of_height(search: LatticeSearch, height: int) -> Iterator[Node]:
    """Yield the nodes whose levels add up to a height, in lexicographic order."""
    top = search.lattice.top
    rest = [sum(top[i:]) for i in range(len(top) + 1)]

    def below(at: int, left: int) -> Iterator[Node]:
        if at == len(top):
            yield ()
            return
        for level in range(max(0, left - rest[at + 1]), min(top[at], left) + 1):
            for tail in below(at + 1, left - level):
                yield (level, *tail)

    return below(0, height)


def lowest_height(search: LatticeSearch) -> tuple[int, list[Found]] | None:
    """Return the lowest height that has a valid node, and all valid nodes of that height; ``None`` without any.

    If a height has one, so has every greater one, so heights are halved.
    """

    def some(height: int) -> bool:
        return any(search.offer(search.count([node])[0]) for node in nodes_of_height(search, height))

    low, high = 0, search.lattice.height
    if not some(high):
        return None
    while low < high:
        middle = (low + high) // 2
        search.progress.tick(search.checks, f"height {middle}")
        if some(middle):
            high = middle
        else:
            low = middle + 1
    tallies = search.count(list(nodes_of_height(search, low)))
    return low, sorted((search.found(tally) for tally in tallies if search.offer(tally)), key=lambda found: found.key)


def satisfying_subsets(search: LatticeSearch) -> tuple[dict[Subset, list[Node]], int]:
    """Return the satisfying nodes of every subset of the attributes, and how many nodes had to be counted.

    A node of a subset is what is left if all other attributes are masked. It can only satisfy a requirement if its parts on
    smaller subsets do, and it does without a look if a node below it does.
    """
    lattice = search.lattice
    out: dict[Subset, list[Node]] = {}
    looked = 0
    for size in range(1, len(lattice.shape) + 1):
        for subset in combinations(range(len(lattice.shape)), size):
            search.progress.tick(looked, f"{size} attributes")
            candidates: Iterable[Node] = product(*(range(lattice.shape[i]) for i in subset))
            if size > 1:
                smaller = [
                    (at, set(out[subset[:at] + subset[at + 1 :]])) for at in range(size)
                ]  # the node without one attribute must satisfy
                candidates = (
                    node for node in candidates if all(node[:at] + node[at + 1 :] in held for at, held in smaller)
                )
            found: set[Node] = set()
            for node in sorted(candidates, key=lambda node: (sum(node), node)):
                if any((*node[:at], level - 1, *node[at + 1 :]) in found for at, level in enumerate(node) if level > 0):
                    found.add(node)
                    continue
                levels = list(lattice.top)
                for at, i in enumerate(subset):
                    levels[i] = node[at]
                looked += 1
                if search.valid(search.count([tuple(levels)])[0]):
                    found.add(node)
            out[subset] = sorted(found)
    return out, looked


def passing_down(search: LatticeSearch) -> list[Found]:
    """Return all valid nodes, found from the top downwards: below a node that fails nothing is valid."""
    first = search.count([search.lattice.top])[0]
    if not search.offer(first):
        return []
    passed, layer = [first.node], [first.node]
    while layer:
        below = list(dict.fromkeys(node for upper in layer for node in search.lattice.below(upper)))
        layer = [tally.node for tally in search.count(below) if search.offer(tally)]
        passed += layer
        search.progress.tick(search.checks, f"{len(passed):,} nodes hold")
    return sorted((search.found(search.tallies[node]) for node in passed), key=lambda found: found.key)
