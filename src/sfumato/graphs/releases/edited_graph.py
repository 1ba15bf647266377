"""Edited graph: nodes with random numbers and the links between them, some added, some removed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from sfumato.contracts.certificate import Statement
from sfumato.contracts.engine import SourceOptions, Table
from sfumato.contracts.knowledge import Seen
from sfumato.contracts.model import Requirement, Verdict
from sfumato.contracts.release import NOTHING_BESIDE, Beside, Parts, ReleaseKind, ReleaseTraits
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.data.schema import ColumnType, Role
from sfumato.data.text import to_text
from sfumato.engines import open_source, read
from sfumato.errors import BadRequest
from sfumato.graphs.attack import GraphSeen
from sfumato.graphs.graph import Copies, Graph, compressed, different
from sfumato.graphs.traits import finds_nobody, reads_labels
from sfumato.kernels.arrays import Ints

__all__ = ["EditedGraph"]

_WHOLE = {"from": ColumnType.INTEGER, "to": ColumnType.INTEGER}
_LINKS = SourceOptions(types=_WHOLE, may_be_empty=True)  # noise may leave no link at all


class EditedGraph(ReleaseKind):
    """Nodes with fresh numbers, what is told of them, and the links between them; links may have been added and removed.

    The part ``nodes`` has a row for each node, also for those without a link; ``edges`` has a row for each link, the smaller
    number first. Numbers are those of a random order. ``row`` and ``copy`` say, where the graph was made of copies, which
    nodes correspond to each other.

    Adversary: reads both tables and knows something of a person's place among the others.

    Examples
    --------
    >>> kind = EditedGraph()
    >>> parts = kind.parts_of(Graph.of([(1, 2), (2, 3)]))
    >>> parts["edges"].to_rows()
    [(1, 2), (2, 3)]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 15.3.
    """

    id: ClassVar[str] = "edited-graph"
    shape: ClassVar[str] = "graph"
    traits: ClassVar[ReleaseTraits] = ReleaseTraits(
        truthful=False,
        mixed_granularity=False,
        verifiable=say("verifiable.rows_alone"),
        stops=frozenset({"record"}),
        searched=True,
    )
    nouns: ClassVar[tuple[str, str]] = (say("noun.node_class"), say("noun.node_classes"))

    labels: tuple[str, ...] = param(default=(), doc="columns of the nodes that an adversary may know")
    sensitive: tuple[str, ...] = param(default=(), doc="columns of the nodes that nobody should learn")
    plain: tuple[str, ...] = param(default=(), doc="other columns of the nodes, told as they are")
    copies: bool = param(default=False, doc="whether it is told which nodes correspond to each other")
    masked: Mapping[str, str] | None = param(
        default=None, doc="columns of the nodes that were masked, and what was done to each"
    )

    def validate(self) -> None:
        """Refuse masked columns that do not say what was done to each."""
        super().validate()
        given: object = self.masked
        if given is not None and not isinstance(given, Mapping):
            raise BadRequest("must say by name what was done to each", parameter=f"{self.id}.masked")

    def part_names(self) -> tuple[str, ...]:
        return ("nodes", "edges")

    def roles(self) -> Mapping[str, Role]:
        plain = ("node", *(("row", "copy") if self.copies else ()), *self.plain, "from", "to")
        known = dict.fromkeys(self.labels, Role.QUASI_IDENTIFIER) | dict.fromkeys(self.sensitive, Role.SENSITIVE)
        return known | dict.fromkeys(plain, Role.PLAIN)

    def parts_of(self, graph: Graph) -> dict[str, Table]:
        """Return the two tables of a graph whose names are whole numbers."""
        columns: dict[str, object] = {"node": list(graph.names)}
        if graph.copies is not None:
            columns |= {"row": graph.copies.row + 1, "copy": graph.copies.column + 1}
        names = np.array(graph.names, np.int64)
        ends = names[graph.edges]
        types = dict.fromkeys(graph.columns, "text")
        held = {name: list(graph.columns[name]) for name in graph.columns}
        return {
            "nodes": read({**columns, **held}, types={"node": "integer", **types}),
            "edges": open_source({"from": ends[:, 0], "to": ends[:, 1]}, None, _LINKS),
        }

    def graph_of(self, parts: Parts) -> Graph:
        """Return the graph that two tables stand for; refuse tables that do not fit together."""
        tables = self.tables(parts)
        nodes, edges = tables["nodes"], tables["edges"]
        asked = ("node", *self.labels, *self.sensitive, *self.plain, *(("row", "copy") if self.copies else ()))
        for table, columns, whole in ((nodes, asked, ("node",)), (edges, ("from", "to"), ("from", "to"))):
            lacking = [name for name in columns if name not in table.types]
            if lacking:
                raise BadRequest("lacks a column", parameter=self.id, value=lacking[0], available=table.columns)
            if any(table.missing().get(name) for name in whole):
                raise BadRequest("has gaps where a node must be", parameter=self.id)
        names = nodes.dictionary("node").values
        if len(names) < nodes.rows:
            raise BadRequest("a node is listed twice", parameter="nodes")
        place = {value: at for at, value in enumerate(names)}
        ends = [edges.dictionary(name).values for name in ("from", "to")]
        if not all(value in place for held in ends for value in held):
            raise BadRequest("a link is that of a node that is not listed", parameter="edges")
        rows = edges.as_rows().codes(["from", "to"])
        places = [np.array([place[value] for value in held], np.int64) for held in ends]
        pairs: Ints = np.stack(
            [places[side][rows[:, side]] if len(rows) else rows[:, side] for side in (0, 1)], axis=1
        ).astype(np.int64)
        pairs = np.sort(pairs, axis=1)
        keys = pairs[:, 0] * len(names) + pairs[:, 1]
        if (pairs[:, 0] == pairs[:, 1]).any() or len(different(keys)) < len(pairs):
            raise BadRequest("a link is there twice, or leads from a node to itself", parameter="edges")
        order = nodes.as_rows().codes(["node"])[:, 0]
        held = {name: _column(nodes, name, order) for name in nodes.columns if name not in ("node", "row", "copy")}
        copies = None
        if self.copies:
            row, column = (_whole(_column(nodes, name, order), name) for name in ("row", "copy"))
            copies = Copies(row - 1, column - 1)
        return Graph(
            *compressed(pairs, len(names)),
            tuple(names),
            held,
            self.labels,
            self.sensitive,
            copies=copies,
        )

    def verify(
        self, parts: Parts, models: Sequence[Requirement], qids: Sequence[str], beside: Beside = NOTHING_BESIDE
    ) -> list[Verdict]:
        graph = self.graph_of(parts)
        return [model.judge(graph) for model in models]

    def seen(self, parts: Parts) -> Seen:
        tables = self.tables(parts)
        return GraphSeen(tables["nodes"], tables, roles=self.roles(), graph=self.graph_of(parts))

    def prevented(self, models: Sequence[Requirement]) -> list[str]:
        """Return what is stopped: finding a node is not where some may be alone, or columns be known that none reads."""
        strict = [model for model in models if finds_nobody(model)]
        judged = not self.labels or any(reads_labels(model) for model in strict)
        return [family for family in super().prevented(strict) if judged or family != "record"]

    def statement(self) -> Statement:
        return Statement(checked=[say("statement.every_anew")], not_checkable=[say("statement.links_changed")])

    def truth(self) -> str:
        """Single links may be false; naive relabelling, which changes none, promises no more."""
        return say("truth.edited_graph")

    def operation(self, column: str) -> str:
        return "graph-data-model" if column in ("node", "from", "to") else (self.masked or {}).get(column, "none")


def _column(
    table: Table, name: str, order: Ints | np.ndarray[tuple[int, ...], np.dtype[np.int32]]
) -> tuple[str | None, ...]:
    """Return a column of the nodes as texts, in the order of the nodes' numbers."""
    values = [*(to_text(value) for value in table.dictionary(name).values), None]
    out: list[str | None] = [None] * table.rows
    for at, code in zip(order.tolist(), table.as_rows().codes([name])[:, 0].tolist(), strict=True):
        out[at] = values[code]
    return tuple(out)


def _whole(texts: tuple[str | None, ...], name: str) -> Ints:
    try:
        return np.array([int(text or "") for text in texts], np.int64)
    except ValueError:
        raise BadRequest("must be whole numbers", column=name) from None
