"""What an experiment found that is no error curve: claims, a table of its own, panels of its own."""

from __future__ import annotations

from dataclasses import field

from sfumato.data.frozen import frozen
from sfumato.experiments.line_plot import Panel, line_plot
from sfumato.experiments.result import ExperimentResult

__all__ = ["SeriesResult"]


@frozen(eq=False, kw_only=True)
class SeriesResult(ExperimentResult):
    """A result with measured values as texts, and panels to draw; ``x`` and ``y`` name the axes."""

    header: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    heading: str
    panels: tuple[Panel, ...] = field(default=())
    x: str = ""
    y: str = ""

    def series(self) -> list[tuple[str, ...]]:
        """Return the measured values as texts."""
        return list(self.values)

    def series_columns(self) -> tuple[str, ...]:
        return self.header

    def series_title(self) -> str:
        return self.heading

    def to_svg(self) -> str:
        """Return the panels side by side."""
        return line_plot(self.panels, x=self.x, y=self.y, even=True)
