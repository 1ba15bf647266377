"""A drawing as a file of its own: with a name space and the colours that a page would otherwise give it."""

from __future__ import annotations

from markupsafe import Markup

__all__ = ["standalone"]

# Written out instead of variables, which few programs for drawings know. Text has a contrast of 4.5 or more on its ground.
_STYLE = """
svg { font: 12px system-ui, -apple-system, "Segoe UI", sans-serif; }
text { fill: #23262b; } .soft { fill: #5a6270; } .strong { font-weight: 600; }
.end { text-anchor: end; } .middle { text-anchor: middle; }
.paper { fill: #ffffff; } .bar { fill: #2c6e73; } .bar.none { fill: #a3a8ad; }
.bar.before { fill: #ffffff; stroke: #2c6e73; stroke-width: 1.5; stroke-dasharray: 4 2; } .bar.before.none { stroke: #a3a8ad; }
.way { stroke: #a3a8ad; stroke-width: 2; } .band { fill: #2c6e73; } .band.other { fill: #bcd7d6; } .edge { stroke: #23262b; }
.rail { fill: #e9e9e4; } .grid { stroke: #dcdcd6; }
.twig { stroke: #8d949b; fill: none; } .thin { stroke: #d3d5d2; }
.dot { fill: #ffffff; stroke: #2c6e73; stroke-width: 1.5; } .dot.on { fill: #2c6e73; }
.yes { fill: #2c6e73; stroke: #2c6e73; } .no { fill: #ffffff; stroke: #a1242b; stroke-dasharray: 3 2; }
.open { fill: #ffffff; stroke: #8d949b; } .ring { fill: none; stroke: #23262b; stroke-width: 2.5; } .mark { fill: #b35c00; }
text.yes { fill: #ffffff; stroke: none; } text.no { fill: #a1242b; stroke: none; } text.open { fill: #5a6270; stroke: none; }
"""


def standalone(drawing: Markup) -> str:
    """Return a drawing as an SVG document that needs no page around it."""
    opening, _, rest = str(drawing).partition(">")
    framed = opening.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    ground = '<rect width="100%" height="100%" class="paper"/>'
    # Title and description come first, so that every reader finds them.
    head, found, body = rest.partition("</desc>")
    return f"{framed}>{head}{found}<style>{_STYLE}</style>{ground}{body}\n"
