"""Graphs: persons and the links between them, in compressed rows."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Bools, Codes, Ints

if TYPE_CHECKING:
    import networkx
    import rustworkx

__all__ = ["Copies", "Dummy", "Graph", "Mended", "Pair", "among", "compressed", "different"]

Pair = tuple[Hashable, Hashable]
"""Two nodes that are linked, by their names."""


@frozen
class Mended:
    """What was put right while reading because it was asked for: loops, repeated and reversed links, strange nodes."""

    loops: int = 0
    duplicates: int = 0
    reversed: int = 0
    unknown: int = 0


@frozen
class Dummy:
    """The name of a node that was added and that nobody stands behind."""

    number: int

    def __str__(self) -> str:
        return f"added node {self.number + 1}"


@frozen(eq=False)
class Copies:
    """An arrangement of the nodes in rows of equally many columns: the row and the column of each node."""

    row: Ints
    column: Ints


@frozen(eq=False, repr=False)
class Graph:
    """A simple undirected graph: node ``i`` is linked with ``targets[starts[i]:starts[i + 1]]``, rising.

    Each link is there twice.

    ``names`` are those of the input, in the house only. ``columns`` hold what else is known of each node; an adversary may know
    those in ``label``, and those in ``sensitive`` must not be learnt. ``tree`` is the taxonomy of the one label column.
    ``kinds`` are the links by their kind, where links have kinds: pairs of nodes, smaller first; all of them are links of the
    graph. ``copies`` arrange the nodes where the graph was made of several copies. ``mended`` counts what was put right.
    ``listed``: nodes are given by themselves; if not, they are whoever has a link, and how many there are tells of links.

    Examples
    --------
    >>> graph = Graph.of([("ann", "bob"), ("bob", "eva")], nodes=["ann", "bob", "eva", "tom"])
    >>> len(graph), graph.links, graph.degrees.tolist()
    (4, 2, [1, 2, 1, 0])
    >>> sorted(graph.pairs())
    [('ann', 'bob'), ('bob', 'eva')]
    """

    starts: Ints
    targets: Codes
    names: tuple[Hashable, ...]
    columns: Mapping[str, tuple[str | None, ...]] = field(default_factory=dict)
    label: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    tree: Tree | None = None
    kinds: Mapping[str, Ints] = field(default_factory=dict)
    copies: Copies | None = None
    mended: Mended = Mended()
    listed: bool = True

    @classmethod
    def of(
        cls,
        source: object,
        *,
        nodes: object = None,
        labels: Mapping[Hashable, str] | None = None,
        source_column: str | None = None,
        target_column: str | None = None,
        kind_column: str | None = None,
        person: str | None = None,
        repair: Collection[str] = (),
        format: str | None = None,  # noqa: A002
    ) -> Graph:
        """Read a graph from whatever holds it.

        Pairs of names; a graph of networkx or rustworkx; a text file with two names on a line; a GraphML file; or a frame or
        file with two columns. ``nodes`` lists all nodes: names, or a frame or file whose column ``person`` (or first) names
        them and whose other columns are known of them. ``labels`` gives each node one label. ``repair`` says what may be
        mended: ``loops`` are dropped, ``duplicates`` merged, ``directed`` links undirected, ``unknown`` nodes added to those
        listed; anything else is refused.
        """
        from sfumato.graphs.sources import opened  # which knows files, frames and other libraries

        made = opened(
            source,
            nodes=nodes,
            columns=(source_column, target_column, kind_column),
            person=person,
            repair=frozenset(repair),
            format=format,
        )
        return made if labels is None else made.labelled(labels)

    @classmethod
    def of_edges(cls, nodes: int | Sequence[Hashable], edges: Ints) -> Graph:
        """Return the graph of nodes (how many, or their names) and links between their numbers, each once and no loop."""
        names = tuple(range(nodes)) if isinstance(nodes, int) else tuple(nodes)
        return cls(*compressed(edges, len(names)), names)

    def labelled(self, labels: Mapping[Hashable, str]) -> Graph:
        """Return the graph with one label for each node, which an adversary may know."""
        missing = sum(name not in labels for name in self.names)
        if missing:
            raise BadRequest(f"{missing} nodes have no label", parameter="labels")
        held = tuple(str(labels[name]) for name in self.names)
        return replace(self, columns={**self.columns, "label": held}, label=("label",))

    # ---- reading -----------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __repr__(self) -> str:  # names are those of persons
        return f"Graph({len(self):,} nodes, {self.links:,} links)"

    @property
    def links(self) -> int:
        """How many links there are."""
        return len(self.targets) // 2

    @cached_property
    def degrees(self) -> Ints:
        """With how many others each node is linked."""
        return np.diff(self.starts)

    @cached_property
    def owners(self) -> Codes:
        """The node of each entry in ``targets``."""
        return np.repeat(np.arange(len(self), dtype=np.int32), self.degrees)

    @cached_property
    def edges(self) -> Ints:
        """The links as pairs of node numbers, smaller first, in order."""
        once = self.owners < self.targets
        return np.stack((self.owners[once], self.targets[once]), axis=1).astype(np.int64)

    @cached_property
    def number_of(self) -> Mapping[Hashable, int]:
        """Name -> number of the node."""
        return {name: at for at, name in enumerate(self.names)}

    def numbers(self, names: Iterable[Hashable]) -> list[int]:
        """Return the numbers of named nodes; a name that nobody has is refused."""
        asked = list(names)
        strange = sum(name not in self.number_of for name in asked)
        if strange:
            raise BadRequest(f"{strange} of {len(asked)} are no nodes of the graph", parameter="nodes")
        return [self.number_of[name] for name in asked]

    def neighbours(self, node: int) -> Codes:
        """Return the numbers of the nodes that a node is linked with, rising."""
        return self.targets[self.starts[node] : self.starts[node + 1]]

    @cached_property
    def adjacency(self) -> list[frozenset[int]]:
        """The neighbours of each node as sets, for walks in plain Python."""
        return [frozenset(self.neighbours(node).tolist()) for node in range(len(self))]

    def pairs(self) -> Iterator[Pair]:
        """Yield the links by the names of their nodes."""
        for one, other in self.edges.tolist():
            yield self.names[one], self.names[other]

    @cached_property
    def label_names(self) -> tuple[tuple[str | None, ...], ...]:
        """The different labels, in order; a label has an entry for each column in ``label``."""
        held = set(zip(*(self.columns[name] for name in self.label), strict=True)) if self.label else {()}
        return tuple(sorted(held, key=lambda one: tuple((text is not None, text or "") for text in one)))

    @cached_property
    def label_codes(self) -> Codes:
        """The label of each node, as its place in ``label_names``; 0 for all where there are no labels."""
        if not self.label:
            return np.zeros(len(self), np.int32)
        place = {label: at for at, label in enumerate(self.label_names)}
        rows = zip(*(self.columns[name] for name in self.label), strict=True)
        return np.fromiter((place[row] for row in rows), np.int32, len(self))

    def label_of(self, node: int) -> str:
        """Return the label of a node as one text; empty where there are none."""
        return ", ".join(text or "" for text in self.label_names[self.label_codes[node]])

    # ---- changing ----------------------------------------------------------------------------------------------------

    def with_edges(self, edges: Ints) -> Graph:
        """Return the same nodes with other links: pairs of numbers, each once."""
        starts, targets = compressed(edges, len(self))
        return replace(self, starts=starts, targets=targets, kinds={}, copies=None)

    def edited(self, add: Ints, remove: Ints) -> Graph:
        """Return the graph with links added and others removed; those there already or not there are refused."""
        width = np.int64(max(len(self), 1))
        held = _keys(self.edges, width)
        new, gone = _keys(add, width), _keys(remove, width)
        new, gone = np.sort(new), np.sort(gone)
        if among(held, new).any() or (new[1:] == new[:-1]).any():
            raise BadRequest("adds a link that is there already", parameter="add")
        if not among(held, gone).all():
            raise BadRequest("removes a link that is not there", parameter="remove")
        keys = np.concatenate((held[~among(gone, held)], new))
        return self.with_edges(np.stack((keys // width, keys % width), axis=1))

    def edit(self, add: Iterable[Pair] = (), remove: Iterable[Pair] = ()) -> Graph:
        """Return the graph with links added and removed, by the names of their nodes."""
        return self.edited(self._numbered(add), self._numbered(remove))

    def _numbered(self, pairs: Iterable[Pair]) -> Ints:
        return np.array([self.numbers(pair) for pair in pairs], np.int64).reshape(-1, 2)

    def joined(self, more: int, edges: Ints) -> Graph:
        """Return the graph with so many nodes more at the end, which nothing is known of, and all links given anew."""
        blank = {name: (*held, *[None] * more) for name, held in self.columns.items()}
        names = (*self.names, *(Dummy(at) for at in range(more)))
        starts, targets = compressed(edges, len(names))
        return replace(self, starts=starts, targets=targets, names=names, columns=blank, kinds={}, copies=None)

    def relabelled(self, order: Ints) -> Graph:
        """Return the graph with its nodes in another order and numbers for names: node ``order[i]`` becomes ``i + 1``."""
        place = np.empty(len(self), np.int64)
        place[order] = np.arange(len(self))
        at = order.tolist()
        copies = None if self.copies is None else Copies(self.copies.row[order], self.copies.column[order])
        starts, targets = compressed(place[self.edges], len(self))
        return replace(
            self,
            starts=starts,
            targets=targets,
            names=tuple(range(1, len(self) + 1)),
            columns={name: tuple(held[one] for one in at) for name, held in self.columns.items()},
            kinds={name: np.sort(place[edges], axis=1) for name, edges in self.kinds.items()},
            copies=copies,
        )

    def of_nodes(self, kept: Ints) -> Graph:
        """Return the part of the graph with these nodes, rising, and the links among them."""
        place = np.full(len(self), -1, np.int64)
        place[kept] = np.arange(len(kept))
        edges = place[self.edges]
        starts, targets = compressed(edges[(edges >= 0).all(axis=1)], len(kept))
        at = kept.tolist()
        columns = {name: tuple(held[one] for one in at) for name, held in self.columns.items()}
        names = tuple(self.names[one] for one in at)
        return replace(self, starts=starts, targets=targets, names=names, columns=columns, kinds={}, copies=None)

    def with_single(self, nodes: int) -> Graph:
        """Return the graph with so many nodes in all, for everybody to know: those that are not there yet have no link."""
        more = nodes - len(self)
        if more < 0:
            raise BadRequest(
                f"is fewer than the {len(self):,} nodes that are there", parameter="nodes.count", value=nodes
            )
        names = (*self.names, *(f"node without links {at + 1}" for at in range(more)))
        return replace(self.joined(more, self.edges), names=names, kinds=self.kinds, listed=True)

    def refuse_unlisted(self) -> None:
        """Refuse nodes that are there because they have links, where it is promised that no link is told."""
        if not self.listed:
            raise BadRequest(
                "nodes are those that have links, so that their number tells of links; list all (nodes: file), or say how "
                "many there are (nodes: count)",
                parameter="nodes",
            )

    def without_labels(self) -> Graph:
        """Return the graph as it looks to whoever knows no label."""
        return replace(self, label=())

    # ---- giving ------------------------------------------------------------------------------------------------------

    def to_networkx(self) -> networkx.Graph[Hashable]:
        """Return the graph as one of networkx, with what is known of the nodes."""
        import networkx

        made: networkx.Graph[Hashable] = networkx.Graph()
        for at, name in enumerate(self.names):
            made.add_node(name, **{key: held[at] for key, held in self.columns.items() if held[at] is not None})
        made.add_edges_from(self.pairs())
        return made

    def to_rustworkx(self) -> rustworkx.PyGraph[Hashable, None]:
        """Return the graph as one of rustworkx; the names of the nodes are what they carry."""
        import rustworkx

        made: rustworkx.PyGraph[Hashable, None] = rustworkx.PyGraph(multigraph=False)
        made.add_nodes_from(list(self.names))
        made.add_edges_from_no_data([(one, other) for one, other in self.edges.tolist()])
        return made


def compressed(edges: Ints, nodes: int) -> tuple[Ints, Codes]:
    """Return starts and targets of links between node numbers, each given once, in any order."""
    width = np.int64(max(nodes, 1))
    both = np.concatenate((edges, edges[:, ::-1])).astype(np.int64)
    keys = np.sort(both[:, 0] * width + both[:, 1])
    starts = np.zeros(nodes + 1, np.int64)
    np.cumsum(np.bincount(keys // width, minlength=nodes), out=starts[1:])
    return starts, (keys % width).astype(np.int32)


def different(numbers: Ints) -> Ints:
    """Return the different numbers, rising; sorting millions is quicker than hashing them."""
    held = np.sort(numbers)
    return held[np.append(True, held[1:] != held[:-1])] if len(held) else held


def among(rising: Ints, asked: Ints) -> Bools:
    """Tell of each asked number whether it is among rising ones.

    >>> among(np.array([2, 5]), np.array([1, 2, 5, 9])).tolist()
    [False, True, True, False]
    """
    at = np.searchsorted(rising, asked)
    found: Bools = np.append(rising, -1)[at] == asked  # numbers are not below 0
    return found


def _keys(edges: Ints, width: np.int64) -> Ints:
    return (
        edges.min(axis=1, initial=width) * width + edges.max(axis=1, initial=0) if len(edges) else np.empty(0, np.int64)
    )
