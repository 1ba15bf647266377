"""Super-node graph: sizes of groups of nodes, and how many links there are inside and between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from sfumato.contracts.certificate import Statement
from sfumato.contracts.facts import Facts
from sfumato.contracts.model import Requirement, Verdict
from sfumato.contracts.release import NOTHING_BESIDE, Beside, Parts, ReleaseKind, ReleaseTraits
from sfumato.data.frozen import frozen
from sfumato.data.json import Json
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.engines import read
from sfumato.errors import BadRequest
from sfumato.graphs.built import BuiltGraph
from sfumato.graphs.supernodes import Supernodes
from sfumato.graphs.traits import finds_nobody
from sfumato.kernels.arrays import Ints

__all__ = ["SupernodeFacts", "SupernodeGraph"]


@frozen(eq=False, repr=False, kw_only=True)
class SupernodeFacts(Facts):
    """What a clustering came to: super-nodes of so many nodes, and the logarithm of the number of possible worlds."""

    nodes: int
    supernodes: int
    log_worlds: float

    def words(self, *, chosen: bool = False) -> list[str]:
        """Say how many super-nodes there are and how much they leave open."""
        return [say("graph.supernodes", count=self.supernodes, nodes=self.nodes, worlds=self.log_worlds)]


class SupernodeGraph(ReleaseKind):
    """Groups of nodes with their sizes, and numbers of links inside and between them; no single node is published.

    The part ``supernodes`` has a row for each with its size, ``superedges`` a row for each pair with links, a super-node with
    itself among them. Numbers are those of a random order. Analysts draw possible worlds from it (:meth:`sampled`).

    Examples
    --------
    >>> from sfumato.graphs import Graph
    >>> graph = Graph.of([("a", "b"), ("b", "c"), ("c", "d")])
    >>> built = SupernodeGraph.build(Supernodes.of(graph, [["a", "b"], ["c", "d"]]), np.random.default_rng(0))
    >>> built.tables["supernodes"].to_rows(), SupernodeGraph().view(built.tables).worlds
    ([(1, 2), (2, 2)], 4)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 15.2.2, Figure 15.4.
    Hay, Miklau, Jensen, Towsley, Weis, "Resisting structural re-identification in anonymized social networks", 2008,
    doi:10.14778/1453856.1453873.
    """

    id: ClassVar[str] = "supernode-graph"
    shape: ClassVar[str] = "graph"
    traits: ClassVar[ReleaseTraits] = ReleaseTraits(
        truthful=True,
        mixed_granularity=False,
        verifiable=say("verifiable.rows_alone"),
        published="groups",
        stops=frozenset({"record"}),
        searched=True,
    )
    nouns: ClassVar[tuple[str, str]] = (say("noun.supernode"), say("noun.supernodes"))

    @classmethod
    def build(cls, found: Supernodes, rng: np.random.Generator) -> BuiltGraph:
        """Return the two tables of super-nodes, numbered at random."""
        number = rng.permutation(len(found.sizes))
        sizes = np.empty(len(number), np.int64)
        sizes[number] = found.sizes
        ends = np.sort(number[found.between[:, :2]], axis=1)
        rows = np.lexsort((ends[:, 1], ends[:, 0]))
        ends, links = ends[rows] + 1, found.between[rows, 2]
        return BuiltGraph(
            cls(),
            {
                "supernodes": read({"supernode": np.arange(1, len(sizes) + 1), "size": sizes}),
                "superedges": read(
                    {"from": ends[:, 0], "to": ends[:, 1], "links": links},
                    types={"from": "integer", "to": "integer", "links": "integer"},
                ),
            },
            masked=found.world(rng),
            world=True,
        )

    def part_names(self) -> tuple[str, ...]:
        return ("supernodes", "superedges")

    def roles(self) -> Mapping[str, Role]:
        return dict.fromkeys(("supernode", "size", "from", "to", "links"), Role.PLAIN)

    def view(self, parts: Parts) -> Supernodes:
        """Return the super-nodes that two tables stand for; refuse numbers that fit no graph."""
        tables = self.tables(parts)
        listed = _whole(tables["supernodes"].to_rows(), tables["supernodes"].columns, ("supernode", "size"))
        place = {number: at for at, (number, _) in enumerate(listed)}
        if len(place) < len(listed) or any(size < 1 for _, size in listed):
            raise BadRequest("a super-node is listed twice, or has no size", parameter="supernodes")
        rows = _whole(tables["superedges"].to_rows(), tables["superedges"].columns, ("from", "to", "links"))
        if any(one not in place or other not in place for one, other, _ in rows):
            raise BadRequest("links lead to a super-node that is not listed", parameter="superedges")
        held = np.array([(*sorted((place[one], place[other])), links) for one, other, links in rows], np.int64)
        between: Ints = held.reshape(-1, 3)
        found = Supernodes(np.array([size for _, size in listed], np.int64), between)
        if len(np.unique(between[:, :2], axis=0)) < len(between) or (between[:, 2] < 1).any():
            raise BadRequest("links of two super-nodes are there twice, or are none", parameter="superedges")
        if (between[:, 2] > found.rooms).any():
            raise BadRequest("has more links than there is room for", parameter="superedges")
        return found

    def sampled(self, parts: Parts, rng: np.random.Generator) -> object:
        """Return one of the graphs that fit what is published, each as likely as any other."""
        return self.view(parts).sampled(rng)

    def verify(
        self, parts: Parts, models: Sequence[Requirement], qids: Sequence[str], beside: Beside = NOTHING_BESIDE
    ) -> list[Verdict]:
        view = self.view(parts)
        return [model.judge(view) for model in models]

    def guarantee(self, parts: Parts) -> dict[str, Json]:
        """Return the logarithm of the number of possible worlds."""
        return {"log_possible_worlds": self.view(parts).log_worlds}

    def prevented(self, models: Sequence[Requirement]) -> list[str]:
        """Return what is stopped: finding a node is not where some may be alone."""
        return super().prevented([model for model in models if finds_nobody(model)])

    def statement(self) -> Statement:
        return Statement(checked=[say("statement.every_anew")], not_checkable=[say("statement.supernodes")])


def _whole(rows: Sequence[Sequence[object]], columns: Sequence[str], asked: tuple[str, ...]) -> list[tuple[int, ...]]:
    if set(columns) != set(asked):
        raise BadRequest(f"must have the columns {', '.join(asked)}", parameter="supernode-graph", value=list(columns))
    order = [list(columns).index(name) for name in asked]
    if any(not isinstance(row[at], int) for row in rows for at in order):
        raise BadRequest("must hold whole numbers", parameter="supernode-graph")
    return [tuple(int(str(row[at])) for at in order) for row in rows]
