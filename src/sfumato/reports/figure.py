"""A drawing with its caption."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

__all__ = ["Figure"]


@dataclass(frozen=True)
class Figure:
    """A drawing with its caption."""

    drawing: Markup
    caption: str
