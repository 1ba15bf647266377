"""A line plot as SVG text: panels side by side, one legend each, a logarithmic first axis or an even one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from xml.sax.saxutils import escape

from sfumato.data.frozen import frozen

__all__ = ["Line", "Panel", "line_plot"]

# Told apart by eyes of all kinds, and by their lightness in print.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#000000")

_WIDTH, _HEIGHT = 400, 340
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 16, 34, 120
_LABEL_GAP = 26


@frozen
class Line:
    """Points in rising order of the first coordinate; ``dashed`` is for levels that do not depend on it."""

    label: str
    points: tuple[tuple[float, float], ...]
    colour: int = 0
    dashed: bool = False


@frozen
class Panel:
    """One plot with its title."""

    title: str
    lines: tuple[Line, ...]


def line_plot(panels: Sequence[Panel], *, x: str, y: str, even: bool = False) -> str:
    """Return the panels as one SVG document; all share the axes' names and the vertical scale.

    Equal ratios of the first coordinate are equal distances, or equal differences if ``even``.
    """
    values = [value for panel in panels for line in panel.lines for _, value in line.points]
    low, high, step = _limits(values)
    width = _WIDTH * max(len(panels), 1)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {_HEIGHT}" width="{width}" height="{_HEIGHT}" '
        'font-family="sans-serif" font-size="11">',
        f'<rect width="{width}" height="{_HEIGHT}" fill="white"/>',
    ]
    for number, panel in enumerate(panels):
        parts.append(f'<g transform="translate({number * _WIDTH} 0)">')
        parts += _panel(panel, (low, high, step), x, y, even)
        parts.append("</g>")
    return "\n".join([*parts, "</svg>", ""])


def _limits(values: Sequence[float]) -> tuple[float, float, float]:
    """Return round ends of the vertical axis and the step between its marks."""
    if not values:
        return 0.0, 1.0, 0.2
    step = _step(max(values) - min(values))
    low, high = math.floor(min(values) / step) * step, math.ceil(max(values) / step) * step
    return (low, high, step) if low < high else (low - step, high + step, step)


def _step(span: float) -> float:
    """Return a round step that cuts the span into about five parts."""
    rough = max(span, 1e-9) / 5
    power = 10.0 ** math.floor(math.log10(rough))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)


def _panel(panel: Panel, scale: tuple[float, float, float], x: str, y: str, even: bool) -> list[str]:
    low, high, step = scale
    firsts = sorted({first for line in panel.lines for first, _ in line.points})
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM

    def away(first: float) -> float:
        return first - firsts[0] if even else math.log(first / firsts[0])

    def across(first: float) -> float:
        return _LEFT + (right - _LEFT) * (away(first) / away(firsts[-1]) if len(firsts) > 1 else 0.5)

    def down(value: float) -> float:
        return bottom - (bottom - _TOP) * (value - low) / (high - low)

    out = [
        f'<text x="{(_LEFT + right) / 2:.1f}" y="18" text-anchor="middle" font-size="13">{escape(panel.title)}</text>',
        f'<path d="M{_LEFT} {_TOP}V{bottom}H{right}" fill="none" stroke="black"/>',
        f'<text x="{(_LEFT + right) / 2:.1f}" y="{bottom + 30}" text-anchor="middle">{escape(x)}</text>',
        f'<text transform="translate(14 {(_TOP + bottom) / 2:.1f}) rotate(-90)" text-anchor="middle">{escape(y)}</text>',
    ]
    for mark in range(round((high - low) / step) + 1):
        value = low + mark * step
        out.append(f'<path d="M{_LEFT} {down(value):.1f}H{right}" stroke="#dddddd"/>')
        out.append(f'<text x="{_LEFT - 5}" y="{down(value) + 4:.1f}" text-anchor="end">{value:g}</text>')
    last = -math.inf
    for first in firsts:
        if across(first) - last >= _LABEL_GAP:
            last = across(first)
            out.append(f'<text x="{last:.1f}" y="{bottom + 14}" text-anchor="middle">{first:g}</text>')
    for number, line in enumerate(panel.lines):
        out += _line(line, [(across(first), down(value)) for first, value in line.points])
        out += _legend(line, _LEFT + (number % 2) * (right - _LEFT) / 2, bottom + 50 + 15 * (number // 2))
    return out


def _stroke(line: Line) -> str:
    dashes = ' stroke-dasharray="5 3"' if line.dashed else ""
    return f'fill="none" stroke="{COLOURS[line.colour % len(COLOURS)]}" stroke-width="1.6"{dashes}'


def _line(line: Line, places: Sequence[tuple[float, float]]) -> list[str]:
    path = " ".join(f"{across:.1f},{down:.1f}" for across, down in places)
    out = [f'<polyline points="{path}" {_stroke(line)}/>']
    if not line.dashed:
        colour = COLOURS[line.colour % len(COLOURS)]
        out += [f'<circle cx="{across:.1f}" cy="{down:.1f}" r="2.6" fill="{colour}"/>' for across, down in places]
    return out


def _legend(line: Line, left: float, down: float) -> list[str]:
    return [
        f'<path d="M{left:.1f} {down:.1f}h22" {_stroke(line)}/>',
        f'<text x="{left + 27:.1f}" y="{down + 4:.1f}">{escape(line.label)}</text>',
    ]
