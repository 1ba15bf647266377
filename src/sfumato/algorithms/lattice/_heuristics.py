"""Good nodes of a lattice that is too large to search to the end, and how far from the best they can be at most.

Three ways to a valid node: down from the top as long as a finer node is valid and better; up from the bottom, always the
attribute that shows most values, and then down again; and breeding, which mixes the levels of the best nodes found. What any
valid node costs at least follows from single attributes: the level that an attribute needs if all others are masked is needed
everywhere.
"""

from __future__ import annotations

from math import inf

import numpy as np

from sfumato.algorithms.lattice._cost import Tally
from sfumato.algorithms.lattice._search import LatticeSearch, Stop, ordered
from sfumato.searches.lattice import Node

__all__ = ["GUESSES", "breed", "climb_and_descend", "descend", "guess", "least_levels"]


GUESSES = 3000
"""How many nodes are looked at in a lattice that cannot be enumerated, if nobody says otherwise."""


def guess(
    search: LatticeSearch, rng: np.random.Generator, stop: Stop, *, way: str = "auto", most: int | None = None
) -> str:
    """Find a good node in one way or in all of them, with at most so many looks; return why it stopped."""

    looks = GUESSES if most is None else most

    def enough() -> str | None:
        return stop() or ("heuristic" if search.checks >= looks else None)

    search.progress.stage("searching", looks)
    start, bound = least_levels(search)
    ways: dict[str, Stop] = {
        "top-down": lambda: descend(search, search.lattice.top, enough),
        "bottom-up": lambda: climb_and_descend(search, start, enough),
        "genetic": lambda: breed(search, rng, enough),
    }
    reason = None
    for go in ways.values() if way == "auto" else [ways[way]]:
        reason = go()
        search.progress.tick(search.checks, "" if search.best is None else f"best {search.best.score:.6g}")
        if reason is not None:
            break
    search.bound = bound
    return reason or "heuristic"


def descend(search: LatticeSearch, start: Node, stop: Stop) -> str | None:
    """Go down from a node to the best valid node one step below, until no step makes it better."""
    here = search.count([start])[0]
    if not search.offer(here):
        return None
    while True:
        reason = stop()
        if reason is not None:
            return reason
        tallies = search.count(search.lattice.below(here.node), keep=False)
        valid = [tally for tally in tallies if search.offer(tally)]
        better = [tally for tally in valid if search.score(tally) <= search.score(here)]
        if not better:
            return None
        here = min(better, key=lambda tally: ordered(search.score(tally), tally.node))


def climb_and_descend(search: LatticeSearch, start: Node, stop: Stop) -> str | None:
    """Go up by the attribute that shows most values until a node is valid, then down again."""
    lattice, node = search.lattice, start
    while True:
        reason = stop()
        if reason is not None:
            return reason
        tally = search.count([node])[0]
        if search.valid(tally):
            return descend(search, node, stop)
        shown = [(len(lattice.values[i][level]) if level < lattice.top[i] else 0) for i, level in enumerate(node)]
        chosen = int(np.argmax(shown))
        if shown[chosen] == 0:
            return None
        node = (*node[:chosen], node[chosen] + 1, *node[chosen + 1 :])


def breed(
    search: LatticeSearch, rng: np.random.Generator, stop: Stop, *, population: int = 16, generations: int = 25
) -> str | None:
    """Mix the levels of good nodes, change some, and keep the best; what is not valid is charged by what it leaves out."""
    lattice = search.lattice
    depth, top = len(lattice.shape), np.array(lattice.top)

    def fitness(tally: Tally) -> tuple[float, float, Node]:
        excess = 0 if search.valid(tally) else tally.left_out + 1
        return excess, search.score(tally), tally.node

    known = sorted(search.tallies.values(), key=fitness)[: population // 2]
    pool = [tally.node for tally in known]
    while len(pool) < population:
        pool.append(tuple(int(level) for level in rng.integers(0, top + 1)))
    for _ in range(generations):
        reason = stop()
        if reason is not None:
            return reason
        tallies = search.count(list(dict.fromkeys(pool)), keep=False)
        for tally in tallies:
            search.offer(tally)
        parents = [tally.node for tally in sorted(tallies, key=fitness)[: max(2, population // 2)]]
        children = list(parents[:2])
        while len(children) < population:
            mother, father = (np.array(parents[int(at)]) for at in rng.integers(0, len(parents), 2))
            child = np.where(rng.random(depth) < 0.5, mother, father)
            change = rng.random(depth) < 1.5 / depth
            child = np.clip(child + np.where(change, rng.choice((-1, 1), depth), 0), 0, top)
            children.append(tuple(int(level) for level in child))
        pool = children
    return None


def least_levels(search: LatticeSearch) -> tuple[Node, float]:
    """Return the level that each attribute needs at least in any valid node, and what any valid node costs at least.

    With all other attributes masked an attribute is checked alone; where what fails there must fail at every node below, no
    valid node has it finer.
    """
    lattice = search.lattice
    least = []
    for i, top in enumerate(lattice.top):
        low = 0
        while low < top:
            alone = (*lattice.top[:i], low, *lattice.top[i + 1 :])
            tally = search.count([alone])[0]
            if search.offer(tally) or not (search.judge.upward or tally.lasting > search.budget):
                break
            low += 1
        least.append(low)
    node = tuple(least)
    bound = search.cost.at_least(node)
    return node, bound if bound > -inf else -inf
