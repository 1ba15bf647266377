"""Good nodes of a lattice that is too large to search to the end, and how far from the best they can be at most.

Five ways to a valid node: down from the top as long as a finer node is valid and better; up from the bottom, always the
attribute that shows most values, and then down again; breeding, which mixes the levels of the best nodes found;
exchanging, which masks some attributes of the best node more and others less; and walking on from near the best node again and
again. What any valid node costs at least follows from few attributes: what they cost at least with all others masked they cost
everywhere.
"""

from __future__ import annotations

from math import inf, prod

import numpy as np

from sfumato.algorithms.lattice._cost import AttributeCost, Tally
from sfumato.algorithms.lattice._search import LatticeSearch, Stop, ordered
from sfumato.algorithms.lattice._space import Part
from sfumato.searches.lattice import Node

__all__ = [
    "begin",
    "bound_by_parts",
    "breed",
    "climb_and_descend",
    "descend",
    "exchange",
    "guess",
    "least_levels",
    "restart",
    "walk",
]

_LARGE = 1 << 15  # nodes of a lattice in which a good node is looked for before the best
_PARTS = (1 << 6, 1 << 10, 1 << 13, 1 << 16)  # nodes of the parts that bound a lattice, one size after the other
_JOINS = 8  # levels of a column that a part can take in beyond its size
_FRUITLESS = 3  # rounds of breeding that find nothing better before it is given up
_LIKELY = 64  # steps and pairs of steps that a walk looks at before it ends
_ABREAST = 4  # nodes that a walk looks at before it takes a step: several cores count them
_RESTARTS = 64  # walks that find nothing better before they are given up
_EARLY = 3  # the share of the work in which good nodes are looked for before bounds: one in so many
_MOVED = (2, 5)  # how many attributes are made finer, and coarser, before a walk
_NEAR = 1e-3  # how much worse than the best, as a share, the end of a walk may be for the next one to begin there


def begin(search: LatticeSearch, stop: Stop) -> None:
    """Find a good node of a large lattice first, so that whoever stops the search early has one.

    A search that foretells finds one by itself; one that sweeps needs it in a small lattice, too.
    """
    if search.sweeps or (search.lattice.size > _LARGE and not search.foretells):
        descend(search, search.highest, stop)
        exchange(search, stop)


def guess(
    search: LatticeSearch,
    rng: np.random.Generator,
    stop: Stop,
    *,
    way: str = "auto",
    most: int | None = None,
    work: int | None = None,
) -> str:
    """Find a good node in one way or in all of them, with at most so many looks; return why it stopped.

    Of the ``work`` that may be done a part is kept for bounds, so that a good node is known to be one.
    """
    early = inf if work is None else search.work + work // _EARLY

    def enough() -> str | None:
        return stop() or ("heuristic" if most is not None and search.checks >= most else None)

    def soon() -> str | None:
        return enough() or ("heuristic" if search.work >= early else None)

    search.progress.stage("searching", most)
    start, search.bound = least_levels(search)
    ways: dict[str, Stop] = {
        "top-down": lambda: descend(search, search.highest, enough),
        "exchange": lambda: exchange(search, enough),
        "bottom-up": lambda: climb_and_descend(search, start, enough),
        "genetic": lambda: breed_on(search, rng, soon if way == "auto" else enough),
        "parts": lambda: bound_by_parts(search, enough),
        "restart": lambda: restart(search, rng, enough),
    }
    for go in ways.values() if way == "auto" else [ways[way]]:
        go()
        search.progress.tick(search.checks, "" if search.best is None else search.standing(search.bound))
        if (reason := enough()) is not None:
            return reason
    return "heuristic"


def bound_by_parts(search: LatticeSearch, stop: Stop) -> str | None:
    """Raise the bound by the best levels of some columns with all others masked, of more columns each time.

    The parts have no column in common, so that what they cost at least adds up.
    """
    cost = search.cost
    if not isinstance(cost, AttributeCost):
        return None
    for most in _PARTS:
        bounds, reason = [], None
        for columns in _parts(search.lattice.shape, most):
            part = Part(search, columns)
            reason = reason or part.run(stop)
            bounds.append(part.bound())
        whole = cost.whole(max(bounds) if cost.largest else sum(bounds))
        search.bound = max(search.bound, whole * (1 - 1e-9))
        if search.best is not None:
            search.progress.tick(search.checks, search.standing(search.bound))
        if reason is not None:
            return reason
    return None


def _parts(shape: tuple[int, ...], most: int) -> list[tuple[int, ...]]:
    """Return all columns in parts of up to so many nodes; a last column alone would say little, and joins the part before.

    >>> _parts((4, 4, 4, 4, 4), 64)
    [(0, 1, 2), (3, 4)]
    >>> _parts((4, 4, 4, 4), 64)
    [(0, 1, 2, 3)]
    """
    out: list[tuple[int, ...]] = [()]
    for i, extent in enumerate(shape):
        if out[-1] and prod(shape[j] for j in out[-1]) * extent > most:
            out.append(())
        out[-1] = (*out[-1], i)
    if len(out) > 1 and len(out[-1]) == 1 and shape[-1] <= _JOINS:
        out[-2:] = [out[-2] + out[-1]]
    return out


def exchange(search: LatticeSearch, stop: Stop) -> str | None:
    """Make one attribute of the best node finer and up to one other coarser, as long as that finds a better one."""
    while search.best is not None:
        best = search.best
        finer = [best.node, *search.lattice.below(best.node)]
        near = [other for node in finer for other in (node, *search.lattice.above(node))]
        fresh = [node for node in dict.fromkeys(near) if node not in search.tallies]
        floors = {node: search.cost.at_least(node) for node in search.hopeful(fresh)}
        for node in sorted(floors, key=lambda node: (floors[node], node)):
            if floors[node] > best.score:
                break
            reason = stop()
            if reason is not None:
                return reason
            search.offer(search.count([node])[0])
            if search.best is not best:
                break
        if search.best is best:
            return None
    return None


def breed_on(search: LatticeSearch, rng: np.random.Generator, stop: Stop) -> str | None:
    """Breed and exchange until several rounds found nothing better."""
    fruitless = 0
    while fruitless < _FRUITLESS:
        best = search.best
        reason = breed(search, rng, stop) or exchange(search, stop)
        if reason is not None:
            return reason
        fruitless = fruitless + 1 if search.best is best else 0
        if search.lattice.size < _LARGE:
            return None
    return restart(search, rng, stop)


def restart(search: LatticeSearch, rng: np.random.Generator, stop: Stop) -> str | None:
    """Move a node by a few exchanges and walk on from there, until many walks in turn find nothing better.

    The first node is the best one, each next one where the last walk ended, unless that is much worse than the best.

    Iterated local search: Lourenço, Martin, Stützle, 2003, doi:10.1007/0-306-48056-5_11.
    """
    fruitless, here = 0, search.best
    while here is not None and fruitless < _RESTARTS:
        best = search.best
        node = np.array(here.node)
        for step in (-1, 1):
            can = np.flatnonzero(node > 0 if step < 0 else node < np.array(search.lattice.top))
            node[rng.permutation(can)[: int(rng.integers(*_MOVED))]] += step
        end, reason = walk(search, tuple(node.tolist()), stop)
        if reason is not None:
            return reason
        fruitless = fruitless + 1 if search.best is best else 0
        here = search.best
        if best is not None and search.valid(end) and search.score(end) - best.score <= _NEAR * abs(best.score):
            here = search.found(end)
    return None


def walk(search: LatticeSearch, start: Node, stop: Stop) -> tuple[Tally, str | None]:
    """Exchange levels, each time to the first better nodes found, until none is; what is not valid may be passed.

    What single steps do to the cost and to what is left out foretells what two of them do together: the likeliest exchanges
    are looked at first, unlikely ones not at all. Return where the walk ended, and why if it was stopped.
    """
    here, before = search.count([start])[0], None
    search.offer(here)
    while here is not before:
        before, score = here, search.score(here) if search.valid(here) else inf
        promising = search.hopeful(_likeliest(search, here))
        order = [node for node in promising if search.cost.at_least(node) <= score]
        for at in range(0, len(order), _ABREAST):
            reason = stop()
            if reason is not None:
                return here, reason
            tallies = search.count(order[at : at + _ABREAST])
            for tally in tallies:
                search.offer(tally)
            here = min([before, *tallies], key=lambda tally: _fitness(search, tally))
            if here is not before:
                break
    return here, None


def _likeliest(search: LatticeSearch, here: Tally) -> list[Node]:
    """Return single steps, and pairs of one finer and one coarser, by what they promise, the best first."""
    node, steps = np.array(here.node), [*search.lattice.below(here.node), *search.lattice.above(here.node)]
    tallies = search.count(steps)
    moves = np.array(steps) - node
    left = np.array([tally.left_out for tally in tallies], float)
    cost = np.array([search.score(tally) for tally in tallies])
    finer, coarser = np.flatnonzero(moves.sum(1) < 0), np.flatnonzero(moves.sum(1) > 0)
    down, up = (side.ravel() for side in np.meshgrid(finer, coarser, indexing="ij"))
    apart = (moves[down] * moves[up]).sum(1) == 0
    down, up = down[apart], up[apart]
    nodes = np.concatenate([node + moves, node + moves[down] + moves[up]])
    left = np.concatenate([left, left[down] + left[up] - here.left_out])
    cost = np.concatenate([cost, cost[down] + cost[up] - search.score(here)])
    order = np.lexsort((cost, np.where(left > search.budget, left, 0)))[:_LIKELY]
    return [tuple(one) for one in nodes[order].tolist()]


def _fitness(search: LatticeSearch, tally: Tally) -> tuple[float, float, Node]:
    """Return what decides between nodes: how far from valid a node is, then its cost."""
    excess = 0 if search.valid(tally) else tally.left_out + 1
    return excess, search.score(tally), tally.node


def descend(search: LatticeSearch, start: Node, stop: Stop) -> str | None:
    """Go down from a node to the best valid node one step below, until no step makes it better."""
    here = search.count([start])[0]
    if not search.offer(here):
        return None
    while True:
        reason = stop()
        if reason is not None:
            return reason
        tallies = search.count(search.hopeful(search.lattice.below(here.node)))
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
        if search.hopeful([node]) and search.valid(search.count([node])[0]):
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
        return _fitness(search, tally)

    known = sorted(search.tallies.values(), key=fitness)[: population // 2]
    pool = [tally.node for tally in known]
    while len(pool) < population:
        pool.append(tuple(int(level) for level in rng.integers(0, top + 1)))
    for _ in range(generations):
        reason = stop()
        if reason is not None:
            return reason
        hopeful = search.hopeful(list(dict.fromkeys(pool)))
        tallies = [search.count([node])[0] for node in hopeful or pool[:1]]
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
