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
from sfumato.graphs.refinement import structures
from sfumato.kernels.arrays import Floats

__all__ = ["drawn", "laid_out"]

_DRAWN = 120  # nodes of a graph that is still drawn


def drawn(published: Published, run: Run) -> Sequence[Picture]:
    """Return the pictures; what was before is only there where the raw links are."""
    seen = published.form.seen(published.tables)
    if not isinstance(seen, GraphSeen):
        return ()
    raw = published.private.raw
    before = None if raw is None else Graph.of(raw)
    after = seen.graph
    lines = [Line(name=say("graph.after"), points=_tail(after))]
    if before is not None:
        lines.append(Line(name=say("graph.before"), points=_tail(before), before=True))
    alone = [classes.alone for classes in structures(after, 4)[1:]]
    alone_before = None if before is None else [float(one.alone) for one in structures(before, 4)[1:]]
    found: list[Picture] = [
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
            after=[float(one) for one in alone],
            before=alone_before,
        ),
    ]
    if len(after) <= _DRAWN:
        places = laid_out(after)
        paths = [Path(points=[_point(places, one), _point(places, other)]) for one, other in after.edges.tolist()]
        most = max(int(after.degrees.max(initial=0)), 1)
        found.append(
            Plot(
                title=say("graph.drawn_title"),
                caption=say("graph.drawn_caption"),
                paths=paths,
                points=[_point(places, node) for node in range(len(after))],
                sizes=[0.2 + 0.8 * degree / most for degree in after.degrees.tolist()],
            )
        )
    return found


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


def _point(places: Floats, node: int) -> tuple[float, float]:
    return float(places[node, 0]), float(places[node, 1])
