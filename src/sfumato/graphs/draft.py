"""Looking at a graph before anybody wrote a policy: which columns hold links, and what singles people out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from sfumato.contracts.engine import Table
from sfumato.contracts.run import Run
from sfumato.data.commented_yaml import commented_yaml
from sfumato.data.messages import say
from sfumato.engines import read
from sfumato.errors import BadRequest
from sfumato.graphs.graph import Graph
from sfumato.graphs.refinement import structures
from sfumato.graphs.sources import REPAIRS, text_format

__all__ = ["drafted", "profiled"]

_FROM = re.compile(r"from|source|caller|sender|follower|u$|node_?1|a$", re.IGNORECASE)
_TO = re.compile(r"to$|target|called|callee|receiver|recipient|followed|v$|node_?2|b$", re.IGNORECASE)
_HOW = {"loops": "drop", "duplicates": "merge", "directed": "undirect"}

_HEAD = """\
# Drafted from the data; every line is a proposal. Read it once, change what you know better, then run
#   sfumato anonymize DATA --policy THIS_FILE -o OUT
# Names of nodes are always replaced. A table of nodes with what is known of them can be named:
#   nodes: {file: people.csv, columns: {town: {role: quasi-identifier}, party: {role: sensitive}}}
# `sfumato describe` explains every id used here.
"""

_REQUIREMENT = """\
who knows how many links a person has finds at least k nodes
who knows more needs more: {id: k-candidate-anonymity, k: 5, rounds: 2}, {id: k-neighborhood-anonymity, k: 5}"""

_ALGORITHM = """\
adds links until that holds; mode: edit also removes some and changes less; against all knowledge of the structure:
algorithm: {id: supernode-clustering}"""


def drafted(source: object, k: int, run: Run) -> str:
    """Return a commented policy: the columns of links, k-degree anonymity, what has to be mended."""
    graph, ends = _opened(source, run)
    if len(graph) < 2:
        raise BadRequest("has fewer than two nodes, which cannot look like each other", parameter="source")
    document: dict[str, object] = {"version": 1, "shape": "graph"}
    if ends is not None:
        document["edges"] = {"from": ends[0], "to": ends[1]}
    document["requirements"] = [{"id": "k-degree-anonymity", "k": min(k, len(graph))}]
    document["algorithm"] = {"id": "supergraph-generation", "mode": "edit"}
    said = {"requirements": _REQUIREMENT, "algorithm": _ALGORITHM}
    mended = graph.mended
    counts = {"loops": mended.loops, "duplicates": mended.duplicates, "directed": mended.reversed}
    repair = {name: _HOW[name] for name, count in counts.items() if count}
    if repair:
        document["repair"] = repair
        said["repair"] = ", ".join(f"{name}: {counts[name]:,} links" for name in repair)
    return _HEAD + commented_yaml(document, said)


def profiled(source: object, run: Run) -> Sequence[str]:
    """Return sentences on a graph: how many nodes and links, and how many nodes are alone under each knowledge."""
    graph, _ = _opened(source, run)
    degrees = graph.degrees
    said: list[str] = [
        say(
            "graph.profile",
            nodes=len(graph),
            links=graph.links,
            isolated=int((degrees == 0).sum()),
            largest=int(degrees.max(initial=0)),
        )
    ]
    run.stage("counting")
    for rounds, classes in enumerate(structures(graph, 3)):
        if rounds:
            said.append(
                say("graph.alone", rounds=rounds, count=classes.alone, share=classes.alone / max(len(graph), 1))
            )
    return said


def _opened(source: object, run: Run) -> tuple[Graph, tuple[str, str] | None]:
    """Return the graph, whatever has to be mended in it, with the columns that probably hold links, if it has columns."""
    run.stage("reading")
    if isinstance(source, Graph):
        return source, None
    plain = isinstance(source, (list, tuple)) or hasattr(source, "nodes") or text_format(source, None) is not None
    if plain or (not isinstance(source, (str, Path, Table)) and not hasattr(source, "columns")):
        return Graph.of(source, repair=REPAIRS), None
    table = source if isinstance(source, Table) else read(source)
    names = list(table.columns)
    first = next((name for name in names if _FROM.search(name)), None) or (names[0] if names else None)
    second = next((name for name in names if _TO.search(name) and name != first), None)
    second = second or next((name for name in names if name != first), None)
    if first is None or second is None:
        raise BadRequest("needs two columns, one for each node of a link", parameter="source", available=names)
    return Graph.of(table, source_column=first, target_column=second, repair=REPAIRS), (first, second)
