"""What an experiment found: claims with verdicts, error curves, a plot, and the sentences about what does not agree."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest
from sfumato.experiments.claims import Claim
from sfumato.experiments.error_curves import Curve
from sfumato.experiments.line_plot import Line, Panel, line_plot

__all__ = ["ExperimentResult"]

CLAIM_COLUMNS = ("figure", "claim", "paper", "measured", "difference", "verdict")
ERROR_COLUMNS = ("figure", "top", "k", "BE", "AE", "UE", "AE-BE", "UE-AE", "AE standard error", "AE spread", "n_test")


@frozen(eq=False)
class ExperimentResult:
    """The outcome of one run; errors are per cent, differences per cent points."""

    experiment: str
    title: str
    paper: str
    setting: tuple[str, ...]
    claims: tuple[Claim, ...]
    curves: tuple[Curve, ...]
    deviations: tuple[str, ...] = ()

    def rows(self) -> list[tuple[str, ...]]:
        """Return the claims as texts: figure, claim, paper, measured, difference, verdict."""
        return [claim.cells for claim in self.claims]

    def series(self) -> list[tuple[str, ...]]:
        """Return every measured error as texts: one row for each curve and k."""
        return [
            (
                curve.figure,
                f"Top{curve.top}",
                str(point.k),
                f"{curve.baseline.percent:.2f}",
                f"{point.error.percent:.2f}",
                f"{curve.upper.percent:.2f}",
                f"{curve.cost(point):.2f}",
                f"{curve.upper.percent - point.error.percent:.2f}",
                f"{100 * point.error.standard_error:.2f}",
                "" if point.error.spread is None else f"{100 * point.error.spread:.2f}",
                str(point.error.n_test),
            )
            for curve in self.curves
            for point in curve.points
        ]

    def series_columns(self) -> tuple[str, ...]:
        """Return the names of the columns of :meth:`series`."""
        return ERROR_COLUMNS

    def series_title(self) -> str:
        """Return what :meth:`series` lists, in words."""
        return "Errors in per cent, differences in points:"

    def document(self) -> dict[str, object]:
        """Return claims, figures and deviations in a form that JSON takes."""
        return {
            "experiment": self.experiment,
            "title": self.title,
            "paper": self.paper,
            "setting": list(self.setting),
            "claims": [dict(zip(CLAIM_COLUMNS, row, strict=True)) for row in self.rows()],
            "figures": [dict(zip(self.series_columns(), row, strict=True)) for row in self.series()],
            "deviations": list(self.deviations),
        }

    def to_text(self) -> str:
        """Return setting, claims, errors and deviations as aligned text."""
        return "\n".join(
            [
                f"{self.experiment}: {self.title}",
                self.paper,
                *self.setting,
                "",
                *_aligned(CLAIM_COLUMNS, self.rows()),
                "",
                self.series_title(),
                *_aligned(self.series_columns(), self.series()),
                "",
                "What is known not to agree, and what agrees by construction:",
                *(f"- {sentence}" for sentence in self.deviations),
                "",
            ]
        )

    def to_svg(self) -> str:
        """Return the error against k, one panel for each figure, with ``BE`` and ``UE`` as dashed levels."""
        panels = []
        for figure, group in groupby(self.curves, key=lambda curve: curve.figure):
            curves = list(group)
            ends = (curves[0].points[0].k, curves[0].points[-1].k)
            lines = [Line("BE", tuple((k, curves[0].baseline.percent) for k in ends), colour=5, dashed=True)]
            for number, curve in enumerate(curves):
                points = tuple((point.k, point.error.percent) for point in curve.points)
                level = tuple((k, curve.upper.percent) for k in ends)
                lines.append(Line(f"AE Top{curve.top}", points, colour=number))
                lines.append(Line(f"UE Top{curve.top}", level, colour=number, dashed=True))
            panels.append(Panel(figure, tuple(lines)))
        return line_plot(panels, x="k", y="classification error, per cent")

    def save(self, folder: str | Path) -> Path:
        """Write ``table.csv`` (claims), ``errors.csv``, ``plot.svg`` and ``summary.txt`` to a folder and return it."""
        target = Path(folder)
        files = {
            "table.csv": _csv(CLAIM_COLUMNS, self.rows()),
            "errors.csv": _csv(self.series_columns(), self.series()),
            "plot.svg": self.to_svg(),
            "summary.txt": self.to_text(),
        }
        try:
            target.mkdir(parents=True, exist_ok=True)
            for name, text in files.items():
                (target / name).write_text(text, encoding="utf-8", newline="\n")
        except OSError as error:
            raise BadRequest(
                f"cannot be written ({error.strerror or type(error).__name__})", parameter="folder", value=str(target)
            ) from None
        return target


def _csv(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()


def _aligned(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    table = [header, *rows]
    widths = [max(len(row[place]) for row in table) for place in range(len(header))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in table]
    return [lines[0], "  ".join("-" * width for width in widths), *lines[1:]]
