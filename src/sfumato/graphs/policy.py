"""What the publisher asks for where data are a graph: which columns hold links, what is known of nodes, what may be mended."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Literal, Self

from pydantic import ConfigDict, Field

from sfumato.catalogue import build
from sfumato.contracts.hierarchy import HierarchyBuilder
from sfumato.contracts.thing import Thing
from sfumato.data.json import Json
from sfumato.data.schema import Role
from sfumato.policy import LimitPolicy, Section, SharedPolicy, Spec, SpecOrId

__all__ = ["EdgePolicy", "GraphLimits", "GraphPolicy", "NodeColumn", "NodePolicy", "RepairPolicy"]


class EdgePolicy(Section):
    """Which columns hold the links."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        populate_by_name=True,
        serialize_by_alias=True,
    )

    source: str | None = Field(default=None, alias="from")
    """The column with one node of a link; the first of two columns if not given."""
    target: str | None = Field(default=None, alias="to")
    """The column with the other node."""
    kind: str | None = None
    """The column that says of what kind a link is, if there are several kinds."""
    sensitive: tuple[str, ...] = ()
    """Kinds of links that nobody should learn."""


class NodeColumn(Section):
    """What a column of the nodes is."""

    role: Role
    """What the column is: quasi-identifier, sensitive or plain; identifiers and what is private or dropped are not told."""
    hierarchy: SpecOrId | None = None
    """How its values become more general: the id of a hierarchy and its parameters."""


class NodePolicy(Section):
    """What is known of the nodes."""

    file: str | None = None
    """The table of the nodes, beside the policy; without one, nodes are those that have links."""
    count: int | None = Field(default=None, ge=1)
    """How many nodes there are, for everybody to know, where no table lists them; those without a link are added."""
    columns: dict[str, NodeColumn] = Field(default_factory=dict)
    """The columns that are used; others are left out."""
    by: SpecOrId = "mondrian"
    """The algorithm of tables that masks quasi-identifiers where k-anonymity is asked for: its id, or id and parameters."""

    def masking(self) -> Mapping[str, object]:
        """Return the algorithm of tables by id and parameters."""
        return {"id": self.by} if isinstance(self.by, str) else self.by


class RepairPolicy(Section):
    """What may be mended and counted instead of refused."""

    loops: Literal["drop"] | None = None
    """Links from a node to itself are dropped."""
    duplicates: Literal["merge"] | None = None
    """Links that are there more than once are merged."""
    directed: Literal["undirect"] | None = None
    """Directions of links are forgotten."""
    unknown: Literal["add"] | None = None
    """Nodes that have links and are not in the table of nodes are added."""


class GraphLimits(LimitPolicy):
    """What the search may not exceed."""

    lose_at_most: float | None = Field(default=None, ge=0.0)
    """Largest number of links added and removed, as a share of the links that there were; any number if not given."""


class GraphPolicy(SharedPolicy):
    """A policy for a graph."""

    person: str | None = None
    """The column of the table of nodes that names them; its first one if not given. Names are never published."""
    edges: EdgePolicy = EdgePolicy()
    """Which columns hold the links."""
    nodes: NodePolicy = NodePolicy()
    """What is known of the nodes."""
    repair: RepairPolicy = RepairPolicy()
    """What may be mended and counted instead of refused; nothing if not given."""
    limits: GraphLimits = GraphLimits()
    """What the search may not exceed."""
    algorithm: Spec = Field(default={"id": "supergraph-generation"})
    """Id and parameters of the algorithm."""
    metrics: tuple[SpecOrId, ...] = (
        "edge-edits",
        "graph-utility-measures",
        "community-similarity",
        "centrality-overlap",
        "nodes-alone",
    )
    """Metrics to report: ids, or id and parameters."""

    def of_role(self, role: Role) -> tuple[str, ...]:
        """Return the columns of the nodes with a role, in order."""
        return tuple(name for name, column in self.nodes.columns.items() if column.role is role)

    def roles(self) -> dict[str, Role]:
        """Return the role of each column of the nodes."""
        return {name: column.role for name, column in self.nodes.columns.items()}

    def mends(self) -> tuple[str, ...]:
        """Return what may be mended."""
        return tuple(name for name, how in self.repair if how is not None)

    def beside(self, folder: Path) -> Self:
        """Return the policy of a release folder: a table of nodes that is not where it was is looked for beside the links."""
        file = self.nodes.file
        if file is None or Path(file).exists():
            return self
        return self.model_copy(update={"nodes": self.nodes.model_copy(update={"file": str(folder / Path(file).name)})})

    def taxonomy(self, column: str) -> HierarchyBuilder | None:
        """Return what the taxonomy of a column is built by, if there is one."""
        given = self.nodes.columns[column].hierarchy
        return None if given is None else build(given, "hierarchy")

    def _things(self) -> Iterator[tuple[tuple[str | int, ...], Callable[[], Thing]]]:
        yield from super()._things()
        yield ("nodes", "by"), partial(build, self.nodes.by, "algorithm", "table")
        for name, column in self.nodes.columns.items():
            given = column.hierarchy
            if given is not None and not (isinstance(given, dict) and given.get("file") is not None):
                yield ("nodes", "columns", name, "hierarchy"), partial(build, given, "hierarchy")

    def _with_files_read(self, base: Path) -> Self:
        """Return the policy with its taxonomies read in, and the place of its table of nodes as seen from here."""
        columns = {}
        for name, column in self.nodes.columns.items():
            given = column.hierarchy
            if isinstance(given, dict) and given.get("file") is not None:
                column = column.model_copy(update={"hierarchy": build(given, "hierarchy").resolved(base).spec()})
            columns[name] = column
        file = None if self.nodes.file is None else str(base / self.nodes.file)
        nodes = self.nodes.model_copy(update={"columns": columns, "file": file})
        return self.model_copy(update={"nodes": nodes})

    def _fingerprinted(self) -> dict[str, Json]:
        """Return what the digest is made of: not where the table of nodes lies."""
        out = super()._fingerprinted()
        nodes = out.get("nodes")
        if isinstance(nodes, dict):
            out["nodes"] = {key: value for key, value in nodes.items() if key != "file"}
        return out

    @classmethod
    def _known_keys(cls, path: Sequence[str | int]) -> list[str]:
        inside: dict[str, type[Section]] = {"nodes": NodePolicy, "limits": GraphLimits, "repair": RepairPolicy}
        if len(path) > 1 and path[0] == "edges":
            return ["from", "to", "kind", "sensitive"]
        if len(path) > 3 and path[0] == "nodes":
            return list(NodeColumn.model_fields)
        if len(path) > 1 and str(path[0]) in inside:
            return list(inside[str(path[0])].model_fields)
        return super()._known_keys(path)
