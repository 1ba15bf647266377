"""Pictures of a published graph: degrees before and after, who is alone under which knowledge, the drawing of a small one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.contracts.picture import Bars, Curves, Line, Path, Picture, Plot
from sfumato.contracts.published import Published
from sfumato.contracts.run import Run
from sfumato.data.messages import say
from sfumato.graphs.attack import GraphSeen
from sfumato.graphs.graph import Graph
from sfumato.graphs.measure_kernels import distances
from sfumato.graphs.measures import path_lengths
from sfumato.graphs.original import graph_before
from sfumato.graphs.refinement import structures
from sfumato.kernels.arrays import Floats, Ints

__all__ = ["drawn", "laid_out"]

_DRAWN = 120  # nodes of a graph that is drawn whole
_PAIRS = 500


def drawn(published: Published, run: Run) -> Sequence[Picture]:
    """Return the pictures; what was before is only there where the raw links are."""
    seen = published.form.seen(published.tables)
    if not isinstance(seen, GraphSeen):
        return ()
    before, after = graph_before(published), seen.graph
    lines = [Line(name=say("graph.after"), points=_tail(after))]
    if before is not None:
        lines.append(Line(name=say("graph.before"), points=_tail(before), before=True))
    levels = structures(after, 4)[1:]
    alone_before = None if before is None else [float(one.alone) for one in structures(before, 4)[1:]]
    return [
        Curves(
            title=say("graph.degrees_title"),
            caption=say("graph.degrees_caption"),
            across=say("graph.degree"),
            up=say("graph.share"),
            lines=lines,
            log_across=True,
            log_up=True,
        ),
        Bars(
            title=say("graph.alone_title"),
            caption=say("graph.alone_caption"),
            labels=[f"H{at}" for at in range(1, 5)],
            after=[float(one.alone) for one in levels],
            before=alone_before,
        ),
        Curves(
            title=say("graph.sizes_title"),
            caption=say("graph.sizes_caption"),
            across=say("graph.size"),
            up=say("graph.share"),
            lines=[Line(name=f"H{at + 1}", points=_reaching(one.sizes)) for at, one in enumerate(levels[:3])],
            log_across=True,
        ),
        _paths(after, before),
        _network(after),
    ]


def _paths(after: Graph, before: Graph | None) -> Curves:
    lines = [Line(name=say("graph.after"), points=_reaching(path_lengths(after, pairs=_PAIRS).lengths))]
    if before is not None:
        points = _reaching(path_lengths(before, pairs=_PAIRS).lengths)
        lines.append(Line(name=say("graph.before"), points=points, before=True))
    return Curves(
        title=say("graph.paths_title"),
        caption=say("graph.paths_caption"),
        across=say("graph.path"),
        up=say("graph.pairs"),
        lines=lines,
    )


def _network(graph: Graph) -> Plot:
    """Draw a small graph, or the part of a larger one that lies around its first node, which is one at random."""
    shown = graph
    title, caption = say("graph.drawn_title"), say("graph.drawn_caption")
    if len(graph) > _DRAWN:
        away = distances(graph.starts, graph.targets, 0, -1).astype(np.int64)
        away[away < 0] = len(graph)
        kept = np.sort(np.argsort(away, kind="stable")[:_DRAWN])
        inside = np.isin(graph.edges, kept).all(axis=1)
        shown = Graph.of_edges(len(kept), np.searchsorted(kept, graph.edges[inside]))
        title, caption = say("graph.part_title"), say("graph.part_caption", shown=len(kept), nodes=len(graph))
    places = laid_out(shown)
    most = max(int(shown.degrees.max(initial=0)), 1)
    return Plot(
        title=title,
        caption=caption,
        paths=[Path(points=[_point(places, one), _point(places, other)]) for one, other in shown.edges.tolist()],
        points=[_point(places, node) for node in range(len(shown))],
        sizes=[0.2 + 0.8 * degree / most for degree in shown.degrees.tolist()],
    )


def laid_out(graph: Graph, rounds: int = 60) -> Floats:
    """Return places in the plane: links pull, all nodes push each other away (Fruchterman and Reingold 1991)."""
    nodes = len(graph)
    turn = np.arange(nodes) * 2.399963  # a spiral of sunflower seeds, the same for every run
    spread = np.sqrt(np.arange(nodes) + 0.5)[:, None] * np.stack((np.cos(turn), np.sin(turn)), axis=1)
    places: Floats = spread / max(np.sqrt(nodes), 1)
    near = 1 / max(np.sqrt(nodes), 1)
    for step in range(rounds):
        apart = places[:, None, :] - places[None, :, :]
        away = np.sqrt((apart**2).sum(axis=2)) + 1e-9
        push = (apart / away[:, :, None] ** 2 * near**2).sum(axis=1)
        pull = np.zeros_like(places)
        span = places[graph.owners] - places[graph.targets]
        length = np.sqrt((span**2).sum(axis=1))[:, None]
        np.add.at(pull, graph.owners, span * length / near)
        move = push - pull
        size = np.sqrt((move**2).sum(axis=1))[:, None] + 1e-9
        places = places + move / size * np.minimum(size, 0.1 * (1 - step / rounds))
    return places


def _tail(graph: Graph) -> list[tuple[float, float]]:
    """Return the share of nodes with at least so many links, for each degree that occurs but 0."""
    degrees = np.sort(graph.degrees)
    values = np.unique(degrees[degrees > 0])
    shares = 1 - np.searchsorted(degrees, values, side="left") / max(len(degrees), 1)
    return list(zip(values.astype(float).tolist(), shares.tolist(), strict=True))


def _reaching(values: Ints) -> list[tuple[float, float]]:
    """Return the share of values that are at most as large, for each value that occurs."""
    found, counts = np.unique(values, return_counts=True)
    shares = np.cumsum(counts) / max(len(values), 1)
    return list(zip(found.astype(float).tolist(), shares.tolist(), strict=True))


def _point(places: Floats, node: int) -> tuple[float, float]:
    return float(places[node, 0]), float(places[node, 1])
