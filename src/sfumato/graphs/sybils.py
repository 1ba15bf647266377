"""Planted accounts: a subgraph that nobody else has, put into a network before it is published, and found again in it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from math import ceil, log2

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest
from sfumato.graphs.canonical import automorphisms
from sfumato.graphs.graph import Graph
from sfumato.kernels.arrays import Ints

__all__ = ["Planted", "Recovered", "plant", "recover"]

_MOST_COPIES = 1000


@frozen(eq=False)
class Planted:
    """What an adversary knows of the accounts she planted: links among them, their degrees, and whom they are linked with.

    Accounts are numbered from 0; ``targets`` gives for each target, by any name, the accounts that are linked with it.
    """

    accounts: int
    links: frozenset[tuple[int, int]]
    degrees: tuple[int, ...]
    targets: Mapping[Hashable, frozenset[int]]

    @classmethod
    def of(
        cls,
        links: Iterable[Sequence[int]],
        degrees: Sequence[int],
        targets: Mapping[Hashable, Iterable[int]],
    ) -> Planted:
        """Return the knowledge of planted accounts from plain data."""
        held = frozenset((min(pair), max(pair)) for pair in links)
        named = {name: frozenset(accounts) for name, accounts in targets.items()}
        numbers = {at for pair in held for at in pair} | {at for accounts in named.values() for at in accounts}
        if any(not 0 <= at < len(degrees) for at in numbers):
            raise BadRequest("names an account that has no degree", parameter="planted")
        return cls(len(degrees), held, tuple(int(one) for one in degrees), named)

    def document(self) -> dict[str, object]:
        """Return what is known in a form that JSON takes; ``attack --know planted=FILE`` reads it."""
        targets = {str(name): sorted(accounts) for name, accounts in self.targets.items()}
        return {"links": [list(pair) for pair in sorted(self.links)], "degrees": list(self.degrees), "targets": targets}

    def automorphisms(self) -> int:
        """Return in how many ways the accounts can be exchanged with all their links; 1 if each is told apart."""
        near: list[set[int]] = [set() for _ in range(self.accounts)]
        for one, other in self.links:
            near[one].add(other)
            near[other].add(one)
        return sum(1 for _ in automorphisms([frozenset(held) for held in near], [0] * self.accounts))


@frozen
class Recovered:
    """What was found: how many copies of the planted subgraph, and, if there is just one, where accounts and targets are.

    ``status`` is ``located``, ``ambiguous`` or ``not found``; ``positions`` are the names of the nodes of the accounts.
    """

    status: str
    copies: int
    automorphisms: int
    positions: tuple[Hashable, ...] = ()
    targets: Mapping[Hashable, Hashable] | None = None


def plant(
    graph: Graph, targets: Sequence[Hashable], rng: np.random.Generator, *, accounts: int | None = None
) -> tuple[Graph, Planted]:
    """Return the graph with planted accounts, and what their owner knows (Backstrom et al. 2007; Fung et al. 2010, 15.1.2.2).

    There are ``ceil(2 log2 N)`` accounts if not said otherwise. Each is linked with the next, any two others with probability
    1/2, and each target with a set of accounts of its own.
    """
    nodes = len(graph)
    count = ceil(2 * log2(max(nodes, 2))) if accounts is None else accounts
    if len(targets) >= 2**count:
        raise BadRequest("has fewer sets of accounts than targets", parameter="accounts", value=count)
    ones, ends = np.triu_indices(count, 1)
    inside = (ends == ones + 1) | (rng.random(len(ones)) < 0.5)
    links = frozenset(zip(ones[inside].tolist(), ends[inside].tolist(), strict=True))
    chosen: dict[Hashable, frozenset[int]] = {}
    for target in targets:
        while target not in chosen:
            size = int(rng.integers(min(count, 2), min(count, 4) + 1))
            drawn = frozenset(rng.choice(count, size, replace=False).tolist())
            if drawn not in chosen.values() or size == count:
                chosen[target] = drawn
    numbers = graph.numbers(targets)
    made = [(nodes + one, nodes + other) for one, other in links]
    made += [(at, nodes + one) for at, target in zip(numbers, targets, strict=True) for one in chosen[target]]
    # Accounts also have an ordinary link or two, each with somebody else: nobody but a target has links with several.
    others = rng.permutation(np.setdiff1d(np.arange(nodes), numbers)).tolist()
    for account in range(count):
        for _ in range(int(rng.integers(1, 3))):
            if others:
                made.append((others.pop(), nodes + account))
    edges: Ints = np.unique(np.concatenate((graph.edges, np.array(made, np.int64).reshape(-1, 2))), axis=0)
    grown = graph.joined(count, edges)
    return grown, Planted(count, links, tuple(grown.degrees[nodes:].tolist()), chosen)


def recover(graph: Graph, planted: Planted) -> Recovered:
    """Look for the planted accounts in a published graph, then for their targets.

    A walk along the accounts, one after another: a node fits if it has the known degree and just the known links with those
    before it. With one copy, and accounts that cannot be exchanged, a target is the node outside whose links with the accounts
    are just the known ones.
    """
    ways = planted.automorphisms()
    adjacency, degrees = graph.adjacency, graph.degrees
    before: list[list[int]] = [[] for _ in range(planted.accounts)]
    for one, other in planted.links:
        before[other].append(one)
    found: list[tuple[int, ...]] = []
    image: list[int] = []

    def onward() -> None:
        at = len(image)
        if at == planted.accounts:
            found.append(tuple(image))
            return
        linked = [image[one] for one in before[at]]
        choices = adjacency[min(linked, key=lambda node: len(adjacency[node]))] if linked else range(len(graph))
        for node in sorted(choices):
            if degrees[node] != planted.degrees[at] or node in image:
                continue
            if all((image[one] in adjacency[node]) == (one in before[at]) for one in range(at)):
                image.append(node)
                onward()
                image.pop()
            if len(found) >= _MOST_COPIES:
                return

    if planted.accounts:
        onward()
    copies = len({frozenset(one) for one in found})
    if copies != 1 or len(found) != 1:
        return Recovered("ambiguous" if found else "not found", copies, ways)
    places = found[0]
    account = {node: at for at, node in enumerate(places)}
    touched: dict[frozenset[int], list[int]] = {}
    for node in {other for place in places for other in adjacency[place]} - set(places):
        held = frozenset(account[other] for other in adjacency[node] if other in account)
        touched.setdefault(held, []).append(node)
    targets: dict[Hashable, Hashable] = {}
    for name, wanted in planted.targets.items():
        fitting = touched.get(wanted, [])
        if len(fitting) == 1:
            targets[name] = graph.names[fitting[0]]
    return Recovered("located", copies, ways, tuple(graph.names[place] for place in places), targets)
