"""The lattice of levels as a drawing: which choices satisfy the requirements, the best, and those with nothing finer below.

Small lattices are drawn node by node, from the raw table at the bottom to the fully masked one at the top. Larger ones are
summed up by height. Levels are numbers and columns are named; no value is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from markupsafe import Markup

from sfumato.contracts.exploration import Height
from sfumato.data.messages import tell
from sfumato.reports.charts import WIDTH, clip, framed, label_width, piece

__all__ = ["lattice_view", "node_text"]

Node = tuple[int, ...]

_BOX, _LAYER, _APART, _LINE = 20.0, 52.0, 8.0, 18.0


def node_text(node: Node) -> str:
    """Return the levels of a node.

    >>> node_text((1, 0, 2))
    '(1,0,2)'
    """
    return f"({','.join(map(str, node))})"


def lattice_view(
    key: str,
    columns: Sequence[str],
    top: Node,
    heights: Sequence[Height],
    states: Mapping[Node, bool],
    *,
    best: Node,
    minimal: Sequence[Node],
    proven: bool,
) -> Markup:
    """Draw the nodes of ``states``, or a summary of ``heights`` if there are none; ``key`` makes ids unique."""
    named = (
        tell("page.lattice.this_best", node=node_text(best))
        if proven
        else tell("page.lattice.best_found", node=node_text(best))
    )
    legend, y = _legend(columns, top, named)
    told = _told(heights, best, len(minimal), proven)
    if not states:
        parts, height = _summary(heights, best, minimal, y)
        return framed(key, tell("page.lattice.by_height"), told, height, [*legend, *parts])
    parts, height, width = _nodes(top, states, best, set(minimal), y)
    return framed(key, tell("page.lattice.title"), told, height, [*legend, *parts], max(width, WIDTH))


def _told(heights: Sequence[Height], best: Node, minimal: int, proven: bool) -> str:
    satisfied = sum(entry.satisfied for entry in heights)
    violated = sum(entry.violated for entry in heights)
    total = sum(entry.nodes for entry in heights)
    rest = total - satisfied - violated
    return tell(
        "page.lattice.told_best" if proven else "page.lattice.told",
        total=total,
        satisfied=satisfied,
        violated=violated,
        rest=rest,
        minimal=minimal,
        best=node_text(best),
    )


def _legend(columns: Sequence[str], top: Node, best: str) -> tuple[list[Markup], float]:
    """Say what the numbers of a node are, and what the signs mean."""
    parts = [piece('<text x="8" y="18" class="strong">{text}</text>', text=tell("page.lattice.levels_of"))]
    for at, (name, highest) in enumerate(zip(columns, top, strict=True)):
        parts.append(
            piece(
                '<text x="{x}" y="{y}">{name}<tspan class="soft">  {range}</tspan></text>',
                x=78.0,
                y=18 + at * _LINE,
                name=f"{at + 1}. {clip(name, 230.0)}",
                range=tell("page.lattice.range", highest=highest),
            )
        )
    for at, kind in enumerate(("yes", "no", "open")):
        parts.append(
            piece(
                '<rect x="430" y="{top}" width="22" height="12" rx="3" class="{kind}"/><text x="460" y="{y}">{words}</text>',
                top=8 + at * _LINE,
                y=18 + at * _LINE,
                kind=kind,
                words=tell(f"page.lattice.state.{kind}"),
            )
        )
    parts.append(
        piece(
            '<rect x="432" y="{ring}" width="18" height="8" rx="3" class="ring"/><text x="460" y="{y}">{best}</text>'
            '<rect x="430" y="{mark}" width="22" height="4" class="mark"/>'
            '<text x="460" y="{below}">{finest}</text>',
            finest=tell("page.lattice.nothing_finer"),
            ring=10 + 3 * _LINE,
            y=18 + 3 * _LINE,
            best=clip(best, 250.0),
            mark=12 + 4 * _LINE,
            below=18 + 4 * _LINE,
        )
    )
    return parts, 18 + max(len(columns), 5) * _LINE + 10


# ---- node by node --------------------------------------------------------------------------------------------------------


def _nodes(
    top: Node, states: Mapping[Node, bool], best: Node, minimal: set[Node], y: float
) -> tuple[list[Markup], float, float]:
    layers: dict[int, list[Node]] = {}
    for node in _every(top):
        layers.setdefault(sum(node), []).append(node)
    box = label_width(node_text(top)) + 10
    width = max(max(len(layer) for layer in layers.values()) * (box + _APART) + 2 * _APART, WIDTH)
    tallest = max(layers)
    at: dict[Node, tuple[float, float]] = {}
    for height, layer in layers.items():
        for place, node in enumerate(layer):
            middle = width / 2 + (place - (len(layer) - 1) / 2) * (box + _APART)
            at[node] = (middle, y + (tallest - height) * _LAYER + _BOX)
    lines = [
        piece(
            '<line x1="{x}" y1="{y}" x2="{to}" y2="{up}" class="thin"/>',
            x=at[node][0],
            y=at[node][1] - _BOX / 2,
            to=at[above][0],
            up=at[above][1] + _BOX / 2,
        )
        for node in at
        for above in _above(node, top)
    ]
    boxes = [_box(node, *place, box, states.get(node), node == best, node in minimal) for node, place in at.items()]
    return [*lines, *boxes], y + tallest * _LAYER + 2 * _BOX + 8, width


def _box(node: Node, x: float, y: float, width: float, state: bool | None, best: bool, minimal: bool) -> Markup:
    kind = "open" if state is None else "yes" if state else "no"
    marks = [tell("page.lattice.best")] if best else []
    marks += [tell("page.lattice.nothing_finer")] if minimal else []
    words = "; ".join([tell(f"page.lattice.state.{kind}"), *marks])
    parts = [
        piece(
            '<title>{label}: {words}</title><rect x="{x}" y="{y}" width="{width}" height="{box}" rx="4" class="{kind}"/>'
            '<text x="{middle}" y="{base}" class="middle {kind}">{label}</text>',
            label=node_text(node),
            words=words,
            x=x - width / 2,
            y=y - _BOX / 2,
            width=width,
            box=_BOX,
            kind=kind,
            middle=x,
            base=y + 4,
        )
    ]
    if best:
        parts.append(
            piece(
                '<rect x="{x}" y="{y}" width="{width}" height="{box}" rx="6" class="ring"/>',
                x=x - width / 2 - 3,
                y=y - _BOX / 2 - 3,
                width=width + 6,
                box=_BOX + 6,
            )
        )
    if minimal:
        parts.append(
            piece(
                '<rect x="{x}" y="{y}" width="{width}" height="4" class="mark"/>',
                x=x - width / 2 + 4,
                y=y + _BOX / 2 + 5,
                width=width - 8,
            )
        )
    return Markup("<g>{}</g>").format(Markup("").join(parts))


def _every(top: Node) -> Iterator[Node]:
    """Yield all nodes below and including the top, in attribute order."""
    if not top:
        yield ()
        return
    for first in range(top[0] + 1):
        for rest in _every(top[1:]):
            yield (first, *rest)


def _above(node: Node, top: Node) -> list[Node]:
    return [(*node[:i], level + 1, *node[i + 1 :]) for i, level in enumerate(node) if level < top[i]]


# ---- by height -----------------------------------------------------------------------------------------------------------


def _summary(heights: Sequence[Height], best: Node, minimal: Sequence[Node], y: float) -> tuple[list[Markup], float]:
    """Draw one bar per height: which share of its nodes satisfies, breaks something, or was not counted."""
    on_frontier = Counter(sum(node) for node in minimal)
    total = sum(entry.nodes for entry in heights)
    left, room = 64.0, 300.0
    parts = [
        piece(
            '<text x="8" y="{y}" class="strong">{words}</text><text x="8" y="{next}" class="soft">{height}</text>',
            height=tell("page.lattice.height"),
            y=y + 8,
            next=y + 26,
            words=tell("page.lattice.too_many", total=total),
        )
    ]
    start = y + 36
    for row, entry in enumerate(sorted(heights, key=lambda one: -one.height)):
        top = start + row * _LINE
        parts.append(
            piece(
                '<text x="{x}" y="{y}" class="end{strong}">{height}</text>',
                x=left - 10,
                y=top + 12,
                height=entry.height,
                strong=" strong" if entry.height == sum(best) else "",
            )
        )
        across = left
        shares = (
            ("yes", entry.satisfied),
            ("no", entry.violated),
            ("open", entry.nodes - entry.satisfied - entry.violated),
        )
        for kind, nodes in shares:
            wide = room * nodes / entry.nodes
            if nodes:
                parts.append(
                    piece(
                        "<g><title>{words}</title>"
                        '<rect x="{x}" y="{y}" width="{width}" height="12" class="{kind}"/></g>',
                        words=tell(
                            "page.lattice.at_height",
                            height=entry.height,
                            nodes=nodes,
                            words=tell(f"page.lattice.state.{kind}"),
                        ),
                        x=across,
                        y=top + 2,
                        width=max(wide - 1, 1.5),
                        kind=kind,
                    )
                )
            across += wide
        parts.append(_beside(entry, best, on_frontier[entry.height], left + room + 10, top))
    return parts, start + len(heights) * _LINE + 10


def _beside(entry: Height, best: Node, minimal: int, x: float, top: float) -> Markup:
    words = tell("page.lattice.of", satisfied=entry.satisfied, nodes=entry.nodes)
    marks = []
    if minimal:
        marks.append(tell("page.lattice.minimal", minimal=minimal))
    if entry.height == sum(best):
        marks.append(tell("page.lattice.best"))
    return piece(
        '{sign}<text x="{x}" y="{y}">{words}<tspan class="{kind}">  {marks}</tspan></text>',
        sign=piece('<rect x="{x}" y="{y}" width="6" height="6" class="mark"/>', x=x - 8, y=top + 5) if minimal else "",
        x=x + 2,
        y=top + 12,
        words=words,
        kind="strong" if entry.height == sum(best) else "soft",
        marks="; ".join(marks),
    )
