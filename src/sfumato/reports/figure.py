"""A drawing with its caption."""

from __future__ import annotations

from markupsafe import Markup

from sfumato.data.frozen import frozen

__all__ = ["Figure"]


@frozen
class Figure:
    """A drawing with its caption."""

    drawing: Markup
    caption: str
