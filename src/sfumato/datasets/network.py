"""Invented networks: links between people that nobody knows, the same for the same seed.

Three ways to draw links: R-MAT (a few hubs, small distances), preferential attachment (who has many gets more), and planted
communities (most links stay inside).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from sfumato.data.schema import Role
from sfumato.datasets.dataset import Dataset
from sfumato.errors import BadRequest

__all__ = ["communities", "network", "preferential", "rmat"]

Ints = npt.NDArray[np.int64]


def rmat(
    scale: int, links: int, seed: int = 7, *, parts: tuple[float, float, float, float] = (0.57, 0.19, 0.19, 0.05)
) -> Ints:
    """Return about so many links of ``2 ** scale`` nodes: each falls into one of four quarters of the matrix, again and again.

    Chakrabarti, Zhan, Faloutsos, "R-MAT: a recursive model for graph mining", 2004, doi:10.1137/1.9781611972740.43. Loops and
    repeated links are left out, so there may be a few less.

    >>> rmat(4, 20).shape[1]
    2
    """
    if len(parts) != 4 or not np.isclose(sum(parts), 1) or min(parts) < 0:
        raise BadRequest("must be four shares that add up to one", parameter="parts")
    rng = np.random.default_rng(seed)
    nodes = np.int64(2**scale)
    if links > nodes * (nodes - 1) // 4:
        raise BadRequest("must be at most half of all pairs", parameter="links", value=links)
    held = np.empty(0, np.int64)
    for _ in range(50):
        count = 2 * (links - len(held)) + 16
        one, other = np.zeros(count, np.int64), np.zeros(count, np.int64)
        for _ in range(scale):
            quarter = np.searchsorted(np.cumsum(parts)[:3], rng.random(count), side="right")
            one, other = 2 * one + quarter // 2, 2 * other + quarter % 2
        keys = np.minimum(one, other) * nodes + np.maximum(one, other)
        both = np.concatenate((held, keys[one != other]))
        held = both[np.sort(np.unique(both, return_index=True)[1])][:links]
        if len(held) == links:
            break
    return np.stack((held // nodes, held % nodes), axis=1)


def preferential(nodes: int, each: int = 3, seed: int = 7) -> Ints:
    """Return the links of nodes that come one after another, each linked with some before, likely with well linked ones.

    Barabási, Albert, "Emergence of scaling in random networks", 1999, doi:10.1126/science.286.5439.509.

    >>> preferential(5, 2).tolist()[:2]
    [[0, 2], [1, 2]]
    """
    if nodes <= each:
        raise BadRequest(f"must be more than {each}", parameter="nodes", value=nodes)
    rng = np.random.default_rng(seed)
    ends = np.empty(2 * each * (nodes - each), np.int64)
    filled, made = 0, []
    aims = list(range(each))
    for node in range(each, nodes):
        for aim in aims:
            made.append((aim, node))
            ends[filled], ends[filled + 1] = aim, node
            filled += 2
        chosen: set[int] = set()
        while len(chosen) < each:
            chosen.add(int(ends[rng.integers(filled)]))
        aims = sorted(chosen)
    return np.array(made, np.int64)


def communities(
    nodes: int, groups: int = 5, inside: float = 8.0, outside: float = 1.0, seed: int = 7
) -> tuple[Ints, Ints]:
    """Return links, and the group of each node: on average so many links of a node stay inside its group or leave it.

    >>> links, group = communities(20, 2)
    >>> len(group), links.shape[1]
    (20, 2)
    """
    rng = np.random.default_rng(seed)
    group = np.sort(rng.integers(0, groups, nodes))
    held: set[tuple[int, int]] = set()
    for share, within in ((inside, True), (outside, False)):
        wanted, tries = len(held) + round(share * nodes / 2), 0
        while len(held) < wanted and tries < 100 * wanted:
            tries += 1
            one, other = (int(at) for at in rng.integers(0, nodes, 2))
            if one != other and (group[one] == group[other]) == within:
                held.add((min(one, other), max(one, other)))
    return np.array(sorted(held), np.int64).reshape(-1, 2), group


def network(persons: int = 1000, seed: int = 7, model: str = "preferential") -> Dataset:
    """Return who called whom among invented persons, a row for each pair: about three calls a person.

    ``model`` is ``preferential`` (few know many), ``rmat`` (the same, in clusters) or ``communities`` (most calls stay inside
    one of five groups).

    >>> calls = network(50)
    >>> calls.columns, len(calls)
    (('caller', 'called'), 141)
    """
    if persons < 5:
        raise BadRequest("must be at least 5", parameter="rows", value=persons)
    if model not in MODELS:
        raise BadRequest("is not a model of networks", parameter="model", value=model, available=MODELS)
    links = MODELS[model](persons, seed)
    width = max(4, len(str(persons)))
    order = np.random.default_rng(seed).permutation(persons) + 1
    names = [f"P{number:0{width}}" for number in order.tolist()]
    pairs = sorted(tuple(sorted((names[one], names[other]))) for one, other in links.tolist())
    columns = {"caller": [one for one, _ in pairs], "called": [other for _, other in pairs]}
    return Dataset("network", columns, roles={"caller": Role.IDENTIFIER, "called": Role.IDENTIFIER}, source="invented")


def _clustered(persons: int, seed: int) -> Ints:
    """Return links of R-MAT among so many persons: those of the next power of two, without the nodes that are too many."""
    scale = max((persons - 1).bit_length(), 3)
    links = rmat(scale, min(4 * persons, 2**scale * (2**scale - 1) // 4), seed)
    return np.asarray(links[(links < persons).all(axis=1)][: 3 * persons])


MODELS: dict[str, Callable[[int, int], Ints]] = {
    "preferential": lambda persons, seed: preferential(persons, 3, seed),
    "rmat": _clustered,
    "communities": lambda persons, seed: communities(persons, inside=5.0, seed=seed)[0],
}
