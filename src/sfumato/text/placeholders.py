"""Placeholders: what stands in a text for something that was removed, and how it is known again."""

from __future__ import annotations

import re

__all__ = ["PLACEHOLDER", "placeholder"]

PLACEHOLDER = re.compile(r"\[[^\W\da-z_][^\Wa-z]*(?:-[^\Wa-z]+)*\]")
"""What a placeholder looks like, whatever its type."""


def placeholder(type: str) -> str:  # noqa: A002
    """Return what stands for something that was removed.

    >>> placeholder("name")
    '[NAME]'
    """
    return f"[{type.upper()}]"
