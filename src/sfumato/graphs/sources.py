"""Where graphs come from: pairs in memory, other libraries, text files of links, GraphML, frames and files with columns."""

from __future__ import annotations

import gzip
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.data.frozen import frozen
from sfumato.data.text import to_text
from sfumato.engines import read
from sfumato.errors import BadRequest
from sfumato.graphs.graph import Graph, Mended, different
from sfumato.kernels.arrays import Ints

__all__ = ["REPAIRS", "native", "opened", "text_format"]

REPAIRS = ("loops", "duplicates", "directed", "unknown")
"""What may be mended while reading."""

_ENDINGS = (".txt", ".edges", ".edgelist", ".el")


@frozen(eq=False)
class _Read:
    """Nodes and links as they are read: pairs of places in ``names``, in the given direction and maybe more than once."""

    names: tuple[Hashable, ...]
    pairs: Ints
    columns: Mapping[str, tuple[str | None, ...]]
    directed: bool = False
    kinds: tuple[tuple[str, ...], Ints] | None = None  # names of kinds, and the kind of each pair


def opened(
    source: object,
    *,
    nodes: object,
    columns: tuple[str | None, str | None, str | None],
    person: str | None,
    repair: frozenset[str],
    format: str | None,  # noqa: A002
) -> Graph:
    """Return the graph of a source; what is no simple graph is refused, or mended where that was asked for."""
    strange = sorted(repair - set(REPAIRS))
    if strange:
        raise BadRequest("is nothing that can be mended", parameter="repair", value=strange[0], available=REPAIRS)
    made = _read(source, columns, format)
    unknown = 0
    if nodes is not None:
        made, unknown = _listed(made, nodes, person)
        if unknown and "unknown" not in repair:
            raise BadRequest(
                f"{unknown} nodes have links and are not among the nodes listed; list them, or say repair: unknown: add",
                parameter="nodes",
            )
    own = _is(source, "networkx") or _is(source, "rustworkx") or text_format(source, format) == "graphml"
    listed = unknown == 0 if nodes is not None else own
    return replace(_simple(made, repair, unknown), listed=listed)


def native(graph: Graph, source: object) -> object | None:
    """Return a graph in the type of another library that a source has, or nothing if it has none."""
    if _is(source, "networkx"):
        made: object = graph.to_networkx()
        return made
    return graph.to_rustworkx() if _is(source, "rustworkx") else None


def text_format(source: object, format: str | None) -> str | None:  # noqa: A002
    """Return ``edges`` for a text file with two names on a line, ``graphml`` for that; nothing for other sources."""
    if format in ("edges", "graphml"):
        return format
    if format is not None or not isinstance(source, (str, Path)):
        return None
    name = str(source).removesuffix(".gz")
    return "graphml" if name.endswith(".graphml") else "edges" if name.endswith(_ENDINGS) else None


def _is(source: object, library: str) -> bool:
    return type(source).__module__.split(".")[0] == library and hasattr(source, "nodes")


def _read(source: object, columns: tuple[str | None, str | None, str | None], format: str | None) -> _Read:  # noqa: A002
    if _is(source, "networkx"):
        return _networkx(source)
    if _is(source, "rustworkx"):
        return _rustworkx(source)
    form = text_format(source, format)
    if form is not None and isinstance(source, (str, Path)):
        data = _bytes(Path(source))
        return _graphml(data, Path(source).name) if form == "graphml" else _lines(data, Path(source).name)
    if isinstance(source, (str, Path, Table)) or hasattr(source, "columns") or isinstance(source, Mapping):
        return _table(source if isinstance(source, Table) else read(source, format=format), columns)
    if isinstance(source, Iterable):
        return _of_pairs(list(source))
    raise BadRequest("must be links, a graph, a frame or a file", parameter="source", value=type(source).__name__)


# ---- in memory -----------------------------------------------------------------------------------------------------------


def _ordered(names: Iterable[Hashable]) -> tuple[Hashable, ...]:
    """Return names in the order of their numbers, if all are numbers, or of their texts."""
    held = list(names)
    if all(isinstance(name, int) for name in held):
        return tuple(sorted(held, key=lambda name: int(str(name))))
    return tuple(sorted(held, key=to_text))


def _of_pairs(pairs: Sequence[object]) -> _Read:
    for pair in pairs:
        if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
            raise BadRequest("a link must be a pair of nodes", parameter="source", value=type(pair).__name__)
    held: list[tuple[Hashable, Hashable]] = [(pair[0], pair[1]) for pair in pairs]  # type: ignore[index]
    names = _ordered({name for pair in held for name in pair})
    place = {name: at for at, name in enumerate(names)}
    numbered = np.array([(place[one], place[other]) for one, other in held], np.int64).reshape(-1, 2)
    return _Read(names, numbered, {})


def _networkx(source: object) -> _Read:
    names = tuple(source.nodes)  # type: ignore[attr-defined]
    place = {name: at for at, name in enumerate(names)}
    pairs = [(place[one], place[other]) for one, other in source.edges()]  # type: ignore[attr-defined]
    known = {name: dict(source.nodes[name]) for name in names}  # type: ignore[attr-defined]
    keys = dict.fromkeys(str(key) for held in known.values() for key in held)
    columns = {key: tuple(_text(known[name].get(key)) for name in names) for key in keys}
    return _Read(names, np.array(pairs, np.int64).reshape(-1, 2), columns, bool(source.is_directed()))  # type: ignore[attr-defined]


def _rustworkx(source: object) -> _Read:
    indices = list(source.node_indices())  # type: ignore[attr-defined]
    place = {index: at for at, index in enumerate(indices)}
    held = [source[index] for index in indices]  # type: ignore[index]
    usable = len(held) == len({one for one in held if isinstance(one, Hashable) and one is not None})
    names = tuple(held) if usable else tuple(indices)
    pairs = [(place[one], place[other]) for one, other in source.edge_list()]  # type: ignore[attr-defined]
    return _Read(names, np.array(pairs, np.int64).reshape(-1, 2), {}, type(source).__name__ == "PyDiGraph")


def _text(value: object) -> str | None:
    return None if value is None else to_text(value)


# ---- files ---------------------------------------------------------------------------------------------------------------


def _bytes(path: Path) -> bytes:
    try:
        data = path.read_bytes()
        data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
        data.decode("utf-8")
    except FileNotFoundError:
        raise BadRequest("there is no such file", parameter="source", value=str(path)) from None
    except (OSError, EOFError, UnicodeDecodeError):
        raise BadRequest("is not a text file of links", parameter="source", value=path.name) from None
    return data


def _lines(data: bytes, name: str) -> _Read:
    lines = [line for line in data.splitlines() if line.strip() and not line.lstrip().startswith((b"#", b"%", b"//"))]
    words = [line.split() for line in lines[:1000]]
    if any(len(line) < 2 for line in words):
        raise BadRequest("must have two nodes on each line", parameter="source", value=name)
    wide = any(len(line) > 2 for line in words)
    if not wide and all(word.isdigit() for line in words for word in line):
        try:
            numbers = np.fromstring(b" ".join(lines), np.int64, sep=" ")
            if len(numbers) == 2 * len(lines):
                held, places = np.unique(numbers, return_inverse=True)
                return _Read(tuple(held.tolist()), places.reshape(-1, 2).astype(np.int64), {})
        except ValueError:
            pass  # a name further down is no number
    split = [line.decode().split()[:2] for line in lines]
    if any(len(pair) < 2 for pair in split):
        raise BadRequest("must have two nodes on each line", parameter="source", value=name)
    return _of_pairs([tuple(pair) for pair in split])


def _graphml(data: bytes, name: str) -> _Read:
    try:
        root = ElementTree.fromstring(data)
    except ElementTree.ParseError:
        raise BadRequest("is no GraphML", parameter="source", value=name) from None
    space = root.tag.removesuffix("graphml")
    graph = root.find(f"{space}graph")
    if graph is None:
        raise BadRequest("holds no graph", parameter="source", value=name)
    keys = {key.get("id"): key.get("attr.name") or key.get("id") or "" for key in root.findall(f"{space}key")}
    nodes = graph.findall(f"{space}node")
    names = tuple(str(node.get("id")) for node in nodes)
    place = {one: at for at, one in enumerate(names)}
    pairs = [(edge.get("source"), edge.get("target")) for edge in graph.findall(f"{space}edge")]
    if any(one not in place or other not in place for one, other in pairs):
        raise BadRequest("has links of nodes that it does not hold", parameter="source", value=name)
    known = [{keys.get(data.get("key"), ""): data.text for data in node.findall(f"{space}data")} for node in nodes]
    columns = {key: tuple(held.get(key) for held in known) for key in dict.fromkeys(k for held in known for k in held)}
    numbered = np.array([(place[str(one)], place[str(other)]) for one, other in pairs], np.int64).reshape(-1, 2)
    return _Read(names, numbered, columns, graph.get("edgedefault") == "directed")


# ---- columns -------------------------------------------------------------------------------------------------------------


def _table(table: Table, columns: tuple[str | None, str | None, str | None]) -> _Read:
    first, second, kind = columns
    known = list(table.columns)
    if first is None or second is None:
        if len(known) != 2 and {"from", "to"} - set(known):
            raise BadRequest(
                "say which columns hold the two nodes of a link", parameter="edges", value=known, available=known
            )
        first, second = ("from", "to") if {"from", "to"} <= set(known) else known
    for name, key in ((first, "edges.from"), (second, "edges.to"), (kind, "edges.kind")):
        if name is not None and name not in table.types:
            raise BadRequest("is not a column", parameter=key, value=name, available=known)
        if name is not None and table.missing().get(name):
            raise BadRequest("links lack a node or a kind", column=name, value=table.missing()[name])
    rows = table.as_rows().codes([first, second])
    ends = [list(table.dictionary(name).values) for name in (first, second)]
    names = _ordered({_plain(value) for held in ends for value in held})
    place = {name: at for at, name in enumerate(names)}
    numbered = [np.array([place[_plain(value)] for value in held], np.int64) for held in ends]
    pairs = np.stack([at[rows[:, side]] if len(at) else rows[:, side] for side, at in enumerate(numbered)], axis=1)
    made = _Read(names, pairs.astype(np.int64), {})
    if kind is None:
        return made
    called = tuple(to_text(value) for value in table.dictionary(kind).values)
    return replace(made, kinds=(called, table.as_rows().codes([kind])[:, 0].astype(np.int64)))


def _plain(value: object) -> Hashable:
    return value if isinstance(value, int) and not isinstance(value, bool) else to_text(value)


def _listed(made: _Read, nodes: object, person: str | None) -> tuple[_Read, int]:
    """Return what was read with the nodes that are listed first, and how many others have links."""
    columns: Mapping[str, tuple[str | None, ...]]
    if isinstance(nodes, (str, Path, Table)) or hasattr(nodes, "columns") or isinstance(nodes, Mapping):
        names, columns = _node_table(nodes if isinstance(nodes, Table) else read(nodes), person)
    elif isinstance(nodes, Iterable):
        names, columns = tuple(nodes), {}
    else:
        raise BadRequest("must be names, a frame or a file", parameter="nodes", value=type(nodes).__name__)
    if len(set(names)) < len(names):
        raise BadRequest(f"{len(names) - len(set(names))} nodes are listed more than once", parameter="nodes")
    if set(map(type, names)) != set(map(type, made.names)):  # one side may have read numbers as texts
        names = tuple(to_text(name) for name in names)
        made = replace(made, names=tuple(to_text(name) for name in made.names))
    place = {name: at for at, name in enumerate(names)}
    more = [name for name in made.names if name not in place]
    place.update({name: len(names) + at for at, name in enumerate(more)})
    moved = np.array([place[name] for name in made.names], np.int64)
    pairs = moved[made.pairs] if len(made.pairs) else made.pairs
    columns = {name: (*held, *[None] * len(more)) for name, held in columns.items()}
    return replace(made, names=(*names, *more), pairs=pairs, columns=columns), len(more)


def _node_table(table: Table, person: str | None) -> tuple[tuple[Hashable, ...], dict[str, tuple[str | None, ...]]]:
    name = table.columns[0] if person is None else person
    if name not in table.types:
        raise BadRequest("is not a column of the nodes", parameter="person", value=name, available=table.columns)
    if table.missing().get(name):
        raise BadRequest("rows do not say whose they are", column=name, value=table.missing()[name])
    held: dict[str, list[object]] = {}
    for column in table.columns:
        values = [*table.dictionary(column).values, None]
        held[column] = [values[code] for code in table.as_rows().codes([column])[:, 0].tolist()]
    names = tuple(_plain(value) for value in held[name])
    return names, {key: tuple(_text(one) for one in values) for key, values in held.items() if key != name}


# ---- making it simple ----------------------------------------------------------------------------------------------------


def _simple(made: _Read, repair: frozenset[str], unknown: int) -> Graph:
    if made.directed and "directed" not in repair:
        raise BadRequest(
            "links have a direction, and the graph is meant to have none; say repair: directed: undirect",
            parameter="source",
        )
    loops = made.pairs[:, 0] == made.pairs[:, 1]
    if loops.any() and "loops" not in repair:
        raise BadRequest(
            f"{int(loops.sum())} links lead from a node to itself; take them out, or say repair: loops: drop",
            parameter="source",
        )
    pairs = made.pairs[~loops]
    width = np.int64(max(len(made.names), 1))
    keys = pairs.min(axis=1, initial=width) * width + pairs.max(axis=1, initial=0) if len(pairs) else pairs[:, 0]
    kinds = None if made.kinds is None else made.kinds[1][~loops]
    doubled, turned = _repeated(pairs, keys, kinds)
    if turned and "directed" not in repair:
        raise BadRequest(
            f"{turned} links are there in both directions; say repair: directed: undirect", parameter="source"
        )
    if doubled and "duplicates" not in repair:
        raise BadRequest(f"{doubled} links are there more than once; say repair: duplicates: merge", parameter="source")
    held = different(keys)
    edges = np.stack((held // width, held % width), axis=1)
    graph = Graph.of_edges(made.names, edges)
    by_kind: dict[str, Ints] = {}
    if made.kinds is not None and kinds is not None:
        for at, name in enumerate(made.kinds[0]):
            own = different(keys[kinds == at])
            by_kind[name] = np.stack((own // width, own % width), axis=1)
    return replace(
        graph, columns=made.columns, kinds=by_kind, mended=Mended(int(loops.sum()), doubled, turned, unknown)
    )


def _repeated(pairs: Ints, keys: Ints, kinds: Ints | None) -> tuple[int, int]:
    """Return how many links are there once more in the same direction, and how many in the other one."""
    if not len(keys):
        return 0, 0
    at = np.zeros(len(keys), np.int64) if kinds is None else kinds
    most = int(at.max()) + 1
    down = (pairs[:, 0] > pairs[:, 1]).astype(np.int64)
    directed = len(different((keys * most + at) * 2 + down))
    either = len(different(keys * most + at))
    return len(keys) - directed, directed - either
