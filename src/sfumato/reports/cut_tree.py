"""A cut drawn as an indented tree with a bar beside each published value.

Only nodes at or above the cut are drawn: below it lie raw values, and trees that were computed from the data have nothing
else there.
"""

from __future__ import annotations

from collections.abc import Container, Mapping

from markupsafe import Markup

from sfumato.data.messages import tell
from sfumato.data.tree import Tree
from sfumato.recodings.tree_recoding import TreeRecoding
from sfumato.reports.charts import clip, framed, piece
from sfumato.reports.words import number, percent, printable

__all__ = ["MOST_NODES", "cut_tree", "drawn_nodes"]

MOST_NODES = 60

_ROW = 22.0
_INDENT = 18.0
_STANDS = 300.0
_BARS = 396.0
_ROOM = 200.0


def drawn_nodes(recoding: TreeRecoding, held: Container[str] | None = None) -> list[int]:
    """Return the published nodes and everything above them, from the root down.

    ``held`` are the labels that records carry. A label that none carries may be that of a person who was left out.
    """
    tree: Tree = recoding.tree
    kept: set[int] = set()
    for node in _published(recoding, held):
        while node >= 0 and node not in kept:
            kept.add(node)
            node = int(tree.parent[node])
    return sorted(kept)


def _published(recoding: TreeRecoding, held: Container[str] | None) -> list[int]:
    return [node for node in recoding.cut_nodes() if held is None or recoding.tree.labels[node] in held]


def cut_tree(key: str, title: str, recoding: TreeRecoding, counts: Mapping[str, int], total: int) -> Markup:
    """Draw the tree down to the cut; published nodes are filled and carry their number of records."""
    tree: Tree = recoding.tree
    nodes = drawn_nodes(recoding, counts)
    cut = set(_published(recoding, counts))
    row = {node: index + 1 for index, node in enumerate(nodes)}
    most = max((counts.get(tree.labels[node], 0) for node in cut), default=0) or 1
    parts = [
        piece('<text x="{x}" y="14" class="soft">{text}</text>', x=at, text=text)
        for at, text in (
            (4.0, tell("page.tree.published_value")),
            (_STANDS, tell("page.tree.stands_for")),
            (_BARS, tell("page.tree.records")),
        )
    ]
    for node in nodes:
        x = 8 + _INDENT * int(tree.depth[node])
        y = row[node] * _ROW + 10
        above = int(tree.parent[node])
        if above >= 0:
            parts.append(
                piece(
                    '<path d="M{left} {top}V{y}H{x}" class="twig"/>',
                    left=8 + _INDENT * int(tree.depth[above]),
                    top=row[above] * _ROW + 15,
                    y=y,
                    x=x - 5,
                )
            )
        label = tree.labels[node]
        published = node in cut
        parts.append(
            piece(
                '<g><title>{full}</title><circle cx="{x}" cy="{y}" r="4.5" class="{dot}"/>'
                '<text x="{after}" y="{base}" class="{text}">{label}</text></g>',
                full=tell("page.curve.published", words=printable(label)) if published else printable(label),
                x=x,
                y=y,
                dot="dot on" if published else "dot",
                after=x + 10,
                base=y + 4,
                text="strong" if published else "soft",
                label=clip(label, _STANDS - x - 16),
            )
        )
        if published:
            stands = (
                tell("page.tree.values", count=len(recoding.represented[label]))
                if tree.children[node]
                else tell("page.tree.itself")
            )
            parts.append(_beside(stands, counts.get(label, 0), most, total, y))
    told = "; ".join(
        f"{printable(tree.labels[node], 60)}: {number(counts.get(tree.labels[node], 0))}"
        for node in nodes
        if node in cut
    )
    return framed(key, title, tell("page.tree.told", told=told), (len(nodes) + 1) * _ROW + 2, parts)


def _beside(stands: str, count: int, most: int, total: int, y: float) -> Markup:
    return piece(
        '<text x="{stands_at}" y="{base}" class="soft">{stands}</text>'
        '<rect x="{left}" y="{top}" width="{width}" height="14" rx="2" class="bar"/>'
        '<text x="{after}" y="{base}">{count} <tspan class="soft">{share}</tspan></text>',
        stands_at=_STANDS,
        stands=stands,
        base=y + 4,
        left=_BARS,
        top=y - 7,
        width=max(_ROOM * count / most, 1.0 if count else 0.0),
        after=_BARS + _ROOM * count / most + 6,
        count=number(count),
        share=percent(count, total),
    )
