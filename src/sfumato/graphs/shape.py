"""Graphs as a shape of data: persons and the links between them."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from sfumato.contracts.adversary import Adversaries, Adversary
from sfumato.contracts.algorithm import Outcome
from sfumato.contracts.asked import Asked
from sfumato.contracts.engine import Table
from sfumato.contracts.knowledge import Knowledge, Seen
from sfumato.contracts.model import Requirement, Verdict
from sfumato.contracts.picture import Picture
from sfumato.contracts.published import Published, Release
from sfumato.contracts.run import Run
from sfumato.contracts.shape import Shape
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.engines import open_source
from sfumato.engines.sources import make_options
from sfumato.errors import BadRequest, Infeasible
from sfumato.graphs.algorithms.cluster_edge import told_links
from sfumato.graphs.attack import GraphKnowledge, GraphSeen
from sfumato.graphs.built import BuiltGraph
from sfumato.graphs.draft import drafted, profiled
from sfumato.graphs.graph import Graph
from sfumato.graphs.metric import Changed
from sfumato.graphs.models.k_anonymity import NodeKAnonymity
from sfumato.graphs.node_columns import MaskedColumns, done_to_columns, masked_columns
from sfumato.graphs.original import graph_before, kept_table
from sfumato.graphs.pictures import drawn
from sfumato.graphs.policy import GraphPolicy
from sfumato.graphs.releases.edited_graph import EditedGraph
from sfumato.graphs.sources import native, text_format
from sfumato.graphs.task import GraphTask
from sfumato.graphs.traits import reads_labels
from sfumato.publishing.certify import certify_outcome

__all__ = ["GraphRelease", "GraphShape", "PreparedGraph"]

_TOLD = (Role.QUASI_IDENTIFIER, Role.SENSITIVE, Role.PLAIN, Role.TARGET)  # others are never published
_OWN = ("node", "row", "copy", "from", "to")


@frozen(eq=False)
class PreparedGraph:
    """A graph of whose nodes it is settled what is known, may be known and must not be learnt.

    ``given`` is the same before its quasi-identifiers were masked.
    """

    masked: MaskedColumns
    policy: GraphPolicy
    given: Graph
    warnings: tuple[str, ...] = ()

    @property
    def graph(self) -> Graph:
        """The graph that algorithms change."""
        return self.masked.graph


@frozen(eq=False, kw_only=True, repr=False)
class GraphRelease(Release):
    """A release of a graph; ``public`` is a graph of the library that the input came in, if it came in one."""

    given: object = None

    @property
    def graph(self) -> Graph:
        """The published graph; refused where only groups of nodes are published."""
        if not isinstance(self.form, EditedGraph):
            raise BadRequest("publishes no single nodes", parameter="release", value=self.kind)
        return self.form.graph_of(self.tables)

    @property
    def public(self) -> Any:
        """The published graph in the type that came in, or the tables."""
        made = native(self.graph, self.given) if isinstance(self.form, EditedGraph) else None
        return super().public if made is None else made


class GraphShape(Shape[Graph, PreparedGraph, GraphTask, GraphKnowledge]):
    """Graphs: persons and the links between them.

    Examples
    --------
    >>> import sfumato
    >>> policy = {"shape": "graph", "requirements": [{"id": "k-degree-anonymity", "k": 2}]}
    >>> release = sfumato.anonymize([("ann", "bob"), ("ann", "eva"), ("ann", "tom"), ("eva", "tom")], policy)
    >>> {name: table.rows for name, table in release.tables.items()}
    {'nodes': 4, 'edges': 5}
    """

    id: ClassVar[str] = "graph"
    policy: ClassVar[type[Asked]] = GraphPolicy
    knowledge: ClassVar[type[Knowledge]] = GraphKnowledge

    def open(self, source: object, asked: Asked | None, run: Run) -> Graph:
        """Return the graph of pairs, of another library, of a file, or of a table with the columns that the policy names."""
        run.stage("reading")
        if isinstance(source, Graph):
            return source
        policy = asked if isinstance(asked, GraphPolicy) else None
        if policy is None:
            return Graph.of(source)
        form = policy.source.format
        plain = isinstance(source, (list, tuple)) or hasattr(source, "nodes") or text_format(source, form) is not None
        if not plain and not isinstance(source, Table):
            source = open_source(source, policy.engine, make_options(policy.source.model_dump()), run.memory)
        return Graph.of(
            source,
            nodes=policy.nodes.file,
            source_column=policy.edges.source,
            target_column=policy.edges.target,
            kind_column=policy.edges.kind,
            person=policy.person,
            repair=policy.mends(),
            format=form,
        )

    def prepare(self, data: Graph, asked: Asked, run: Run) -> PreparedGraph:
        """Settle the columns of the nodes; refuse what no change of links can meet."""
        policy = _policy(asked)
        run.stage("preparing")
        graph, told = _settled(data, policy)
        for model in policy.models():
            reason = model.necessary(len(graph))
            if reason is not None:
                raise Infeasible(reason, measured=len(graph), requirement=model.id)
        counts = {one.name: int(getattr(graph.mended, one.name)) for one in fields(graph.mended)}
        told += [say("graph.mended", **counts)] if any(counts.values()) else []
        shown, alike = policy.search().traits.release == EditedGraph.id, _alike(policy.models())
        if alike and not graph.label:
            raise BadRequest(
                "is about quasi-identifiers of nodes, and no column of these has that role",
                parameter="requirements",
                value=NodeKAnonymity.id,
            )
        if shown and graph.label and not any(reads_labels(model) for model in policy.models()):
            judged = say("graph.labels_apart", columns=list(graph.label))
            told.append(judged if alike else say("graph.labels_alone", columns=list(graph.label)))
        for warning in told:
            logging.getLogger("sfumato").warning(warning)
        if not alike or not shown:
            return PreparedGraph(MaskedColumns(graph), policy, graph, tuple(told))
        return PreparedGraph(masked_columns(graph, policy, alike, run), policy, graph, tuple(told))

    def task(self, prepared: PreparedGraph, external: Graph | None) -> GraphTask:
        """Return the graph with what must hold and what may be changed."""
        policy = prepared.policy
        asked = [model for model in policy.models() if not isinstance(model, NodeKAnonymity)]
        return GraphTask(prepared.graph, asked, policy.limits.lose_at_most, alike=_alike(policy.models()))

    def release(
        self, prepared: PreparedGraph, outcome: Outcome, task: GraphTask, seed: int, source: object, run: Run
    ) -> Release:
        """Measure what was built beside what was read, and certify it."""
        policy, measured = prepared.policy, [*prepared.masked.loss]
        if isinstance(outcome.built, BuiltGraph):
            columns = [model for model in policy.models() if isinstance(model, NodeKAnonymity)]
            GraphTask(task.graph, columns).refuse_violations(outcome.built.masked, policy.search().id)
            changed = Changed(task.graph, outcome.built.masked)
            fit = [one for one in policy.measures() if not outcome.built.world or getattr(one, "of_worlds", False)]
            measured += [one.measure(changed) for one in fit]
            outcome = replace(outcome, built=_told_masks(outcome.built, prepared))
        made = certify_outcome(
            replace(outcome, facts=replace(outcome.facts, seed=seed)),
            policy,
            policy.search().id,
            read=len(task.graph),
            measured=measured,
            warnings=prepared.warnings,
            raw=kept_table(prepared.given),
            by_record=outcome.built is not None and isinstance(outcome.built.kind, EditedGraph),
        )
        return GraphRelease(**{one.name: getattr(made, one.name) for one in fields(made)}, given=source)

    def judge(self, data: Graph, models: Sequence[Requirement], asked: Asked, worst: int) -> list[Verdict]:
        """Judge a graph as it stands."""
        graph = _columns(data, _policy(asked))
        return [model.judge(graph, worst=worst) for model in models]

    def original(self, published: Published, source: object, run: Run) -> Graph:
        """Open the graph before masking as it was prepared; one with another number of nodes is another graph."""
        policy = published.private.policy
        if isinstance(policy, GraphPolicy) and isinstance(source, (str, Path)):
            policy = policy.beside(Path(source).parent)
        graph = self.open(source, policy, run)
        if isinstance(policy, GraphPolicy):
            graph = _settled(graph, policy)[0]
        meant = published.certified.counts.get("records_read", len(graph))
        if len(graph) != meant:
            raise BadRequest(
                f"has {len(graph):,} nodes to publish, the release was made from {meant:,}: this is another graph",
                parameter="raw",
            )
        return graph

    def see(self, published: Published, told: Mapping[str, object], *, learns: bool) -> tuple[Seen, GraphKnowledge]:
        """Return the graph, and what the adversary was told."""
        seen = published.form.seen(published.tables)
        learn = told.get("sensitive") or tuple(name for name in seen.of_role(Role.SENSITIVE))
        names = (learn,) if isinstance(learn, str) else tuple(str(name) for name in learn)  # type: ignore[attr-defined]
        bribes, raw = told.get("bribes"), told.get("raw")
        return seen, GraphKnowledge(
            learn=names,
            raw=graph_before(published) if raw is None else self.original(published, raw, Run()),
            planted=told.get("planted"),
            bribes=bribes if isinstance(bribes, int) else None,
        )

    def adversaries(self, published: Published, told: Mapping[str, object]) -> Adversaries[GraphKnowledge]:
        """Return the one who reads the release, and the graph before to compare."""
        seen, known = self.see(published, told, learns=True)
        before = replace(seen, graph=known.raw) if known.raw is not None and isinstance(seen, GraphSeen) else None
        one = Adversary(seen, known, before)
        return Adversaries([one], [one], [])

    def pictures(self, published: Published, run: Run) -> Sequence[Picture]:
        """Return curves of degrees, how many nodes are alone under each knowledge, and a drawing of a small graph."""
        return drawn(published, run)

    def draft(self, source: object, k: int, run: Run) -> str:
        """Return a commented policy with the columns that probably hold links."""
        return drafted(source, k, run)

    def profile(self, source: object, run: Run) -> Sequence[str]:
        """Say how many nodes and links there are, and how many nodes are alone."""
        return profiled(source, run)


def _told_masks(built: BuiltGraph, prepared: PreparedGraph) -> BuiltGraph:
    """Return what was built with the operations of the columns that are not published as they were given."""
    if not isinstance(built.kind, EditedGraph) or not built.kind.labels:
        return built
    done = done_to_columns(prepared.given, prepared.masked, built.masked)
    return replace(built, kind=replace(built.kind, masked=done)) if done else built


def _policy(asked: Asked) -> GraphPolicy:
    assert isinstance(asked, GraphPolicy), "a graph is asked for by a policy for graphs"
    return asked


def _alike(models: Sequence[Requirement]) -> int:
    """Return how many nodes must share their quasi-identifiers; 0 where nobody asks."""
    return max((model.k for model in models if isinstance(model, NodeKAnonymity)), default=0)


def _settled(data: Graph, policy: GraphPolicy) -> tuple[Graph, list[str]]:
    """Return the graph of which something may be told, and what to say of what may not."""
    if not len(data):
        raise BadRequest("has no node", parameter="source")
    graph, hidden = _columns(data, policy), policy.edges.sensitive
    if policy.nodes.count is not None:
        if policy.nodes.file is not None:
            raise BadRequest("is known where nodes are listed", parameter="nodes.count", value=policy.nodes.count)
        graph = graph.with_single(policy.nodes.count)
    if not hidden:
        return graph, []
    # Before anything is searched or measured, so that no figure tells of them.
    kept = told_links(graph, hidden)
    told: list[str] = [say("graph.kinds_removed", count=graph.links - kept.links, kinds=list(hidden))]
    if policy.nodes.file is None and policy.nodes.count is None and graph.degrees.all() and not kept.degrees.all():
        told.append(say("graph.left_alone", count=int((kept.degrees == 0).sum())))
        kept = kept.of_nodes(np.flatnonzero(kept.degrees))
    if not len(kept):
        raise BadRequest("has no link of another kind", parameter="edges.sensitive", value=list(hidden))
    return kept, told


def _columns(data: Graph, policy: GraphPolicy) -> Graph:
    """Return the graph with the columns that the policy names, and the taxonomy of the one label that has one."""
    asked = policy.nodes.columns
    lacking = [name for name in asked if name not in data.columns]
    if lacking:
        raise BadRequest(
            "is not a column of the nodes", parameter="nodes.columns", value=lacking[0], available=list(data.columns)
        )
    taken = [name for name in asked if asked[name].role in _TOLD and name in _OWN]
    if taken:
        raise BadRequest("is what a column of the release is called", parameter="nodes.columns", value=taken[0])
    labels = policy.of_role(Role.QUASI_IDENTIFIER) if asked else data.label
    kept = {name: held for name, held in data.columns.items() if name in asked and asked[name].role in _TOLD}
    tree = data.tree
    if len(labels) == 1 and asked:
        builder = policy.taxonomy(labels[0])
        if builder is not None:
            tree = builder.build([text for text in dict.fromkeys(data.columns[labels[0]]) if text], column=labels[0])
    return replace(
        data,
        columns=kept if asked else {name: data.columns[name] for name in (*data.label, *data.sensitive)},
        label=labels,
        sensitive=policy.of_role(Role.SENSITIVE) if asked else data.sensitive,
        tree=tree,
    )
