"""The graph that a release was made from, in memory as one table: a row for each link, then one for each node."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.published import Published
from sfumato.data.text import to_text
from sfumato.engines import read
from sfumato.graphs.graph import Graph
from sfumato.graphs.releases.edited_graph import EditedGraph

__all__ = ["graph_before", "kept_table"]


def kept_table(graph: Graph) -> Table:
    """Return the links by the names of their nodes, then the nodes with what is known of them: these have no other end.

    >>> kept_table(Graph.of([("a", "b")], nodes=["a", "b", "c"])).to_rows()
    [('a', 'b'), ('a', None), ('b', None), ('c', None)]
    """
    texts = [to_text(name) for name in graph.names]
    one, other = graph.edges[:, 0].tolist(), graph.edges[:, 1].tolist()
    held: dict[str, list[str | None]] = {
        "from": [*(texts[at] for at in one), *texts],
        "to": [*(texts[at] for at in other), *[None] * len(texts)],
    }
    held |= {name: [*[None] * len(one), *values] for name, values in graph.columns.items()}
    return read(held, types=dict.fromkeys(held, "text"))


def graph_before(published: Published) -> Graph | None:
    """Return the graph before masking, where it is at hand: kept, or opened again; labels are those of the release."""
    raw = published.private.raw
    if raw is None or isinstance(raw, Graph):
        return raw
    rows = raw.as_rows()
    ends = rows.codes(["from", "to"])
    names = raw.dictionary("from").values
    place = {name: at for at, name in enumerate(names)}
    far = np.array([place[name] for name in raw.dictionary("to").values], np.int64)
    single = ends[:, 1] < 0
    pairs = np.stack((ends[~single, 0].astype(np.int64), far[ends[~single, 1]]), axis=1)
    order = np.empty(len(names), np.int64)
    order[ends[single, 0]] = np.flatnonzero(single)
    columns = {}
    for name in raw.columns[2:]:
        values = [*map(to_text, raw.dictionary(name).values), None]
        columns[name] = tuple(values[code] for code in rows.codes([name])[order, 0].tolist())
    form = published.form
    labels, sensitive = (form.labels, form.sensitive) if isinstance(form, EditedGraph) else ((), ())
    return replace(Graph.of_edges(names, np.sort(pairs, axis=1)), columns=columns, label=labels, sensitive=sensitive)
